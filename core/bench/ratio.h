/* ratio.h: how the times of two pieces of code compare, measured side by side in one process.
 *
 * Absolute times of a shared machine mean little; a ratio of two times taken within milliseconds
 * of each other does. A block runs the two sides as ABBA or BAAB, by a seeded coin, each slice
 * some milliseconds of repetitions; its value is the mean of its two log-ratios of thread CPU
 * time. Reported are the median of the blocks and the sign-test interval at 95 % or more. A bound
 * is met only if the interval's unfavourable end meets it. */
#ifndef MPB_CORE_BENCH_RATIO_H
#define MPB_CORE_BENCH_RATIO_H

#include <stdio.h>

#include "instrument/base.h"

MPB_BEGIN_DECLS

/* Do the work n times, in the calling thread. */
typedef void (*mpb_ratio_fn)(void *ctx, size_t n);

struct mpb_ratio_side {
    mpb_ratio_fn run;
    void *ctx;
};

enum mpb_ratio_sense {
    MPB_RATIO_AT_LEAST, /* low >= limit */
    MPB_RATIO_AT_MOST,  /* high <= limit */
    MPB_RATIO_WITHIN,   /* 1 / limit <= low and high <= limit */
};

/* time of top / time of bottom, per repetition. */
struct mpb_ratio {
    const char *name;
    struct mpb_ratio_side top, bottom;
    enum mpb_ratio_sense sense;
    double limit;
};

struct mpb_ratio_plan {
    uint64_t seed;
    size_t n_blocks;   /* at least 6, or there is no interval */
    uint64_t slice_ns; /* how long a slice takes at least */
};

struct mpb_ratio_result {
    double median, low, high;
    double top_ns, bottom_ns; /* the fastest slice, per repetition; for orientation */
    bool is_met;
};

/* Measure ratios[n]; each block holds all of them, in an order of its own. Blocks the thread for
 * n * n_blocks * 4 slices. False when out of memory or with fewer than 6 blocks. */
MPB_MUST_USE bool mpb_ratio_measure(const struct mpb_ratio *ratios, size_t n,
                                    const struct mpb_ratio_plan *plan,
                                    struct mpb_ratio_result *results);

/* Largest k with 2 P(X <= k) <= 0.05 for X binomial(n, 1/2): of n sorted values, the k-th to the
 * k-th last (from 0) are the sign-test interval of their median. n at least 6. */
size_t mpb_ratio_rank(size_t n);

/* Measure and print a line each: `name ratio [low, high] limit`. The main() of a bench program:
 * argv[1], if given, is the seed (else one is taken from the clock; it is printed). Returns the
 * exit status: 0, 1 if a bound is missed, 2 for a bad seed or no memory. */
int mpb_ratio_main(const struct mpb_ratio *ratios, size_t n, const struct mpb_ratio_plan *plan,
                   int argc, char *const *argv);

MPB_END_DECLS

#endif
