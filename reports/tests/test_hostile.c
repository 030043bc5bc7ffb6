/* test_hostile.c: names full of Markdown and HTML leave the report's structure as it is, judged by
 * a parser that is not ours.
 *
 * usage: test_hostile CMARK_GFM. Skips (77) when that is empty. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "reports/tests/sample.h"
#include "reports/writer.h"

static const char *cmark;

static const char *const hostile[] = {
    "a|b\n<img src=x>`*_[]",
    "\\|",
    "\\\\|`|`",
    "|||",
    "`code` | `",
    "``",
    "<script>alert(1)</script>",
    "<!-- | -->",
    "&lt;b&gt; &amp; &#124;",
    "![x](y) [a](b)",
    "*a* _b_ **c** __d__ ~~e~~",
    "a_b _c_ d__e",
    "\r\n\r\n# heading",
    "- item",
    "1. item",
    "1) item",
    "> quote",
    "    code",
    "===",
    "---",
    "--- | ---",
    "| --- |",
    "```",
    "~~~",
    "http://x.y/|z",
    "<http://x.y>",
    "trailing\\",
    " lead and trail ",
    "\xc3\xa9|\xe2\x82\xac",
    "",
};

/* The sample's report through cmark-gfm: its HTML; the caller frees it. */
static char *html_of(const struct sample_cfg *cfg)
{
    char path[] = "/tmp/mpb-hostile-XXXXXX", command[512], chunk[4096];
    char *text = NULL;
    size_t len = 0, n = 0;
    struct sample sample;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    sample_make(cfg, &sample);
    assert_int_equal(mpb_writer_to_file(mpb_writer_find("md"), &sample.model, path, NULL), MPB_OK);
    sample_fini(&sample);
    snprintf(command, sizeof(command), "'%s' --unsafe -e table -e strikethrough %s", cmark, path);
    FILE *in = popen(command, "r"), *out = open_memstream(&text, &len);
    assert_true(in != NULL && out != NULL);
    while ((n = fread(chunk, 1, sizeof(chunk), in)) > 0) {
        fwrite(chunk, 1, n, out);
    }
    fclose(out);
    assert_int_equal(pclose(in), 0);
    unlink(path);
    return text;
}

/* The tags of a document in order, without the text between them. */
static char *tags_of(const char *html)
{
    char *tags = calloc(1, strlen(html) + 1);
    size_t n = 0;
    bool inside = false;
    assert_non_null(tags);
    for (const char *p = html; *p != '\0'; p++) {
        inside = inside || *p == '<';
        if (inside) {
            tags[n++] = *p;
        }
        inside = inside && *p != '>';
    }
    return tags;
}

static struct sample_cfg plain_cfg(void)
{
    return (struct sample_cfg){"micro", {"before", "after"}, "exit 1", 6, "-O3"};
}

/* One field of the sample replaced: the document's tags must not change. */
static void expect_same_tags(const struct sample_cfg *cfg, const char *name, const char *what)
{
    const struct sample_cfg plain = plain_cfg();
    char *html = html_of(cfg), *plain_html = html_of(&plain);
    char *tags = tags_of(html), *plain_tags = tags_of(plain_html);
    bool same = strcmp(tags, plain_tags) == 0;
    free(html);
    free(plain_html);
    free(tags);
    free(plain_tags);
    if (!same) {
        fail_msg("as %s, the name '%s' changes the structure of report.md", what, name);
    }
}

static void test_names_are_only_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPB_ARRAY_LEN(hostile); i++) {
        struct sample_cfg cfg = plain_cfg();
        cfg.scenario = hostile[i];
        expect_same_tags(&cfg, hostile[i], "scenario");
        cfg = plain_cfg();
        cfg.label[0] = hostile[i];
        expect_same_tags(&cfg, hostile[i], "label");
        cfg = plain_cfg();
        cfg.reason = hostile[i];
        expect_same_tags(&cfg, hostile[i], "reason");
        cfg = plain_cfg();
        cfg.fact = hostile[i];
        expect_same_tags(&cfg, hostile[i], "fact");
    }
}

/* The comparison above means nothing if the plain report had no tables. */
static void test_the_plain_report_has_its_tables(void **state)
{
    const struct sample_cfg plain = plain_cfg();
    char *html = html_of(&plain);
    size_t n_tables = 0;
    (void)state;
    for (const char *p = html; (p = strstr(p, "<table>")) != NULL; p++) {
        n_tables++;
    }
    assert_true(n_tables >= 8);
    assert_non_null(strstr(html, "<td>micro</td>"));
    free(html);
}

/* A cell reads as the name that was put in. */
static void test_names_survive(void **state)
{
    struct sample_cfg cfg = plain_cfg();
    (void)state;
    cfg.scenario = "a|b \\| `c` *d* _e_ <f> & [g]";
    char *html = html_of(&cfg);
    assert_non_null(strstr(html, "<td>a|b \\| `c` *d* _e_ &lt;f&gt; &amp; [g]</td>"));
    free(html);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_are_only_text),
        cmocka_unit_test(test_the_plain_report_has_its_tables),
        cmocka_unit_test(test_names_survive),
    };
    if (argc != 2 || argv[1][0] == '\0') {
        fprintf(stderr, "skipped: cmark-gfm is not installed\n");
        return 77;
    }
    cmark = argv[1];
    return cmocka_run_group_tests_name("hostile", tests, NULL, NULL);
}
