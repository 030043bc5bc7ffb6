/* test_stats.c: against independent oracles: enumeration of all sign patterns, published binomial
 * tables, closed forms, and a seeded simulation for the power. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/stats.h"

static void assert_near(double have, double want, double tolerance)
{
    if (!(fabs(have - want) <= tolerance)) {
        fail_msg("%.17g is not %.17g", have, want);
    }
}

/* A small generator of its own, so that nothing under test feeds the test. */
static double uniform(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / 16777216.0;
}

static double normal(unsigned *state)
{
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        sum += uniform(state);
    }
    return sum - 6;
}

static void test_median(void **state)
{
    (void)state;
    const double odd[] = {1, 2, 9}, even[] = {1, 2, 4, 9}, one[] = {7};
    assert_near(mpb_stats_median(odd, 3), 2, 0);
    assert_near(mpb_stats_median(even, 4), 3, 0);
    assert_near(mpb_stats_median(one, 1), 7, 0);
    assert_true(isnan(mpb_stats_median(NULL, 0)));
}

static void test_median_of_equal_values_is_that_value(void **state)
{
    (void)state;
    const double x[] = {0.1, 0.1, 0.1, 0.1};
    assert_near(mpb_stats_median(x, 4), 0.1, 0);
}

static void test_trimmed_mean(void **state)
{
    (void)state;
    const double x[] = {-1000, 1, 2, 3, 4, 5, 6, 7, 8, 1000};
    assert_near(mpb_stats_trimmed_mean(x, 10, 0.2), (2 + 3 + 4 + 5 + 6 + 7) / 6.0, 1e-15);
    assert_near(mpb_stats_trimmed_mean(x, 4, 0.2), (-1000 + 1 + 2 + 3) / 4.0, 1e-12);
    assert_true(isnan(mpb_stats_trimmed_mean(x, 0, 0.2)));
}

/* The direct definition: all deviations, sorted. */
static double mad_by_definition(const double *x, size_t n)
{
    double d[64];
    for (size_t i = 0; i < n; i++) {
        d[i] = fabs(x[i] - mpb_stats_median(x, n));
    }
    mpb_stats_sort(d, n);
    return mpb_stats_median(d, n);
}

static void test_mad_is_its_definition(void **state)
{
    (void)state;
    unsigned seed = 1;
    double x[64];
    for (size_t n = 1; n <= 64; n++) {
        for (size_t i = 0; i < n; i++) {
            x[i] = floor(uniform(&seed) * 20); /* with ties */
        }
        mpb_stats_sort(x, n);
        assert_near(mpb_stats_mad(x, n), mad_by_definition(x, n), 1e-12);
    }
    assert_true(isnan(mpb_stats_mad(x, 0)));
}

static void test_binomial_table(void **state)
{
    (void)state;
    /* Cumulative binomial tables, p = 0.5, n = 10 and n = 20, as printed in textbooks. */
    assert_near(mpb_stats_binomial_half(10, 0), 0.0010, 5e-5);
    assert_near(mpb_stats_binomial_half(10, 2), 0.0547, 5e-5);
    assert_near(mpb_stats_binomial_half(10, 5), 0.6230, 5e-5);
    assert_near(mpb_stats_binomial_half(20, 5), 0.0207, 5e-5);
    assert_near(mpb_stats_binomial_half(20, 10), 0.5881, 5e-5);
    assert_near(mpb_stats_binomial_half(7, 7), 1, 0);
}

static void test_binomial_by_enumeration(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 14; n++) {
        for (unsigned k = 0; k <= n; k++) {
            unsigned hits = 0;
            for (unsigned pattern = 0; pattern < 1u << n; pattern++) {
                hits += (unsigned)__builtin_popcount(pattern) <= k;
            }
            assert_near(mpb_stats_binomial_half(n, k), hits / (double)(1u << n), 1e-15);
        }
    }
}

static void test_binomial_of_many(void **state)
{
    (void)state;
    /* Both branches, either side of n = 1000, against symmetry and the normal limit. */
    assert_near(mpb_stats_binomial_half(999, 499), 0.5, 1e-12);
    assert_near(mpb_stats_binomial_half(1001, 500), 0.5, 1e-10);
    assert_near(mpb_stats_binomial_half(2000, 956), 0.0258, 2e-4); /* z = (956.5-1000)/sqrt(500) */
}

static void test_sign_p(void **state)
{
    (void)state;
    const double up6[] = {1, 2, 3, 4, 5, 6}, mixed[] = {-1, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    const double zeros[] = {0, 0, 0, 0, 0, 0, 0};
    assert_near(mpb_stats_sign_p(up6, 6), 2.0 / 64, 0);
    assert_near(mpb_stats_sign_p(up6, 5), 2.0 / 32, 0);
    assert_near(mpb_stats_sign_p(mixed, 10), 2 * 11.0 / 1024, 1e-15);
    assert_near(mpb_stats_sign_p(zeros, 7), 1, 0);
    assert_near(mpb_stats_sign_p(zeros, 0), 1, 0);
}

static void test_sign_p_is_never_zero(void **state)
{
    (void)state;
    enum { N = 5000 };
    double *x = calloc(N, sizeof(*x));
    assert_non_null(x);
    for (size_t i = 0; i < N; i++) {
        x[i] = 1;
    }
    for (size_t n = 1; n <= N; n += 37) {
        double p = mpb_stats_sign_p(x, n);
        assert_true(p > 0 && p <= 1);
    }
    free(x);
}

static void test_interval_ranks(void **state)
{
    (void)state;
    /* Published ranks of the 95 % sign interval (k-th smallest and largest): n 6..8: 1, 9..11: 2,
     * 12..14: 3, 15..16: 4, 17..19: 5, 20: 6, 25: 8, 30: 10, 40: 14, 50: 18. */
    static const struct {
        size_t n, k;
    } table[] = {{6, 1},  {8, 1},  {9, 2},  {11, 2}, {12, 3},  {14, 3},  {15, 4}, {16, 4},
                 {17, 5}, {19, 5}, {20, 6}, {25, 8}, {30, 10}, {40, 14}, {50, 18}};
    double x[64], low = 0, high = 0;
    for (size_t i = 0; i < 64; i++) {
        x[i] = (double)i + 1;
    }
    for (size_t i = 0; i < MPB_ARRAY_LEN(table); i++) {
        assert_true(mpb_stats_sign_interval(x, table[i].n, 0.05, &low, &high));
        assert_near(low, (double)table[i].k, 0);
        assert_near(high, (double)(table[i].n + 1 - table[i].k), 0);
    }
}

static void test_no_interval_below_six(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, 5};
    double low = -7, high = -7;
    for (size_t n = 0; n <= 5; n++) {
        assert_false(mpb_stats_sign_interval(x, n, 0.05, &low, &high));
    }
    assert_near(low, -7, 0);
    assert_near(high, -7, 0);
}

static void test_p_and_interval_agree(void **state)
{
    (void)state;
    unsigned seed = 5;
    double x[40], low = 0, high = 0;
    for (int trial = 0; trial < 4000; trial++) {
        size_t n = 6 + (size_t)(uniform(&seed) * 34);
        double shift = uniform(&seed) * 4 - 2;
        for (size_t i = 0; i < n; i++) {
            x[i] = floor(normal(&seed) * 2 + shift); /* many zeros and ties */
        }
        mpb_stats_sort(x, n);
        assert_true(mpb_stats_sign_interval(x, n, 0.05, &low, &high));
        bool excludes = low > 0 || high < 0;
        assert_int_equal(excludes, mpb_stats_sign_p(x, n) <= 0.05);
    }
}

static void test_mirror_and_scale(void **state)
{
    (void)state;
    unsigned seed = 9;
    double x[33], y[33], z[33], lx = 0, hx = 0, ly = 0, hy = 0;
    for (size_t n = 6; n <= 33; n++) {
        for (size_t i = 0; i < n; i++) {
            x[i] = normal(&seed) + 0.4;
            y[i] = -x[i];
            z[i] = x[i] * 8;
        }
        mpb_stats_sort(x, n);
        mpb_stats_sort(y, n);
        mpb_stats_sort(z, n);
        assert_true(mpb_stats_sign_interval(x, n, 0.05, &lx, &hx));
        assert_true(mpb_stats_sign_interval(y, n, 0.05, &ly, &hy));
        assert_near(lx, -hy, 0);
        assert_near(hx, -ly, 0);
        assert_near(mpb_stats_median(x, n), -mpb_stats_median(y, n), 1e-15);
        assert_near(mpb_stats_trimmed_mean(x, n, 0.2), -mpb_stats_trimmed_mean(y, n, 0.2), 1e-14);
        assert_near(mpb_stats_sign_p(x, n), mpb_stats_sign_p(y, n), 0);
        assert_near(mpb_stats_mad(x, n), mpb_stats_mad(y, n), 1e-14);
        assert_near(mpb_stats_median(z, n), 8 * mpb_stats_median(x, n), 1e-14);
        assert_near(mpb_stats_mad(z, n), 8 * mpb_stats_mad(x, n), 1e-13);
    }
}

static void test_infinite_values_have_ranks(void **state)
{
    (void)state;
    double x[] = {-INFINITY, 1, 2, 3, 4, 5, 6, 7, 8, INFINITY}, low = 0, high = 0;
    assert_near(mpb_stats_median(x, 10), 4.5, 0);
    assert_near(mpb_stats_trimmed_mean(x, 10, 0.2), 4.5, 1e-15);
    assert_true(isfinite(mpb_stats_mad(x, 10)));
    assert_true(mpb_stats_sign_interval(x, 10, 0.05, &low, &high));
    assert_near(low, 1, 0);
    assert_near(high, 8, 0);
}

/* Simulated power at the effect that the formula names. */
static void test_mde_has_its_power(void **state)
{
    (void)state;
    static const size_t sizes[] = {6, 12, 24, 48};
    unsigned seed = 77;
    for (size_t s = 0; s < MPB_ARRAY_LEN(sizes); s++) {
        size_t n = sizes[s], seen = 0;
        enum { TRIALS = 4000 };
        double x[48], effect = mpb_stats_sign_mde(2, n, 0.05, 0.8), low = 0, high = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            for (size_t i = 0; i < n; i++) {
                x[i] = 2 * normal(&seed) + effect;
            }
            mpb_stats_sort(x, n);
            seen += mpb_stats_sign_interval(x, n, 0.05, &low, &high) && low > 0;
        }
        assert_near((double)seen / TRIALS, 0.8, 0.03);
    }
}

static void test_mde_edges(void **state)
{
    (void)state;
    assert_true(isnan(mpb_stats_sign_mde(1, 5, 0.05, 0.8)));
    assert_true(isnan(mpb_stats_sign_mde(NAN, 12, 0.05, 0.8)));
    assert_near(mpb_stats_sign_mde(0, 12, 0.05, 0.8), 0, 0);
    assert_true(mpb_stats_sign_mde(1, 48, 0.05, 0.8) < mpb_stats_sign_mde(1, 12, 0.05, 0.8));
}

/* The error rate: random signs, every pattern of 12 blocks. */
static void test_false_claims_by_enumeration(void **state)
{
    (void)state;
    unsigned claims = 0;
    for (unsigned pattern = 0; pattern < 1u << 12; pattern++) {
        double x[12];
        for (unsigned i = 0; i < 12; i++) {
            x[i] = (pattern >> i & 1u) != 0 ? i + 1.0 : -(i + 1.0);
        }
        mpb_stats_sort(x, 12);
        claims += mpb_stats_sign_p(x, 12) <= 0.05;
    }
    assert_int_equal(claims, 2 * (1 + 12 + 66)); /* at most 2 of 12 against: 3.9 % */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_median),
        cmocka_unit_test(test_median_of_equal_values_is_that_value),
        cmocka_unit_test(test_trimmed_mean),
        cmocka_unit_test(test_mad_is_its_definition),
        cmocka_unit_test(test_binomial_table),
        cmocka_unit_test(test_binomial_by_enumeration),
        cmocka_unit_test(test_binomial_of_many),
        cmocka_unit_test(test_sign_p),
        cmocka_unit_test(test_sign_p_is_never_zero),
        cmocka_unit_test(test_interval_ranks),
        cmocka_unit_test(test_no_interval_below_six),
        cmocka_unit_test(test_p_and_interval_agree),
        cmocka_unit_test(test_mirror_and_scale),
        cmocka_unit_test(test_infinite_values_have_ranks),
        cmocka_unit_test(test_mde_has_its_power),
        cmocka_unit_test(test_mde_edges),
        cmocka_unit_test(test_false_claims_by_enumeration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
