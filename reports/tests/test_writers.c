/* test_writers.c: what each writer makes of three sample sessions, against golden files.
 *
 * usage: test_writers GOLDEN_DIR BUILD_DIR. On a mismatch what was got stays in BUILD_DIR as
 * <name>.got. MSGPATH_BLESS=1 writes the golden files instead. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "reports/tests/sample.h"
#include "reports/writer.h"

static const char *golden_dir, *build_dir;

static const struct {
    const char *name;
    struct sample_cfg cfg;
} samples[] = {
    {"pair", {"micro", {"before", "after"}, NULL, 8, NULL}},
    {"short", {"micro", {"before", "after"}, "timed out after 60.0 s", 2, "-O3"}},
    {"single", {"micro", {"before", NULL}, NULL, 8, NULL}},
};

static const struct {
    const char *writer, *ext;
} kinds[] = {{"console", "txt"}, {"csv", "csv"}, {"md", "md"}};

static char *slurp(const char *path)
{
    char *text = NULL;
    size_t len = 0, n = 0;
    FILE *in = fopen(path, "r"), *out = open_memstream(&text, &len);
    char chunk[4096];
    while (in != NULL && out != NULL && (n = fread(chunk, 1, sizeof(chunk), in)) > 0) {
        fwrite(chunk, 1, n, out);
    }
    if (in != NULL) {
        fclose(in);
    }
    if (out != NULL) {
        fclose(out);
    }
    return text;
}

static void check(const char *name, const char *ext, const struct mpb_writer *writer,
                  const struct mpb_model *model)
{
    char golden[512], got[512];
    struct mpb_error err = {0};
    bool bless = getenv("MSGPATH_BLESS") != NULL;
    snprintf(golden, sizeof(golden), "%s/%s.%s", golden_dir, name, ext);
    snprintf(got, sizeof(got), "%s/%s.%s.got", build_dir, name, ext);
    assert_int_equal(mpb_writer_to_file(writer, model, bless ? golden : got, &err), MPB_OK);
    if (bless) {
        return;
    }
    char *want = slurp(golden), *have = slurp(got);
    bool same = want != NULL && have != NULL && strcmp(want, have) == 0;
    free(want);
    free(have);
    if (!same) {
        fail_msg("%s differs from %s (MSGPATH_BLESS=1 accepts it)", got, golden);
    }
    unlink(got);
}

static void test_golden(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPB_ARRAY_LEN(samples); i++) {
        struct sample sample;
        sample_make(&samples[i].cfg, &sample);
        for (size_t k = 0; k < MPB_ARRAY_LEN(kinds); k++) {
            const struct mpb_writer *writer = mpb_writer_find(kinds[k].writer);
            assert_non_null(writer);
            check(samples[i].name, kinds[k].ext, writer, &sample.model);
        }
        sample_fini(&sample);
    }
}

/* Every writer has a golden file, a word for itself, and a file of its own (or none). */
static void test_every_writer_is_tested(void **state)
{
    size_t n = 0;
    const struct mpb_writer *const *all = mpb_writer_all(&n);
    (void)state;
    assert_int_equal(n, MPB_ARRAY_LEN(kinds));
    for (size_t i = 0; i < n; i++) {
        assert_ptr_equal(mpb_writer_find(all[i]->name), all[i]);
        assert_true(all[i]->doc[0] != '\0');
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(all[i]->name, all[j]->name);
            assert_true(all[i]->file_name == NULL || all[j]->file_name == NULL ||
                        strcmp(all[i]->file_name, all[j]->file_name) != 0);
        }
    }
    assert_null(mpb_writer_find("none"));
}

static void test_a_failed_write_leaves_no_file(void **state)
{
    struct sample sample;
    struct mpb_error err = {0};
    const struct mpb_writer *md = mpb_writer_find("md");
    (void)state;
    sample_make(&samples[0].cfg, &sample);
    assert_int_equal(mpb_writer_to_file(md, &sample.model, "/nowhere/report.md", &err), MPB_E_IO);
    assert_string_equal(err.where, "/nowhere/report.md");
    sample_fini(&sample);
}

/* Every verdict but those of integers the longest there is. */
static void lengthen_verdicts(struct mpb_model *model)
{
    for (size_t i = 0; i < model->n_ab; i++) {
        if (model->ab[i].class_ != MPB_CLASS_EXACT) {
            model->ab[i].verdict = MPB_VERDICT_REGRESSED;
            model->ab[i].negligible = true;
        }
    }
}

/* No line of the console is wider than a terminal of 100 columns, or ends in blanks. */
static void test_console_lines_fit(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPB_ARRAY_LEN(samples); i++) {
        struct sample sample;
        char *text = NULL, *rest = NULL;
        size_t len = 0;
        sample_make(&samples[i].cfg, &sample);
        lengthen_verdicts(&sample.model);
        FILE *f = open_memstream(&text, &len);
        assert_non_null(f);
        assert_int_equal(mpb_writer_find("console")->write(&sample.model, f, NULL), MPB_OK);
        fclose(f);
        for (char *line = strtok_r(text, "\n", &rest); line != NULL;
             line = strtok_r(NULL, "\n", &rest)) {
            assert_true(strlen(line) <= 100);
            assert_true(line[strlen(line) - 1] != ' ');
        }
        free(text);
        sample_fini(&sample);
    }
}

/* A worker's words cannot steer the terminal: neither ASCII's controls nor those above it. */
static void test_console_is_plain_text(void **state)
{
    (void)state;
    static const struct sample_cfg cfg = {"micro",
                                          {"b\xc2\x9b"
                                           "31m",
                                           "\xc3\x9b\xc2\xa0"},
                                          "exit\x1b[1m 1",
                                          6,
                                          "-O3"};
    struct sample sample;
    char *text = NULL;
    size_t len = 0;
    sample_make(&cfg, &sample);
    FILE *f = open_memstream(&text, &len);
    assert_non_null(f);
    assert_int_equal(mpb_writer_find("console")->write(&sample.model, f, NULL), MPB_OK);
    fclose(f);
    assert_null(strstr(text, "\xc2\x9b"));
    assert_null(strchr(text, '\x1b'));
    assert_non_null(strstr(text, "b?31m"));
    assert_non_null(strstr(text, "\xc3\x9b\xc2\xa0"));
    free(text);
    sample_fini(&sample);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_every_writer_is_tested),
        cmocka_unit_test(test_a_failed_write_leaves_no_file),
        cmocka_unit_test(test_console_lines_fit),
        cmocka_unit_test(test_console_is_plain_text),
    };
    if (argc != 3) {
        fprintf(stderr, "usage: %s GOLDEN_DIR BUILD_DIR\n", argv[0]);
        return 2;
    }
    golden_dir = argv[1];
    build_dir = argv[2];
    return cmocka_run_group_tests_name("writers", tests, NULL, NULL);
}
