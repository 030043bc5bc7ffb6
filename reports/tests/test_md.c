/* test_md.c: the bytes that escaping and tables produce. */
#include "reports/md.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(void (*write)(FILE *f), const char *text)
{
    char *got = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&got, &len);
    assert_non_null(f);
    write(f);
    fclose(f);
    assert_string_equal(got, text);
    free(got);
}

static void write_text(FILE *f)
{
    mpb_md_put(f, "msg_per_s _x_ a|b\n<i> & `c` *d* [e] ~f~ \\ \x7f");
}

static void write_table(FILE *f)
{
    struct mpb_md_table table;
    mpb_md_begin(&table, f, "lr");
    mpb_md_cell(&table, "a|b");
    mpb_md_cell(&table, "n");
    mpb_md_cellf(&table, "%s", "x");
    mpb_md_cellf(&table, "%d", 7);
    mpb_md_cell(&table, "open row");
    mpb_md_end(&table);
}

static void write_blocks(FILE *f)
{
    mpb_md_heading(f, 2, "%s -> b", "a");
    mpb_md_paragraph(f, "%s", "  # not a heading");
    mpb_md_item(f, "%s", "12. not a list");
    mpb_md_item(f, "%s", "12 blocks");
}

static void test_text(void **state)
{
    (void)state;
    expect(write_text,
           "msg_per_s \\_x\\_ a\\|b &lt;i> &amp; \\`c\\` \\*d\\* \\[e\\] \\~f\\~ \\\\  ");
}

static void test_table(void **state)
{
    (void)state;
    expect(write_table, "| a\\|b | n |\n| --- | ---: |\n| x | 7 |\n| open row |  |\n\n");
}

static void test_blocks(void **state)
{
    (void)state;
    expect(write_blocks, "## a -> b\n\n\\# not a heading\n\n- 12\\. not a list\n- 12 blocks\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests_name("md", tests, NULL, NULL);
}
