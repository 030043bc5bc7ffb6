/* test_ratio.c: the measuring of ratios, on work whose ratio is known. */
#include "core/bench/ratio.h"

#include "core/tests/codec_vectors.h"

/* *ctx units of work; each a chain of dependent operations that a compiler cannot shorten. */
static void work(void *ctx, size_t n)
{
    const unsigned *n_units = ctx;
    uint64_t x = 1;
    for (size_t i = 0; i < n * *n_units * 64; i++) {
        x = x * 6364136223846793005 + 1;
        __asm__ volatile("" : "+r"(x));
    }
}

static void test_known_ratio(void **state)
{
    (void)state;
    unsigned one = 1, three = 3;
    const struct mpb_ratio_side short_side = {work, &one}, long_side = {work, &three};
    const struct mpb_ratio ratios[] = {
        {"met", long_side, short_side, MPB_RATIO_AT_LEAST, 2},
        {"missed", long_side, short_side, MPB_RATIO_AT_LEAST, 4.5},
        {"met", short_side, long_side, MPB_RATIO_AT_MOST, 0.5},
        {"missed", long_side, short_side, MPB_RATIO_AT_MOST, 2},
        {"met", short_side, short_side, MPB_RATIO_WITHIN, 1.5},
        {"missed above", long_side, short_side, MPB_RATIO_WITHIN, 1.5},
        {"missed below", short_side, long_side, MPB_RATIO_WITHIN, 1.5},
    };
    struct mpb_ratio_result results[MPB_ARRAY_LEN(ratios)];
    const struct mpb_ratio_plan plan = {.seed = 1, .n_blocks = 24, .slice_ns = 200000};
    assert_true(mpb_ratio_measure(ratios, MPB_ARRAY_LEN(ratios), &plan, results));
    for (size_t i = 0; i < MPB_ARRAY_LEN(ratios); i++) {
        assert_true(results[i].low <= results[i].median && results[i].median <= results[i].high);
        if (results[i].is_met != (strcmp(ratios[i].name, "met") == 0)) {
            fail_msg("%zu: %s, but %g [%g, %g]", i, ratios[i].name, results[i].median,
                     results[i].low, results[i].high);
        }
    }
    assert_true(results[0].median > 2.4 && results[0].median < 3.6);
}

static void test_too_few_blocks(void **state)
{
    (void)state;
    unsigned one = 1;
    const struct mpb_ratio ratio = {"few", {work, &one}, {work, &one}, MPB_RATIO_AT_MOST, 2};
    struct mpb_ratio_result result;
    const struct mpb_ratio_plan plan = {.seed = 1, .n_blocks = 5, .slice_ns = 1000};
    assert_false(mpb_ratio_measure(&ratio, 1, &plan, &result));
}

/* Against a published table of the sign test's critical values (two-sided 5 %). */
static void test_rank(void **state)
{
    (void)state;
    static const struct {
        size_t n, k;
    } table[] = {{6, 0}, {8, 0}, {9, 1}, {10, 1}, {12, 2}, {20, 5}, {24, 6}, {25, 7}, {40, 13}};
    for (size_t i = 0; i < MPB_ARRAY_LEN(table); i++) {
        assert_int_equal(mpb_ratio_rank(table[i].n), table[i].k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_ratio),
        cmocka_unit_test(test_too_few_blocks),
        cmocka_unit_test(test_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
