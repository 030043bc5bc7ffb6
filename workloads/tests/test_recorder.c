/* test_recorder.c: what a run says of itself: percentiles by their definition, sums, rates, and
 * counters that are the sum of their parts. */
#include "workloads/recorder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instrument/heap.h"

/* A run whose messages took the given times. */
static void record(struct mpb_recorder *recorder, const uint64_t *took_ns, size_t n)
{
    mpb_recorder_run_begin(recorder);
    for (size_t i = 0; i < n; i++) {
        mpb_recorder_message_begin(recorder);
        mpb_recorder_message_end(recorder, recorder->start_ns + took_ns[i]);
    }
    mpb_recorder_run_end(recorder);
}

static const struct mpb_emit_row *find(const struct mpb_emit *emit, unsigned run,
                                       enum mpb_metric metric, const char *part)
{
    const struct mpb_emit_row *found = NULL;
    for (size_t i = 0; i < emit->n; i++) {
        const struct mpb_emit_row *row = &emit->row[i];
        bool is_part =
            part == NULL ? row->part == NULL : row->part != NULL && strcmp(row->part, part) == 0;
        if (row->run == run && row->metric == metric && is_part) {
            assert_null(found); /* once */
            found = row;
        }
    }
    return found;
}

static uint64_t integer_of(const struct mpb_emit *emit, unsigned run, enum mpb_metric metric,
                           const char *part)
{
    const struct mpb_emit_row *row = find(emit, run, metric, part);
    if (row == NULL || !row->is_integer) {
        fail_msg("no integer row %s", mpb_metric_info(metric)->name);
        return 0;
    }
    return row->integer;
}

static uint64_t integer(const struct mpb_emit *emit, enum mpb_metric metric)
{
    return integer_of(emit, 1, metric, NULL);
}

static double rate_of(const struct mpb_emit *emit)
{
    const struct mpb_emit_row *row = find(emit, 1, MPB_METRIC_MSG_PER_S, NULL);
    return row != NULL && !row->is_integer ? row->real : -1;
}

/* sorted[n/2], sorted[min(n-1, n*90/100)], sorted[min(n-1, n*99/100)]: with times 1..n in any
 * order, sorted[i] is i + 1. */
static void check_percentiles(size_t n, uint64_t p50, uint64_t p90, uint64_t p99)
{
    struct mpb_recorder recorder;
    struct mpb_emit emit = {.scenario = "micro"};
    uint64_t *took_ns = calloc(n, sizeof(*took_ns));
    for (size_t i = 0; i < n; i++) {
        took_ns[i] = (i * 7 + 3) % n + 1; /* n is no multiple of 7 */
    }
    assert_int_equal(mpb_recorder_init(&recorder, n, false, NULL), MPB_OK);
    record(&recorder, took_ns, n);
    mpb_recorder_emit_run(&recorder, 1, &emit);
    uint64_t wall_ns = (uint64_t)n * (n + 1) / 2;
    assert_int_equal(integer(&emit, MPB_METRIC_NS_PER_MSG_P50), p50);
    assert_int_equal(integer(&emit, MPB_METRIC_NS_PER_MSG_P90), p90);
    assert_int_equal(integer(&emit, MPB_METRIC_NS_PER_MSG_P99), p99);
    assert_int_equal(integer(&emit, MPB_METRIC_NS_PER_MSG_MAX), n);
    assert_int_equal(integer(&emit, MPB_METRIC_WALL), wall_ns);
    double rate = rate_of(&emit);
    double expected = (double)n * 1e9 / (double)wall_ns;
    assert_true(rate > expected * 0.999999 && rate < expected * 1.000001);
    mpb_emit_fini(&emit);
    mpb_recorder_fini(&recorder);
    free(took_ns);
}

static void test_percentiles(void **state)
{
    (void)state;
    check_percentiles(1, 1, 1, 1);
    check_percentiles(2, 2, 2, 2);
    check_percentiles(3, 2, 3, 3);
    check_percentiles(10, 6, 10, 10);
    check_percentiles(99, 50, 90, 99);
    check_percentiles(100, 51, 91, 100);
    check_percentiles(101, 51, 91, 100);
    check_percentiles(1000, 501, 901, 991);
}

/* A second run starts from nothing. */
static void test_runs_are_apart(void **state)
{
    (void)state;
    static const uint64_t slow[] = {100, 300, 200, 400}, fast[] = {5, 1};
    struct mpb_recorder recorder;
    struct mpb_emit first = {.scenario = "micro"}, second = {.scenario = "micro"};
    assert_int_equal(mpb_recorder_init(&recorder, 4, true, NULL), MPB_OK);
    record(&recorder, slow, 4);
    mpb_recorder_emit_run(&recorder, 1, &first);
    record(&recorder, fast, 2);
    mpb_recorder_emit_run(&recorder, 1, &second);
    assert_int_equal(integer(&first, MPB_METRIC_WALL), 1000);
    assert_int_equal(integer(&second, MPB_METRIC_WALL), 6);
    assert_int_equal(integer(&second, MPB_METRIC_NS_PER_MSG_MAX), 5);
    assert_true(integer(&first, MPB_METRIC_LOOP_WALL) > 0);
    mpb_emit_fini(&first);
    mpb_emit_fini(&second);
    mpb_recorder_fini(&recorder);
}

/* Counters: the bare name is the sum of its sites, and sites without a count have no row. */
static void test_counters(void **state)
{
    (void)state;
    struct mpb_recorder recorder;
    struct mpb_emit emit = {.scenario = "micro"};
    assert_int_equal(mpb_recorder_init(&recorder, 1, true, NULL), MPB_OK);
    mpb_probe_site_(MPB_SITE_APP);
    mpb_probe_add_(MPB_METRIC_COPIES, 50); /* before the run: not counted */
    mpb_recorder_run_begin(&recorder);
    mpb_probe_site_(MPB_SITE_VALIDATOR);
    mpb_probe_add_(MPB_METRIC_COPIES, 3);
    mpb_probe_site_(MPB_SITE_ARCHIVE);
    mpb_probe_add_(MPB_METRIC_COPIES, 4);
    mpb_recorder_message_begin(&recorder);
    mpb_recorder_message_end(&recorder, recorder.start_ns + 1);
    mpb_recorder_run_end(&recorder);
    mpb_probe_add_(MPB_METRIC_COPIES, 60); /* behind it: neither */
    mpb_recorder_emit_run(&recorder, 1, &emit);
    assert_int_equal(integer(&emit, MPB_METRIC_COPIES), 7);
    assert_int_equal(integer_of(&emit, 1, MPB_METRIC_COPIES, "validator"), 3);
    assert_int_equal(integer_of(&emit, 1, MPB_METRIC_COPIES, "archive"), 4);
    assert_null(find(&emit, 1, MPB_METRIC_COPIES, "app"));
    assert_int_equal(integer(&emit, MPB_METRIC_HASHES), 0);
    assert_null(find(&emit, 1, MPB_METRIC_HASHES, "validator"));
    mpb_emit_fini(&emit);
    mpb_recorder_fini(&recorder);
}

/* Without probes: the allocator's own totals, of this run alone; where it keeps none (under a
 * sanitizer), no row rather than a zero. */
static void test_allocator_totals(void **state)
{
    (void)state;
    struct mpb_recorder recorder;
    struct mpb_emit emit = {.scenario = "micro"};
    assert_int_equal(mpb_recorder_init(&recorder, 1, false, NULL), MPB_OK);
    void *volatile before = malloc(100000);
    mpb_recorder_run_begin(&recorder);
    void *volatile during = malloc(50000);
    free(during);
    mpb_recorder_message_begin(&recorder);
    mpb_recorder_message_end(&recorder, recorder.start_ns + 1);
    mpb_recorder_run_end(&recorder);
    free(before);
    mpb_recorder_emit_run(&recorder, 1, &emit);
    if (strncmp(mpb_allocator_version(), "jemalloc", 8) == 0) {
        assert_in_range(integer(&emit, MPB_METRIC_USABLE_BYTES), 50000, 60000);
        assert_int_equal(integer(&emit, MPB_METRIC_USABLE_BYTES),
                         integer(&emit, MPB_METRIC_FREED_BYTES));
    } else {
        assert_null(find(&emit, 1, MPB_METRIC_USABLE_BYTES, NULL));
        assert_null(find(&emit, 1, MPB_METRIC_FREED_BYTES, NULL));
    }
    assert_null(find(&emit, 1, MPB_METRIC_COPIES, NULL)); /* nothing is counted: no row, no zero */
    mpb_emit_fini(&emit);
    mpb_recorder_fini(&recorder);
}

static void test_process(void **state)
{
    (void)state;
    struct mpb_emit emit = {.scenario = "micro"};
    mpb_recorder_emit_process(&emit);
    assert_true(integer_of(&emit, 0, MPB_METRIC_PEAK_RSS, NULL) > 500000);
    assert_true(integer_of(&emit, 0, MPB_METRIC_CLOCK_RESOLUTION, NULL) > 0);
    assert_true(integer_of(&emit, 0, MPB_METRIC_CLOCK_READ, NULL) < 100000);
    mpb_emit_fini(&emit);
}

/* Samples and rows stay out of the measured heap and of the allocator's totals. */
static void test_records_outside_the_heap(void **state)
{
    (void)state;
    static const uint64_t took_ns[] = {1, 2, 3};
    struct mpb_recorder recorder;
    struct mpb_emit emit = {.scenario = "micro"};
    struct mpb_probe_counts counts;
    assert_int_equal(mpb_recorder_init(&recorder, 3, true, NULL), MPB_OK);
    record(&recorder, took_ns, 3);
    mpb_recorder_emit_run(&recorder, 1, &emit);
    mpb_probe_read(&counts);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_ALLOCS), 0);
    if (recorder.has_allocator) {
        assert_int_equal(recorder.totals.allocated_bytes, recorder.totals_start.allocated_bytes);
    }
    mpb_emit_fini(&emit);
    mpb_recorder_fini(&recorder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_percentiles), cmocka_unit_test(test_runs_are_apart),
        cmocka_unit_test(test_counters),    cmocka_unit_test(test_allocator_totals),
        cmocka_unit_test(test_process),     cmocka_unit_test(test_records_outside_the_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
