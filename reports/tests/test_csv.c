/* test_csv.c: the strict reader: what it accepts, what it refuses and with which line, torn ends.
 */
#include "reports/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static FILE *file_of(const char *bytes, size_t len)
{
    FILE *f = tmpfile();
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, len, f), len);
    rewind(f);
    return f;
}

/* Read all records of a text with header a,b; their fields joined by '|', records by ';'. */
static enum mpb_status read_text(const char *bytes, size_t len, char *out, size_t cap, bool *torn,
                                 struct mpb_error *err)
{
    struct mpb_csv csv = {0};
    FILE *f = file_of(bytes, len);
    bool got = false;
    out[0] = '\0';
    enum mpb_status st = mpb_csv_begin(&csv, "t.csv", f, "a,b", err);
    while (st == MPB_OK && (st = mpb_csv_next(&csv, &got, err)) == MPB_OK && got) {
        size_t n = strlen(out);
        snprintf(out + n, cap - n, "%s|%s;", csv.fields[0], csv.fields[1]);
    }
    *torn = csv.torn;
    mpb_csv_fini(&csv);
    fclose(f);
    return st;
}

static void expect(const char *text, const char *records, bool torn)
{
    char out[256];
    bool was_torn = false;
    struct mpb_error err = {0};
    assert_int_equal(read_text(text, strlen(text), out, sizeof(out), &was_torn, &err), MPB_OK);
    assert_string_equal(out, records);
    assert_int_equal(was_torn, torn);
}

static void test_accepts_rfc4180(void **state)
{
    (void)state;
    expect("a,b\n1,2\n", "1|2;", false);
    expect("a,b\r\n1,2\r\n", "1|2;", false);
    expect("\xef\xbb\xbf"
           "a,b\n1,2\n",
           "1|2;", false);
    expect("\"a\",b\n\"x,y\",\"say \"\"hi\"\"\"\n", "x,y|say \"hi\";", false);
    expect("a,b\n\"two\nlines\",\"\"\n,\n", "two\nlines|;|;", false);
    expect("a,b\n", "", false);
}

static void test_a_torn_end_is_said_and_left_out(void **state)
{
    (void)state;
    expect("a,b\n1,2\n3,4", "1|2;", true);
    expect("a,b\n1,2\n3", "1|2;", true);
    expect("a,b\n1,2\n\"3", "1|2;", true);
    expect("a,b\n1,2\n\"3\"", "1|2;", true);
    expect("a,b\n1,2\n3,4\r", "1|2;", true);
    expect("a,b\n1,2\n\"x\ny", "1|2;", true);
    expect("a,b\n1,2\n3,\xc3", "1|2;", true);
}

static void test_refuses_with_file_and_line(void **state)
{
    static const struct {
        const char *text, *where, *says;
    } bad[] = {
        {"a,b\n1\n", "t.csv:2", "1 fields, the header has 2"},
        {"a,b\n1,2\n1,2,3\n", "t.csv:3", "3 fields, the header has 2"},
        {"a,b\n\"x\ny\",1\n\n", "t.csv:4", "1 fields, the header has 2"},
        {"a,b\nx\"y,1\n", "t.csv:2", "a stray quote inside an unquoted field"},
        {"a,b\n\"x\"y,1\n", "t.csv:2", "text behind a closing quote"},
        {"a,b\nx\ry,1\n", "t.csv:2", "a carriage return without a line feed"},
        {"a,b\n\xff,1\n", "t.csv:2", "not UTF-8"},
        {"a,b\n1,\"2\n3,4\n5,6\n", "t.csv:2", "a quoted field that is never closed"},
        {"a,c\n1,2\n", "t.csv:1", "column 2 of the header is 'c', not 'b' (wanted: a,b)"},
        {"a\n1\n", "t.csv:1", "column 2 of the header is '', not 'b' (wanted: a,b)"},
        {"a,b,c\n", "t.csv:1", "column 3 of the header is 'c', not '' (wanted: a,b)"},
        {"a,b", "t.csv:1", "ends before the end of its header"},
        {"", "t.csv:1", "ends before the end of its header"},
    };
    (void)state;
    for (size_t i = 0; i < MPB_ARRAY_LEN(bad); i++) {
        char out[256];
        bool torn = false;
        struct mpb_error err = {0};
        const char *text = bad[i].text;
        assert_int_equal(read_text(text, strlen(text), out, sizeof(out), &torn, &err), MPB_E_INPUT);
        assert_string_equal(err.where, bad[i].where);
        assert_string_equal(err.text, bad[i].says);
    }
}

static void test_refuses_nul_bytes_and_endless_records(void **state)
{
    char out[256];
    bool torn = false;
    struct mpb_error err = {0};
    (void)state;
    assert_int_equal(read_text("a,b\n1\0,2\n", 9, out, sizeof(out), &torn, &err), MPB_E_INPUT);
    assert_string_equal(err.text, "a NUL byte");
    size_t len = (size_t)3 << 20;
    char *endless = malloc(len);
    assert_non_null(endless);
    memset(endless, 'x', len);
    endless[1] = ',';
    endless[3] = '\n';
    endless[0] = 'a';
    endless[2] = 'b';
    assert_int_equal(read_text(endless, len, out, sizeof(out), &torn, &err), MPB_E_INPUT);
    assert_string_equal(err.text, "a record longer than 1 MiB");
    free(endless);
}

static void test_record_end_is_where_a_torn_line_starts(void **state)
{
    struct mpb_csv csv = {0};
    FILE *f = file_of("a,b\n1,2\n3,", 10);
    bool got = true;
    (void)state;
    assert_int_equal(mpb_csv_begin(&csv, "t.csv", f, "a,b", NULL), MPB_OK);
    while (got) {
        assert_int_equal(mpb_csv_next(&csv, &got, NULL), MPB_OK);
    }
    assert_int_equal(csv.record_end, 8);
    mpb_csv_fini(&csv);
    fclose(f);
}

static void test_where_keeps_the_line_of_a_long_name(void **state)
{
    struct mpb_csv csv = {.name = "a/very/long/path/to/rows.csv", .line = 1234};
    char out[20];
    (void)state;
    mpb_csv_where(&csv, out, sizeof(out));
    assert_string_equal(out, "...to/rows.csv:1234");
}

/* Hostile text comes back as it went in, whatever is in it. */
static void test_what_is_put_is_read_back(void **state)
{
    static const char *const texts[] = {"plain", "",     ",",     "\"",       "a\"b", "\r\n", "x\n",
                                        "=1+1",  "@cmd", " lead", "\xc3\xa9", "a,b",  "\"\"", "|"};
    (void)state;
    for (size_t i = 0; i < MPB_ARRAY_LEN(texts); i++) {
        for (size_t j = 0; j < MPB_ARRAY_LEN(texts); j++) {
            const char *fields[] = {texts[i], texts[j]};
            struct mpb_csv csv = {0};
            FILE *f = tmpfile();
            bool got = false;
            mpb_csv_put_record(f, fields, 2);
            rewind(f);
            assert_int_equal(mpb_csv_begin(&csv, "t", f, NULL, NULL), MPB_OK);
            assert_int_equal(csv.n_fields, 2);
            assert_string_equal(csv.fields[0], texts[i]);
            assert_string_equal(csv.fields[1], texts[j]);
            assert_int_equal(mpb_csv_next(&csv, &got, NULL), MPB_OK);
            assert_false(got || csv.torn);
            mpb_csv_fini(&csv);
            fclose(f);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepts_rfc4180),
        cmocka_unit_test(test_a_torn_end_is_said_and_left_out),
        cmocka_unit_test(test_refuses_with_file_and_line),
        cmocka_unit_test(test_refuses_nul_bytes_and_endless_records),
        cmocka_unit_test(test_record_end_is_where_a_torn_line_starts),
        cmocka_unit_test(test_where_keeps_the_line_of_a_long_name),
        cmocka_unit_test(test_what_is_put_is_read_back),
    };
    return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
