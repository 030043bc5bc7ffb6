/* test_verdict.c: the words, case by case. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness/verdict.h"

static const struct mpb_verdict_rules rules = {0.02, 0.05, 3};

static struct mpb_verdict_range exactly(uint64_t min, uint64_t max)
{
    return (struct mpb_verdict_range){.median = (double)min,
                                      .min = (double)min,
                                      .max = (double)max,
                                      .is_integer = true,
                                      .min_exact = min,
                                      .max_exact = max,
                                      .n = 3};
}

static void test_exact(void **state)
{
    (void)state;
    static const uint64_t big = UINT64_MAX;
    static const struct {
        uint64_t a, b;
        enum mpb_better better;
        enum mpb_verdict want;
    } table[] = {
        {7, 7, MPB_BETTER_LOWER, MPB_VERDICT_EQUAL},
        {0, 0, MPB_BETTER_LOWER, MPB_VERDICT_EQUAL},
        {2, 1, MPB_BETTER_LOWER, MPB_VERDICT_IMPROVED},
        {1, 2, MPB_BETTER_LOWER, MPB_VERDICT_REGRESSED},
        {1, 2, MPB_BETTER_HIGHER, MPB_VERDICT_IMPROVED},
        {1, 2, MPB_BETTER_NONE, MPB_VERDICT_CHANGED},
        {0, 5, MPB_BETTER_LOWER, MPB_VERDICT_NEW},
        {5, 0, MPB_BETTER_LOWER, MPB_VERDICT_IMPROVED},
        {big, big - 1, MPB_BETTER_LOWER, MPB_VERDICT_IMPROVED}, /* the same double */
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(table); i++) {
        struct mpb_ab_row row = {.better = table[i].better, .low = NAN};
        struct mpb_verdict_range a = exactly(table[i].a, table[i].a);
        struct mpb_verdict_range b = exactly(table[i].b, table[i].b);
        mpb_verdict_exact(&row, &a, &b, &rules);
        assert_int_equal(row.verdict, table[i].want);
        assert_string_equal(row.reason, "exact");
        assert_int_equal(isnan(row.ratio), table[i].a == 0);
        assert_int_equal(row.blocks, 0);
    }
}

static void test_exact_that_varies(void **state)
{
    (void)state;
    struct mpb_ab_row row = {.better = MPB_BETTER_LOWER, .ratio = NAN};
    struct mpb_verdict_range a = exactly(10, 12), b = exactly(5, 5);
    mpb_verdict_exact(&row, &a, &b, &rules);
    assert_int_equal(row.verdict, MPB_VERDICT_INCONCLUSIVE);
    assert_string_equal(row.reason, "varies between passes: 10..12 against 5..5");
    b.n = 2;
    a = exactly(5, 5);
    mpb_verdict_exact(&row, &a, &b, &rules);
    assert_string_equal(row.reason, "exact, over 2 of 3 counting passes");
}

static void check_level(struct mpb_verdict_range a, struct mpb_verdict_range b,
                        enum mpb_verdict want, bool negligible)
{
    struct mpb_ab_row row = {.better = MPB_BETTER_LOWER, .ratio = NAN, .low = NAN, .high = NAN};
    mpb_verdict_level(&row, &a, &b, &rules);
    assert_int_equal(row.verdict, want);
    assert_int_equal(row.negligible, negligible);
    assert_true(row.reason[0] != '\0');
}

static void test_level(void **state)
{
    (void)state;
    struct mpb_verdict_range wide = exactly(100, 110), low = exactly(50, 60);
    check_level(exactly(100, 100), exactly(50, 50), MPB_VERDICT_IMPROVED, false);
    check_level(exactly(100, 100), exactly(200, 200), MPB_VERDICT_REGRESSED, false);
    check_level(exactly(1000, 1000), exactly(999, 999), MPB_VERDICT_IMPROVED, true);
    check_level(exactly(100, 100), exactly(100, 100), MPB_VERDICT_UNCHANGED, false);
    check_level(wide, low, MPB_VERDICT_INCONCLUSIVE, false); /* varies, 3 passes */
    wide.n = low.n = 5;
    check_level(wide, low, MPB_VERDICT_IMPROVED, false);
    low.max_exact = 105;
    low.max = 105;
    check_level(wide, low, MPB_VERDICT_INCONCLUSIVE, false); /* the ranges meet */
    struct mpb_verdict_range near = exactly(1000, 1010), nearer = exactly(1001, 1009);
    near.n = nearer.n = 24;
    check_level(near, nearer, MPB_VERDICT_UNCHANGED, false);
}

static void test_level_zeros(void **state)
{
    (void)state;
    check_level(exactly(0, 0), exactly(0, 0), MPB_VERDICT_UNCHANGED, false);
    check_level(exactly(0, 0), exactly(5, 5), MPB_VERDICT_NEW, false);
    check_level(exactly(5, 5), exactly(0, 0), MPB_VERDICT_IMPROVED, false);
    check_level(exactly(0, 5), exactly(3, 3), MPB_VERDICT_INCONCLUSIVE, false);
    check_level(exactly(0, 0), exactly(0, 3), MPB_VERDICT_INCONCLUSIVE, false);
}

static struct mpb_ab_row timed(const double *y, size_t n, enum mpb_better better, size_t n_zeros)
{
    struct mpb_ab_row row = {.better = better,
                             .ratio = NAN,
                             .low = NAN,
                             .high = NAN,
                             .p = NAN,
                             .trimmed = NAN,
                             .sign_low = NAN,
                             .sign_high = NAN,
                             .mde80 = NAN};
    double own[16]; /* it is sorted in place */
    memcpy(own, y, n * sizeof(*own));
    struct mpb_contrast c = {.y = own, .n = n, .n_values = 4 * n, .n_zeros = n_zeros};
    mpb_verdict_timed(&row, &c, &rules);
    return row;
}

static void test_timed(void **state)
{
    (void)state;
    double up[] = {.1, .12, .11, .1, .13, .09, .1, .1}, none[] = {0, 0, 0, 0, 0, 0, 0, 0};
    double small[] = {.001, .002, .001, .003, .002, .001, .001, .002};
    double noisy[] = {-.5, .6, .4, -.3, .2, -.1, .3, -.4};
    struct mpb_ab_row row = timed(up, 8, MPB_BETTER_HIGHER, 0);
    assert_int_equal(row.verdict, MPB_VERDICT_IMPROVED);
    assert_false(row.negligible);
    assert_true(fabs(row.ratio - exp(.1)) < 1e-12 && row.low > 1.09 && row.high < 1.14);
    assert_true(fabs(row.p - 2.0 / 256) < 1e-15 && row.blocks == 8 && row.look == 1);
    assert_int_equal(timed(up, 8, MPB_BETTER_LOWER, 0).verdict, MPB_VERDICT_REGRESSED);
    assert_int_equal(timed(up, 8, MPB_BETTER_NONE, 0).verdict, MPB_VERDICT_CHANGED);
    row = timed(small, 8, MPB_BETTER_LOWER, 0);
    assert_int_equal(row.verdict, MPB_VERDICT_REGRESSED);
    assert_true(row.negligible);
    row = timed(none, 8, MPB_BETTER_LOWER, 0);
    assert_int_equal(row.verdict, MPB_VERDICT_UNCHANGED);
    assert_true(fabs(row.p - 1) < 1e-15 && fabs(row.ratio - 1) < 1e-15);
    row = timed(noisy, 8, MPB_BETTER_LOWER, 0);
    assert_int_equal(row.verdict, MPB_VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(row.reason, "more blocks would settle it within 2 %"));
}

static void test_all_equal_but_shifted(void **state)
{
    (void)state;
    double y[12];
    for (size_t i = 0; i < 12; i++) {
        y[i] = log(8) - log(7); /* A all 7, B all 8 */
    }
    struct mpb_ab_row row = timed(y, 12, MPB_BETTER_LOWER, 0);
    assert_int_equal(row.verdict, MPB_VERDICT_REGRESSED);
    assert_true(fabs(row.ratio - 8.0 / 7) < 1e-12);
    assert_true(row.p > 0 && fabs(row.mde80) < 1e-12);
}

static void test_too_few_blocks(void **state)
{
    (void)state;
    double y[] = {.1, .1, .1, .1, .1};
    for (size_t n = 0; n <= 5; n++) {
        struct mpb_ab_row row = timed(y, n, MPB_BETTER_LOWER, 0);
        assert_int_equal(row.verdict, MPB_VERDICT_INCONCLUSIVE);
        assert_string_equal(row.reason, "needs at least 6 blocks");
        assert_true(isnan(row.low) && isnan(row.high) && isnan(row.mde80));
    }
}

static void test_zero_times(void **state)
{
    (void)state;
    double y[] = {.1, .1, INFINITY, .1, .1, -INFINITY, .1, .1, .1, .1};
    struct mpb_ab_row row = timed(y, 10, MPB_BETTER_LOWER, 2);
    assert_int_equal(row.verdict,
                     MPB_VERDICT_REGRESSED); /* 9 of 10 blocks, infinities at the ends */
    assert_non_null(strstr(row.reason, "2 of 40 values are 0"));
    assert_true(isfinite(row.ratio));
    row = timed(y, 10, MPB_BETTER_LOWER, 5);
    assert_int_equal(row.verdict, MPB_VERDICT_INCONCLUSIVE);
    assert_string_equal(row.reason, "below the clock's resolution: 5 of 40 values are 0");
    assert_true(isnan(row.ratio) && isnan(row.low));
}

static void test_mirror(void **state)
{
    (void)state;
    unsigned seed = 3;
    for (int trial = 0; trial < 500; trial++) {
        double y[14], z[14];
        for (size_t i = 0; i < 14; i++) {
            seed = seed * 1664525u + 1013904223u;
            y[i] = ((seed >> 8) / 16777216.0 - 0.45) * 0.05;
            z[i] = -y[i];
        }
        struct mpb_ab_row a = timed(y, 14, MPB_BETTER_LOWER, 0);
        struct mpb_ab_row b = timed(z, 14, MPB_BETTER_LOWER, 0);
        assert_true(fabs(a.ratio * b.ratio - 1) < 1e-12);
        assert_true(fabs(a.low * b.high - 1) < 1e-12 && fabs(a.high * b.low - 1) < 1e-12);
        assert_true(fabs(a.p - b.p) < 1e-15 && fabs(a.mde80 - b.mde80) < 1e-12);
        assert_int_equal(a.verdict == MPB_VERDICT_IMPROVED, b.verdict == MPB_VERDICT_REGRESSED);
        assert_int_equal(a.verdict == MPB_VERDICT_UNCHANGED, b.verdict == MPB_VERDICT_UNCHANGED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),          cmocka_unit_test(test_exact_that_varies),
        cmocka_unit_test(test_level),          cmocka_unit_test(test_level_zeros),
        cmocka_unit_test(test_timed),          cmocka_unit_test(test_all_equal_but_shifted),
        cmocka_unit_test(test_too_few_blocks), cmocka_unit_test(test_zero_times),
        cmocka_unit_test(test_mirror),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
