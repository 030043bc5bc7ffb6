/* test_rng.c: the generator against its published outputs and a second implementation, bounds
 * without bias, permutations. */
#include "workloads/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* splitmix64 as published: the state counts up by the golden ratio, the output is mixed from it. */
static uint64_t published_splitmix64(uint64_t *x)
{
    *x += 0x9E3779B97F4A7C15u;
    uint64_t z = *x;
    z ^= z >> 30;
    z *= 0xBF58476D1CE4E5B9u;
    z ^= z >> 27;
    z *= 0x94D049BB133111EBu;
    z ^= z >> 31;
    return z;
}

/* xoshiro256++, from its description as steps on four words. */
static uint64_t published_xoshiro(uint64_t s[4])
{
    uint64_t sum = s[0] + s[3];
    uint64_t result = (sum << 23 | sum >> 41) + s[0];
    uint64_t next[4] = {s[0] ^ s[1] ^ s[3], s[0] ^ s[1] ^ s[2], s[0] ^ s[2] ^ s[1] << 17,
                        s[1] ^ s[3]};
    next[3] = next[3] << 45 | next[3] >> 19;
    memcpy(s, next, sizeof(next));
    return result;
}

static void test_published_outputs(void **state)
{
    (void)state;
    static const uint64_t mixed[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                     UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                     UINT64_C(16408922859458223821)};
    static const uint64_t drawn[] = {UINT64_C(41943041),
                                     UINT64_C(58720359),
                                     UINT64_C(3588806011781223),
                                     UINT64_C(3591011842654386),
                                     UINT64_C(9228616714210784205),
                                     UINT64_C(9973669472204895162),
                                     UINT64_C(14011001112246962877),
                                     UINT64_C(12406186145184390807),
                                     UINT64_C(15849039046786891736),
                                     UINT64_C(10450023813501588000)};
    uint64_t x = 1234567;
    for (size_t i = 0; i < MPB_ARRAY_LEN(mixed); i++) {
        assert_int_equal(published_splitmix64(&x), mixed[i]);
    }
    struct mpb_rng rng = {{1, 2, 3, 4}};
    for (size_t i = 0; i < MPB_ARRAY_LEN(drawn); i++) {
        assert_int_equal(mpb_rng_next(&rng), drawn[i]);
    }
}

static void test_second_implementation(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {0, 1, 42, UINT64_MAX, UINT64_C(0x9e3779b97f4a7c15)};
    static const uint64_t streams[] = {0, 1, 2, 3, 1000, UINT64_MAX};
    for (size_t i = 0; i < MPB_ARRAY_LEN(seeds) * MPB_ARRAY_LEN(streams); i++) {
        uint64_t seed = seeds[i % MPB_ARRAY_LEN(seeds)];
        uint64_t stream = streams[i / MPB_ARRAY_LEN(seeds)], at = stream, s[4];
        at = seed ^ published_splitmix64(&at);
        for (size_t k = 0; k < 4; k++) {
            s[k] = published_splitmix64(&at);
        }
        struct mpb_rng rng;
        mpb_rng_init(&rng, seed, stream);
        for (size_t k = 0; k < 1000; k++) {
            assert_int_equal(mpb_rng_next(&rng), published_xoshiro(s));
        }
    }
}

static void test_streams_differ(void **state)
{
    (void)state;
    uint64_t first[64];
    for (uint64_t i = 0; i < 64; i++) {
        struct mpb_rng rng;
        mpb_rng_init(&rng, 42 + i / 8, i % 8);
        first[i] = mpb_rng_next(&rng);
        for (size_t k = 0; k < i; k++) {
            assert_int_not_equal(first[i], first[k]);
        }
    }
}

/* x % n of the first x at or above 2^64 mod n. */
static void test_below(void **state)
{
    (void)state;
    static const uint64_t bounds[] = {
        1,         2, 3, 7, 65536, 1000003, (UINT64_C(1) << 63) + 1, UINT64_C(0xc000000000000000),
        UINT64_MAX};
    for (size_t i = 0; i < MPB_ARRAY_LEN(bounds); i++) {
        uint64_t n = bounds[i], s[4] = {i + 1, 2, 3, 4};
        uint64_t remainder = UINT64_MAX % n == n - 1 ? 0 : UINT64_MAX % n + 1;
        struct mpb_rng rng;
        memcpy(rng.s, s, sizeof(s));
        for (size_t k = 0; k < 2000; k++) {
            uint64_t x = published_xoshiro(s);
            while (x < remainder) {
                x = published_xoshiro(s);
            }
            uint64_t drawn = mpb_rng_below(&rng, n);
            assert_true(drawn < n);
            assert_int_equal(drawn, x % n);
        }
    }
}

static void test_below_is_uniform(void **state)
{
    (void)state;
    enum { N = 7, DRAWS = 70000 };
    size_t count[N] = {0};
    struct mpb_rng rng;
    mpb_rng_init(&rng, 1, 2);
    for (size_t i = 0; i < DRAWS; i++) {
        count[mpb_rng_below(&rng, N)]++;
    }
    for (size_t i = 0; i < N; i++) {
        assert_in_range(count[i], 9500, 10500); /* five standard deviations of 93 */
    }
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void test_shuffle_permutes(void **state)
{
    (void)state;
    enum { N = 1000 };
    uint32_t x[N], before[N];
    struct mpb_rng rng;
    mpb_rng_init(&rng, 5, 5);
    for (uint32_t i = 0; i < N; i++) {
        x[i] = before[i] = i / 3;
    }
    mpb_rng_shuffle(&rng, x, N);
    assert_memory_not_equal(x, before, sizeof(x));
    qsort(x, N, sizeof(x[0]), by_value);
    assert_memory_equal(x, before, sizeof(x));
    mpb_rng_shuffle(&rng, x, 0);
    mpb_rng_shuffle(&rng, x, 1);
    assert_memory_equal(x, before, sizeof(x));
}

/* All six orders of three, equally often. */
static void test_shuffle_is_fair(void **state)
{
    (void)state;
    size_t count[27] = {0}, n_orders = 0;
    struct mpb_rng rng;
    mpb_rng_init(&rng, 9, 9);
    for (size_t i = 0; i < 60000; i++) {
        uint32_t x[] = {0, 1, 2};
        mpb_rng_shuffle(&rng, x, 3);
        count[x[0] * 9 + x[1] * 3 + x[2]]++;
    }
    for (size_t i = 0; i < MPB_ARRAY_LEN(count); i++) {
        n_orders += count[i] > 0 ? 1 : 0;
        assert_true(count[i] == 0 || (count[i] > 9500 && count[i] < 10500));
    }
    assert_int_equal(n_orders, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_outputs), cmocka_unit_test(test_second_implementation),
        cmocka_unit_test(test_streams_differ),    cmocka_unit_test(test_below),
        cmocka_unit_test(test_below_is_uniform),  cmocka_unit_test(test_shuffle_permutes),
        cmocka_unit_test(test_shuffle_is_fair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
