/* test_mix.c: mixes: what is refused and in which words, exact quotas, bins, order. */
#include "workloads/mix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N_MAX = 100000 };

static struct mpb_mix parse(const char *text)
{
    struct mpb_mix mix;
    struct mpb_error err = {.status = MPB_OK};
    if (mpb_mix_parse(text, "--mix", &mix, &err) != MPB_OK) {
        fail_msg("'%s': %s: %s", text, err.where, err.text);
    }
    return mix;
}

static void assert_refused(const char *text, const char *words)
{
    struct mpb_mix mix, untouched;
    struct mpb_error err = {.status = MPB_OK};
    char line[600];
    memset(&mix, 0x5a, sizeof(mix));
    untouched = mix;
    assert_int_equal(mpb_mix_parse(text, "--mix", &mix, &err), MPB_E_INPUT);
    mpb_error_format(&err, line, sizeof(line));
    assert_string_equal(line, words);
    assert_memory_equal(&mix, &untouched, sizeof(mix));
}

static void test_refusals(void **state)
{
    (void)state;
    assert_refused("sead", "--mix: unknown mix 'sead' (known: seed, fleet, boundary; or a list "
                           "SIZE:WEIGHT,...)");
    assert_refused("", "--mix: unknown mix '' (known: seed, fleet, boundary; or a list "
                       "SIZE:WEIGHT,...)");
    assert_refused("10k", "--mix: '10k': '10k' has no weight (SIZE:WEIGHT)");
    assert_refused("seed2", "--mix: 'seed2': 'seed2' has no weight (SIZE:WEIGHT)");
    assert_refused("10k:1,", "--mix: '10k:1,': '' has no weight (SIZE:WEIGHT)");
    assert_refused(",10k:1", "--mix: ',10k:1': '' has no weight (SIZE:WEIGHT)");
    assert_refused("10k:1,,9k:1", "--mix: '10k:1,,9k:1': '' has no weight (SIZE:WEIGHT)");
    assert_refused("10k:0", "--mix: '10k:0': '0' is out of range (1 to 1000000)");
    assert_refused("10k:1000001", "--mix: '10k:1000001': '1000001' is out of range (1 to 1000000)");
    assert_refused("10k:", "--mix: '10k:': '' is not a whole number (1 to 1000000)");
    assert_refused("10k:-1", "--mix: '10k:-1': '-1' is not a whole number (1 to 1000000)");
    assert_refused("10k:1.5", "--mix: '10k:1.5': '1.5' is not a whole number (1 to 1000000)");
    assert_refused("10k:1:2", "--mix: '10k:1:2': '1:2' is not a whole number (1 to 1000000)");
    assert_refused("10k: 1", "--mix: '10k: 1': ' 1' is not a whole number (1 to 1000000)");
    assert_refused(":1", "--mix: ':1': size '' does not start with a number");
    assert_refused("k:1", "--mix: 'k:1': size 'k' does not start with a number");
    assert_refused("10k:25,50kb:50", "--mix: '10k:25,50kb:50': size '50kb' has an unknown suffix "
                                     "(k = 1000, Ki = 1024, M, Mi)");
    assert_refused("7:1", "--mix: '7:1': '7' is out of range (8 to 16777216)");
    assert_refused("0:1", "--mix: '0:1': '0' is out of range (8 to 16777216)");
    assert_refused("17Mi:1", "--mix: '17Mi:1': '17Mi' is out of range (8 to 16777216)");
    assert_refused("99999999999999999999:1", "--mix: '99999999999999999999:1': size "
                                             "'99999999999999999999' does not start with a number");
    assert_refused("9-:1", "--mix: '9-:1': size '' does not start with a number");
    assert_refused("-9:1", "--mix: '-9:1': size '' does not start with a number");
    assert_refused("1-9:1", "--mix: '1-9:1': '1' is out of range (8 to 16777216)");
    assert_refused("9-8:1", "--mix: '9-8:1': '9-8' ends before it begins");
    assert_refused("10k-9999:1", "--mix: '10k-9999:1': '10k-9999' ends before it begins");
    assert_refused("8-9-10:1", "--mix: '8-9-10:1': size '9-10' has an unknown suffix (k = 1000, "
                               "Ki = 1024, M, Mi)");
}

/* "8:1,8:1,..." */
static void repeat(char *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        memcpy(out + i * 4, "8:1,", 4);
    }
    out[n * 4 - 1] = '\0';
}

static void test_limits(void **state)
{
    (void)state;
    char list[2048], where[128], words[256];
    repeat(list, 32);
    struct mpb_mix mix = parse(list);
    assert_int_equal(mix.n_bins, 32);
    repeat(list, 33);
    snprintf(where, sizeof(where), "--mix: '%.80s'", list);
    snprintf(words, sizeof(words), "%s: more than 32 sizes", where);
    assert_refused(list, words);
    repeat(list, 300);
    snprintf(words, sizeof(words), "%s: the list is too long", where);
    assert_refused(list, words);
    mix = parse("8:1,16Mi:1000000");
    assert_int_equal(mix.bin[0].low_bytes, 8);
    assert_int_equal(mix.bin[1].high_bytes, 16777216);
    assert_int_equal(mix.bin[1].weight, 1000000);
    assert_int_equal(mix.max_bytes, 16777216);
}

static void test_suffixes(void **state)
{
    (void)state;
    struct mpb_mix mix = parse("2k:1,2Ki:2,1M-1Mi:3,50:4");
    assert_int_equal(mix.n_bins, 4);
    assert_int_equal(mix.bin[0].low_bytes, 2000);
    assert_int_equal(mix.bin[0].high_bytes, 2000);
    assert_int_equal(mix.bin[1].low_bytes, 2048);
    assert_int_equal(mix.bin[2].low_bytes, 1000000);
    assert_int_equal(mix.bin[2].high_bytes, 1048576);
    assert_int_equal(mix.bin[3].weight, 4);
    assert_int_equal(mix.max_bytes, 1048576);
    mix = parse("60:1,50-300:1");
    assert_int_equal(mix.max_bytes, 300);
}

static uint32_t *fill(const struct mpb_mix *mix, uint64_t seed, size_t n)
{
    static uint32_t bytes[N_MAX + 1];
    struct mpb_rng rng;
    assert_true(n <= N_MAX);
    bytes[n] = 12345;
    mpb_rng_init(&rng, seed, 1);
    mpb_mix_fill(mix, &rng, bytes, n);
    assert_int_equal(bytes[n], 12345);
    return bytes;
}

static size_t count_between(const uint32_t *bytes, size_t n, uint32_t low, uint32_t high)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        count += bytes[i] >= low && bytes[i] <= high ? 1 : 0;
    }
    return count;
}

/* Quotas of 10/50/150 kB; ties go to the heavier size, then to the earlier. */
static void test_seed_quotas(void **state)
{
    (void)state;
    static const size_t expected[][4] = {
        {1000, 250, 500, 250}, {1, 0, 1, 0},          {2, 1, 1, 0},          {3, 1, 1, 1},
        {4, 1, 2, 1},          {1001, 250, 501, 250}, {1002, 251, 501, 250}, {0, 0, 0, 0},
    };
    struct mpb_mix mix = parse("seed");
    for (size_t i = 0; i < MPB_ARRAY_LEN(expected); i++) {
        size_t n = expected[i][0];
        const uint32_t *bytes = fill(&mix, 42, n);
        assert_int_equal(count_between(bytes, n, 10000, 10000), expected[i][1]);
        assert_int_equal(count_between(bytes, n, 50000, 50000), expected[i][2]);
        assert_int_equal(count_between(bytes, n, 150000, 150000), expected[i][3]);
    }
    for (uint64_t seed = 0; seed < 5; seed++) {
        const uint32_t *bytes = fill(&mix, seed, 1000);
        uint64_t sum = 0;
        for (size_t i = 0; i < 1000; i++) {
            sum += bytes[i];
        }
        assert_int_equal(sum, 65000000);
    }
}

static void test_fleet(void **state)
{
    (void)state;
    struct mpb_mix mix = parse("fleet");
    const uint32_t *bytes = fill(&mix, 42, N_MAX);
    /* the bins touch at their ends; each may have drawn its own */
    assert_in_range(count_between(bytes, N_MAX, 5000, 14999), 97950, 98000);
    assert_in_range(count_between(bytes, N_MAX, 15001, 37599), 990, 1000);
    assert_in_range(count_between(bytes, N_MAX, 37601, 49999), 295, 300);
    assert_in_range(count_between(bytes, N_MAX, 50001, 100000), 695, 700);
    assert_int_equal(count_between(bytes, N_MAX, 5000, 100000), N_MAX);
    /* uniform within the first: both thirds, and both ends of the range, get their share */
    assert_in_range(count_between(bytes, N_MAX, 5000, 8332), 31900, 33500);
    assert_in_range(count_between(bytes, N_MAX, 11667, 14999), 31900, 33500);
    assert_true(count_between(bytes, N_MAX, 5000, 5009) > 50);
    assert_true(count_between(bytes, N_MAX, 14990, 14999) > 50);
}

static void test_both_ends_are_included(void **state)
{
    (void)state;
    struct mpb_mix mix = parse("8-10:1");
    const uint32_t *bytes = fill(&mix, 1, 3000);
    for (uint32_t size = 8; size <= 10; size++) {
        assert_in_range(count_between(bytes, 3000, size, size), 850, 1150);
    }
    assert_int_equal(count_between(bytes, 3000, 8, 10), 3000);
}

static void test_boundary(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {65535, 65536, 65537, 153521};
    struct mpb_mix mix = parse("boundary");
    const uint32_t *bytes = fill(&mix, 42, 1002);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(count_between(bytes, 1002, sizes[i], sizes[i]), i < 2 ? 251 : 250);
    }
}

/* Largest remainders over uneven weights; 32 bins share out less than a message each. */
static void test_remainders(void **state)
{
    (void)state;
    struct mpb_mix mix = parse("8:1,9:2,10:4");
    const uint32_t *bytes = fill(&mix, 1, 10); /* 1.43, 2.86, 5.71 */
    assert_int_equal(count_between(bytes, 10, 8, 8), 1);
    assert_int_equal(count_between(bytes, 10, 9, 9), 3);
    assert_int_equal(count_between(bytes, 10, 10, 10), 6);
    mix = parse("8:1,9:3,10:3,11:1"); /* n = 2: 0.25, 0.75, 0.75, 0.25 */
    bytes = fill(&mix, 1, 2);
    assert_int_equal(count_between(bytes, 2, 9, 10), 2);
    bytes = fill(&mix, 1, 1); /* the heavier, of two the earlier */
    assert_int_equal(bytes[0], 9);
    mix = parse("8:1,9:3"); /* n = 2: 0.5, 1.5: a tie, to the heavier */
    bytes = fill(&mix, 1, 2);
    assert_int_equal(count_between(bytes, 2, 9, 9), 2);
    char list[512];
    repeat(list, 31);
    snprintf(list + strlen(list), 16, ",9:1000000");
    mix = parse(list);
    bytes = fill(&mix, 1, 1000);
    assert_int_equal(count_between(bytes, 1000, 9, 9), 1000);
    repeat(list, 32);
    list[68] = '9'; /* the 18th size, of four characters each */
    mix = parse(list);
    bytes = fill(&mix, 1, 18);
    assert_int_equal(count_between(bytes, 18, 9, 9), 1);
    bytes = fill(&mix, 1, 17);
    assert_int_equal(count_between(bytes, 17, 9, 9), 0);
}

static void test_order_is_shuffled(void **state)
{
    (void)state;
    struct mpb_mix mix = parse("seed");
    uint32_t first[1000];
    memcpy(first, fill(&mix, 42, 1000), sizeof(first));
    assert_memory_equal(first, fill(&mix, 42, 1000), sizeof(first));
    assert_memory_not_equal(first, fill(&mix, 43, 1000), sizeof(first));
    for (size_t tenth = 0; tenth < 10; tenth++) { /* each tenth has all of them */
        assert_true(count_between(first + tenth * 100, 100, 10000, 10000) > 8);
        assert_true(count_between(first + tenth * 100, 100, 150000, 150000) > 8);
    }
}

static void test_names(void **state)
{
    (void)state;
    size_t n = 0;
    const struct mpb_mix_info *all = mpb_mix_all(&n);
    assert_int_equal(n, 3);
    for (size_t i = 0; i < n; i++) {
        struct mpb_mix by_name = parse(all[i].name), by_list = parse(all[i].bins);
        assert_memory_equal(&by_name, &by_list, sizeof(by_name));
        assert_true(strlen(all[i].doc) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_suffixes),
        cmocka_unit_test(test_seed_quotas),
        cmocka_unit_test(test_fleet),
        cmocka_unit_test(test_both_ends_are_included),
        cmocka_unit_test(test_boundary),
        cmocka_unit_test(test_remainders),
        cmocka_unit_test(test_order_is_shuffled),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
