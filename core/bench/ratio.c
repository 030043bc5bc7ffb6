/* ratio.c: interleaved blocks of two timed sides, their median and sign-test interval. */
#include "core/bench/ratio.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/clock.h"
#include "instrument/parse.h"

#define BLOCKS_MIN 6 /* below that the sign test has no 95 % interval */

/* A ratio being measured. */
struct job {
    const struct mpb_ratio *ratio;
    size_t top_reps, bottom_reps; /* per slice */
    double top_ns, bottom_ns;     /* the fastest slice, per repetition */
    double *values;               /* [n_blocks], logarithms */
};

/* splitmix64: a public-domain generator by Sebastiano Vigna. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Fisher-Yates. The bias of the remainder is below 2^-50 for the few ratios of a program. */
static void shuffle(size_t *order, size_t n, uint64_t *state)
{
    for (size_t i = n; i > 1; i--) {
        size_t other = (size_t)(next_random(state) % i), held = order[i - 1];
        order[i - 1] = order[other];
        order[other] = held;
    }
}

static uint64_t time_slice(const struct mpb_ratio_side *side, size_t n_reps)
{
    uint64_t start = mpb_clock_thread_cpu_ns();
    side->run(side->ctx, n_reps);
    return mpb_clock_thread_cpu_ns() - start;
}

/* Repetitions that fill a slice; the calls made to find out also warm the side up. */
static size_t find_reps(const struct mpb_ratio_side *side, uint64_t slice_ns)
{
    size_t n_reps = 1;
    while (time_slice(side, n_reps) < slice_ns) {
        n_reps *= 2;
    }
    return n_reps;
}

/* Time a slice of the side; returns the logarithm of its time per repetition. */
static double slice_log(const struct mpb_ratio_side *side, size_t n_reps, double *fastest_ns)
{
    double ns = (double)time_slice(side, n_reps) / (double)n_reps;
    if (ns < *fastest_ns) {
        *fastest_ns = ns;
    }
    return log(ns);
}

static double run_block(struct job *job, bool is_top_first)
{
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        bool is_outer = i == 0 || i == 3;
        if (is_outer == is_top_first) {
            sum += slice_log(&job->ratio->top, job->top_reps, &job->top_ns);
        } else {
            sum -= slice_log(&job->ratio->bottom, job->bottom_reps, &job->bottom_ns);
        }
    }
    return sum / 2;
}

static void run_blocks(struct job *jobs, size_t *order, size_t n, const struct mpb_ratio_plan *plan)
{
    uint64_t state = plan->seed;
    for (size_t block = 0; block < plan->n_blocks; block++) {
        shuffle(order, n, &state);
        for (size_t i = 0; i < n; i++) {
            struct job *job = &jobs[order[i]];
            job->values[block] = run_block(job, next_random(&state) % 2 == 0);
        }
    }
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

size_t mpb_ratio_rank(size_t n)
{
    double term = pow(0.5, (double)n), sum = term;
    size_t k = 0;
    for (;;) {
        term *= (double)(n - k) / (double)(k + 1);
        if (2 * (sum + term) > 0.05) {
            return k;
        }
        sum += term;
        k++;
    }
}

static bool is_met(const struct mpb_ratio *ratio, const struct mpb_ratio_result *result)
{
    bool is_low_met = result->low >= ratio->limit, is_high_met = result->high <= ratio->limit;
    switch (ratio->sense) {
    case MPB_RATIO_AT_LEAST:
        return is_low_met;
    case MPB_RATIO_AT_MOST:
        return is_high_met;
    case MPB_RATIO_WITHIN:
        return result->low >= 1 / ratio->limit && is_high_met;
    }
    return false;
}

static struct mpb_ratio_result conclude(const struct job *job, size_t n_blocks)
{
    size_t k = mpb_ratio_rank(n_blocks), half = n_blocks / 2;
    double *sorted = job->values;
    qsort(sorted, n_blocks, sizeof(*sorted), compare_doubles);
    double median = n_blocks % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    struct mpb_ratio_result result = {
        .median = exp(median),
        .low = exp(sorted[k]),
        .high = exp(sorted[n_blocks - 1 - k]),
        .top_ns = job->top_ns,
        .bottom_ns = job->bottom_ns,
    };
    result.is_met = is_met(job->ratio, &result);
    return result;
}

bool mpb_ratio_measure(const struct mpb_ratio *ratios, size_t n, const struct mpb_ratio_plan *plan,
                       struct mpb_ratio_result *results)
{
    struct job *jobs = calloc(n, sizeof(*jobs));
    size_t *order = calloc(n, sizeof(*order));
    double *values = calloc(n * plan->n_blocks, sizeof(*values));
    bool is_ok = jobs != NULL && order != NULL && values != NULL && plan->n_blocks >= BLOCKS_MIN;
    for (size_t i = 0; is_ok && i < n; i++) {
        order[i] = i;
        jobs[i] = (struct job){
            .ratio = &ratios[i],
            .top_reps = find_reps(&ratios[i].top, plan->slice_ns),
            .bottom_reps = find_reps(&ratios[i].bottom, plan->slice_ns),
            .top_ns = HUGE_VAL,
            .bottom_ns = HUGE_VAL,
            .values = values + i * plan->n_blocks,
        };
    }
    if (is_ok) {
        run_blocks(jobs, order, n, plan);
    }
    for (size_t i = 0; is_ok && i < n; i++) {
        results[i] = conclude(&jobs[i], plan->n_blocks);
    }
    free(jobs);
    free(order);
    free(values);
    return is_ok;
}

static void print_result(const struct mpb_ratio *ratio, const struct mpb_ratio_result *result)
{
    static const char *const senses[] = {
        [MPB_RATIO_AT_LEAST] = ">=", [MPB_RATIO_AT_MOST] = "<=", [MPB_RATIO_WITHIN] = "within"};
    printf("%-32s %8.3f [%.3f, %.3f]  limit %s %g  %s  (%.1f ns / %.1f ns)\n", ratio->name,
           result->median, result->low, result->high, senses[ratio->sense], ratio->limit,
           result->is_met ? "met" : "MISSED", result->top_ns, result->bottom_ns);
}

int mpb_ratio_main(const struct mpb_ratio *ratios, size_t n, const struct mpb_ratio_plan *plan,
                   int argc, char *const *argv)
{
    struct mpb_ratio_plan seeded = *plan;
    struct mpb_error err = {0};
    int exit_status = 0;
    seeded.seed = mpb_clock_utc_ns();
    if (argc > 2 || (argc == 2 &&
                     mpb_parse_u64(argv[1], "seed", 0, UINT64_MAX, &seeded.seed, &err) != MPB_OK)) {
        fprintf(stderr, "%s: give a seed, or nothing\n", argv[0]);
        return 2;
    }
    struct mpb_ratio_result *results = calloc(n, sizeof(*results));
    if (results == NULL || !mpb_ratio_measure(ratios, n, &seeded, results)) {
        fprintf(stderr, "%s: out of memory\n", argv[0]);
        free(results);
        return 2;
    }
    printf("seed %" PRIu64
           ", %zu blocks; median and sign-test interval of block ratios of CPU time\n",
           seeded.seed, seeded.n_blocks);
    for (size_t i = 0; i < n; i++) {
        print_result(&ratios[i], &results[i]);
        exit_status |= !results[i].is_met;
    }
    free(results);
    return exit_status;
}
