/* test_plan.c: block orders as strings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "harness/plan.h"

static void spell(uint64_t seed, size_t scenario, size_t n_arms, size_t n_blocks, char *out)
{
    uint16_t order[32];
    for (size_t block = 1; block <= n_blocks; block++) {
        mpb_plan_block(seed, scenario, (uint32_t)block, n_arms, order);
        for (size_t i = 0; i < 2 * n_arms; i++) {
            *out++ = (char)('A' + order[i]);
        }
        *out++ = block < n_blocks ? ' ' : '\0';
    }
}

static void test_order_of_a_seed(void **state)
{
    (void)state;
    char text[128];
    /* Recorded seeds must give these orders for ever: sessions are read back by them. */
    spell(42, 0, 2, 6, text);
    assert_string_equal(text, "BAAB ABBA BAAB BAAB BAAB BAAB");
    spell(42, 0, 3, 3, text);
    assert_string_equal(text, "ACBBCA BCAACB ACBBCA");
    spell(7, 0, 1, 2, text);
    assert_string_equal(text, "AA AA");
}

static void test_same_seed_same_order(void **state)
{
    (void)state;
    char a[512], b[512];
    spell(123456789, 1, 2, 40, a);
    spell(123456789, 1, 2, 40, b);
    assert_string_equal(a, b);
    spell(123456790, 1, 2, 40, b);
    assert_string_not_equal(a, b);
    spell(123456789, 2, 2, 40, b);
    assert_string_not_equal(a, b);
}

static void test_block_is_a_permutation_and_its_reverse(void **state)
{
    (void)state;
    uint16_t order[32];
    for (uint64_t seed = 0; seed < 200; seed++) {
        for (size_t n = 1; n <= 16; n++) {
            unsigned seen = 0;
            mpb_plan_block(seed, 0, 1, n, order);
            for (size_t i = 0; i < n; i++) {
                seen |= 1u << order[i];
                assert_int_equal(order[i], order[2 * n - 1 - i]);
            }
            assert_int_equal(seen, (1u << n) - 1);
        }
    }
}

/* Every permutation of three arms is equally likely: chi-square with 5 degrees of freedom. */
static void test_permutations_are_uniform(void **state)
{
    (void)state;
    enum { N = 6000 };
    unsigned count[27] = {0};
    double chi = 0;
    for (uint32_t block = 1; block <= N; block++) {
        uint16_t order[6];
        mpb_plan_block(99, 0, block, 3, order);
        count[order[0] * 9 + order[1] * 3 + order[2]]++;
    }
    for (unsigned i = 0; i < 27; i++) {
        unsigned a = i / 9, b = i / 3 % 3, c = i % 3;
        if (a != b && b != c && a != c) {
            chi += (count[i] - N / 6.0) * (count[i] - N / 6.0) / (N / 6.0);
        } else {
            assert_int_equal(count[i], 0);
        }
    }
    assert_true(chi < 20.5); /* 0.1 % point */
}

/* Neighbouring blocks, and the same block under neighbouring seeds, are independent coins. */
static void test_coin_is_fair(void **state)
{
    (void)state;
    enum { N = 10000 };
    unsigned heads = 0, repeats = 0, last = 2;
    for (uint32_t block = 1; block <= N; block++) {
        uint16_t order[4];
        mpb_plan_block(1, 0, block, 2, order);
        heads += order[0] == 0;
        repeats += order[0] == last;
        last = order[0];
    }
    assert_in_range(heads, 4800, 5200);
    assert_in_range(repeats, 4800, 5200);
    heads = 0;
    for (uint64_t seed = 0; seed < N; seed++) {
        uint16_t order[4];
        mpb_plan_block(seed, 0, 1, 2, order);
        heads += order[0] == 0;
    }
    assert_in_range(heads, 4800, 5200);
}

static void test_random_seeds_differ(void **state)
{
    (void)state;
    assert_int_not_equal(mpb_plan_random_seed(), mpb_plan_random_seed());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_a_seed),
        cmocka_unit_test(test_same_seed_same_order),
        cmocka_unit_test(test_block_is_a_permutation_and_its_reverse),
        cmocka_unit_test(test_permutations_are_uniform),
        cmocka_unit_test(test_coin_is_fair),
        cmocka_unit_test(test_random_seeds_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
