/* test_units.c: what readers see, at the boundaries where rounding makes a fool of it. */
#include "reports/units.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_one_value_alone(void **state)
{
    static const struct {
        const char *unit;
        double value;
        const char *text;
    } cases[] = {
        {"ns", 0, "0 ns"},
        {"ns", 999, "999 ns"},
        {"ns", 1000, "1.00 us"},
        {"ns", 9994, "9.99 us"},
        {"ns", 9996, "10.0 us"},
        {"ns", 99940, "99.9 us"},
        {"ns", 99960, "100 us"},
        {"ns", 999400, "999 us"},
        {"ns", 999950, "1.00 ms"},
        {"ns", 999500, "1.00 ms"},
        {"ns", 12.5, "12.5 ns"},
        {"ns", 39123456, "39.1 ms"},
        {"ns", 90e9, "90.0 s"},
        {"ns", 5e12, "5 000 s"},
        {"B", 195, "195 B"},
        {"B", 195000, "195 kB"},
        {"B", 1280000, "1.28 MB"},
        {"B", 999999, "1.00 MB"},
        {"B", 5e12, "5.00 TB"},
        {"B", 5e15, "5 000 TB"},
        {"1/s", 9184.4, "9 184/s"},
        {"1/s", 26402, "26 402/s"},
        {"1/s", 225.45, "225/s"},
        {"1/s", 1234567.2, "1 234 567/s"},
        {"1/s", 2.25, "2.25/s"},
        {"count", 12345, "12 345"},
        {"count", 2.5, "2.500"},
        {"%", 12.34, "12.3 %"},
        {"count", -1234567, "-1 234 567"},
    };
    (void)state;
    for (size_t i = 0; i < MPB_ARRAY_LEN(cases); i++) {
        struct mpb_scale scale = mpb_units_scale(cases[i].unit, &cases[i].value, 1);
        char text[64];
        mpb_units_format(cases[i].value, &scale, text, sizeof(text));
        assert_string_equal(text, cases[i].text);
    }
}

static void test_integers_keep_every_digit(void **state)
{
    char text[64];
    (void)state;
    mpb_units_integer(UINT64_MAX, text, sizeof(text));
    assert_string_equal(text, "18 446 744 073 709 551 615");
    mpb_units_integer(0, text, sizeof(text));
    assert_string_equal(text, "0");
    mpb_units_integer(1000, text, sizeof(text));
    assert_string_equal(text, "1 000");
}

static void test_shares_have_no_sign(void **state)
{
    char text[64];
    (void)state;
    mpb_units_share(0.016, text, sizeof(text));
    assert_string_equal(text, "1.6 %");
    mpb_units_share(-0.00001, text, sizeof(text));
    assert_string_equal(text, "0.0 %");
    mpb_units_share((double)NAN, text, sizeof(text));
    assert_string_equal(text, "n/a");
}

static void test_one_unit_a_row(void **state)
{
    const double bytes[] = {1280000, 195000, NAN};
    const double times[] = {101000, 3200};
    char text[64];
    struct mpb_scale scale = mpb_units_scale("B", bytes, 3);
    (void)state;
    mpb_units_format(bytes[0], &scale, text, sizeof(text));
    assert_string_equal(text, "1.280 MB");
    mpb_units_format(bytes[1], &scale, text, sizeof(text));
    assert_string_equal(text, "0.195 MB");
    mpb_units_format(bytes[2], &scale, text, sizeof(text));
    assert_string_equal(text, "n/a");
    scale = mpb_units_scale("ns", times, 2);
    mpb_units_format(times[1], &scale, text, sizeof(text));
    assert_string_equal(text, "3.20 us");
}

static void test_changes_have_a_sign_and_no_minus_zero(void **state)
{
    static const struct {
        double ratio;
        const char *text;
    } cases[] = {
        {2.875, "+187.5 %"},      {0.359, "-64.1 %"},   {1, "0.0 %"},
        {0.9999999, "0.0 %"},     {1.0000001, "0.0 %"}, {0, "-100.0 %"},
        {124.456, "+12 345.6 %"}, {0.9994, "-0.1 %"},
    };
    char text[64];
    (void)state;
    for (size_t i = 0; i < MPB_ARRAY_LEN(cases); i++) {
        mpb_units_change(cases[i].ratio, text, sizeof(text));
        assert_string_equal(text, cases[i].text);
    }
    mpb_units_change(NAN, text, sizeof(text));
    assert_string_equal(text, "n/a");
    mpb_units_change(INFINITY, text, sizeof(text));
    assert_string_equal(text, "n/a");
}

static void test_intervals(void **state)
{
    char text[64];
    (void)state;
    mpb_units_interval(2.791, 2.95, text, sizeof(text));
    assert_string_equal(text, "+179.1 .. +195.0");
    mpb_units_interval(0.9999, 1.0001, text, sizeof(text));
    assert_string_equal(text, "0.0 .. 0.0");
    mpb_units_interval(NAN, 1, text, sizeof(text));
    assert_string_equal(text, "n/a");
}

static void test_csv_reads_back_the_same(void **state)
{
    const double values[] = {0,
                             0.1,
                             1.0 / 3,
                             1e5,
                             123456.789,
                             5e-324,
                             DBL_MAX,
                             -2.5,
                             1e16,
                             1.5e-7,
                             2e22,
                             0.3 - 0.1,
                             9007199254740992.0,
                             4503599627370497.5};
    char text[64];
    (void)state;
    for (size_t i = 0; i < MPB_ARRAY_LEN(values); i++) {
        mpb_units_csv(values[i], text, sizeof(text));
        double back = strtod(text, NULL);
        assert_memory_equal(&back, &values[i], sizeof(back));
        assert_null(strchr(text, ','));
    }
    mpb_units_csv(0.1, text, sizeof(text));
    assert_string_equal(text, "0.1");
    mpb_units_csv(1e5, text, sizeof(text));
    assert_string_equal(text, "100000");
    mpb_units_csv(NAN, text, sizeof(text));
    assert_string_equal(text, "");
    mpb_units_csv(-INFINITY, text, sizeof(text));
    assert_string_equal(text, "");
}

static void test_short_buffers_are_terminated(void **state)
{
    const double huge = DBL_MAX;
    struct mpb_scale scale = mpb_units_scale("B", &huge, 1);
    char text[8];
    (void)state;
    mpb_units_format(huge, &scale, text, sizeof(text));
    assert_true(strlen(text) < sizeof(text));
    mpb_units_interval(huge, huge, text, sizeof(text));
    assert_true(strlen(text) < sizeof(text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_value_alone),
        cmocka_unit_test(test_integers_keep_every_digit),
        cmocka_unit_test(test_shares_have_no_sign),
        cmocka_unit_test(test_one_unit_a_row),
        cmocka_unit_test(test_changes_have_a_sign_and_no_minus_zero),
        cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_csv_reads_back_the_same),
        cmocka_unit_test(test_short_buffers_are_terminated),
    };
    return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
