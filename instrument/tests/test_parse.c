/* test_parse.c: tables of texts that are numbers and of texts that must not pass for one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "instrument/parse.h"

#include <stdio.h>
#include <string.h>

/* A refusal names the object, quotes the text, and leaves the output alone. */
static void assert_refused(enum mpb_status st, const struct mpb_error *err, const char *text)
{
    if (st != MPB_E_INPUT) {
        fail_msg("'%s' gave status %s", text, mpb_status_name(st));
    }
    assert_string_equal(err->where, "--option");
    char quoted[128];
    snprintf(quoted, sizeof(quoted), "'%s'", text);
    if (strstr(err->text, quoted) == NULL && strpbrk(text, "\n\t") == NULL) {
        fail_msg("'%s' is not quoted in: %s", text, err->text);
    }
}

/* Texts no reader below takes. "1,5" is 1.5 in half of Europe: it must be neither 1 nor 15. */
static const char *const never[] = {
    "",      " ",  "1,5", "1,000", "inf", "nan",   "-inf",         "infinity", "NaN",
    "0x10",  "1 ", " 1",  "\t1",   "1\n", "ten",   "--1",          "1..2",     "1.2.3",
    "1e",    "e5", ".",   "-",     "1_0", "1'000", "\xc2\xa0\x31", "+",        "1f",
    "1e400", "1d", "1p3", "0b1"};

static void nothing_takes_what_is_no_number(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPB_ARRAY_LEN(never); i++) {
        const char *t = never[i];
        struct mpb_error err;
        uint64_t u = 77;
        double d = 77;
        assert_refused(mpb_parse_u64(t, "--option", 0, UINT64_MAX, &u, &err), &err, t);
        assert_refused(mpb_parse_size(t, "--option", 0, UINT64_MAX, &u, &err), &err, t);
        assert_refused(mpb_parse_duration(t, "--option", &u, &err), &err, t);
        assert_refused(mpb_parse_percent(t, "--option", 100, &d, &err), &err, t);
        assert_refused(mpb_parse_double(t, "--option", &d, &err), &err, t);
        assert_true(u == 77 && d > 76 && d < 78);
    }
}

static void u64_takes_digits_in_range(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t min, max, want;
    } good[] = {
        {"0", 0, 10, 0},
        {"10", 0, 10, 10},
        {"007", 0, 10, 7},
        {"18446744073709551615", 0, UINT64_MAX, UINT64_MAX},
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(good); i++) {
        uint64_t v = 77;
        assert_int_equal(mpb_parse_u64(good[i].text, "x", good[i].min, good[i].max, &v, NULL), 0);
        assert_true(v == good[i].want);
    }
    static const char *const bad[] = {
        "11", "1", "-1", "+3", "3.0", "3k", "18446744073709551616", "99999999999999999999999999"};
    for (size_t i = 0; i < MPB_ARRAY_LEN(bad); i++) {
        uint64_t v = 77;
        struct mpb_error err;
        assert_refused(mpb_parse_u64(bad[i], "--option", 2, 10, &v, &err), &err, bad[i]);
        assert_true(v == 77);
    }
    /* Past 64 bits it is refused even where nothing else bounds it. */
    uint64_t v = 77;
    assert_int_equal(mpb_parse_u64("18446744073709551616", "x", 0, UINT64_MAX, &v, NULL),
                     MPB_E_INPUT);
    assert_true(v == 77);
}

static void sizes_have_decimal_and_binary_suffixes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t want;
    } good[] = {
        {"153521", 153521}, {"10k", 10000},   {"64Ki", 65536},
        {"2M", 2000000},    {"1Mi", 1048576}, {"0", 0},
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(good); i++) {
        uint64_t v = 77;
        assert_int_equal(mpb_parse_size(good[i].text, "x", 0, UINT64_MAX, &v, NULL), MPB_OK);
        assert_true(v == good[i].want);
    }
    /* The last two overflow 64 bits only once multiplied, or fit by wrapping around. */
    static const char *const bad[] = {"50kb",
                                      "1.5k",
                                      "10 k",
                                      "k",
                                      "1K",
                                      "-10k",
                                      "1kk",
                                      "1KiB",
                                      "2Mi2",
                                      "18446744073709551615k",
                                      "18014398509481985Ki"};
    for (size_t i = 0; i < MPB_ARRAY_LEN(bad); i++) {
        uint64_t v = 77;
        struct mpb_error err;
        assert_refused(mpb_parse_size(bad[i], "--option", 0, 1u << 30, &v, &err), &err, bad[i]);
        assert_true(v == 77);
    }
}

static void durations_need_a_unit(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t want;
    } good[] = {
        {"500ns", 500},       {"2.7us", 2700},         {"2.7ms", 2700000},
        {"90s", 90000000000}, {"1.5min", 90000000000}, {"1ns", 1},
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(good); i++) {
        uint64_t v = 77;
        assert_int_equal(mpb_parse_duration(good[i].text, "x", &v, NULL), MPB_OK);
        assert_true(v == good[i].want);
    }
    static const char *const bad[] = {"90",
                                      "90 s",
                                      "0s",
                                      "-1s",
                                      "0.1ns",
                                      "1e3s",
                                      ".5s",
                                      "1.s",
                                      "1,5s",
                                      "5m",
                                      "5sec",
                                      "1h",
                                      "infs",
                                      "nans",
                                      "0x1s",
                                      "1s1s",
                                      "9999999999999999999s"};
    for (size_t i = 0; i < MPB_ARRAY_LEN(bad); i++) {
        uint64_t v = 77;
        struct mpb_error err;
        assert_refused(mpb_parse_duration(bad[i], "--option", &v, &err), &err, bad[i]);
        assert_true(v == 77);
    }
}

static void shares_need_their_sign(void **state)
{
    (void)state;
    double v = 77;
    assert_int_equal(mpb_parse_percent("2%", "x", 100, &v, NULL), MPB_OK);
    assert_true(v > 0.0199999999 && v < 0.0200000001);
    assert_int_equal(mpb_parse_percent("0.5%", "x", 100, &v, NULL), MPB_OK);
    assert_true(v > 0.0049999999 && v < 0.0050000001);
    static const char *const bad[] = {"0.02", "2",   "0%",   "-1%",  "100%", "1,5%",
                                      "2 %",  "2%%", "nan%", "inf%", "%",    "2%x"};
    for (size_t i = 0; i < MPB_ARRAY_LEN(bad); i++) {
        struct mpb_error err;
        v = 77;
        assert_refused(mpb_parse_percent(bad[i], "--option", 100, &v, &err), &err, bad[i]);
        assert_true(v > 76);
    }
}

static void doubles_are_finite_decimals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double want;
    } good[] = {
        {"0", 0},      {"-1.5", -1.5},   {"+2", 2},
        {"1e3", 1000}, {"2.5E-1", 0.25}, {"39123456", 39123456},
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(good); i++) {
        double v = 77;
        assert_int_equal(mpb_parse_double(good[i].text, "x", &v, NULL), MPB_OK);
        assert_memory_equal(&v, &good[i].want, sizeof(v));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_takes_what_is_no_number),
        cmocka_unit_test(u64_takes_digits_in_range),
        cmocka_unit_test(sizes_have_decimal_and_binary_suffixes),
        cmocka_unit_test(durations_need_a_unit),
        cmocka_unit_test(shares_need_their_sign),
        cmocka_unit_test(doubles_are_finite_decimals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
