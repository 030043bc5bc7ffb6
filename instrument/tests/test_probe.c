/* test_probe.c: counters per thread and site, reset, live and peak; and the macros' off form,
 * which this file is compiled with once (MPB_PROBES=0) and once on (MPB_PROBES=1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "instrument/heap.h"
#include "instrument/probe.h"

#include <malloc.h>
#include <pthread.h>
#include <string.h>

static uint64_t total(enum mpb_metric metric)
{
    struct mpb_probe_counts counts;
    mpb_probe_read(&counts);
    return mpb_probe_total(&counts, metric);
}

static uint64_t at(enum mpb_site site, enum mpb_metric metric)
{
    struct mpb_probe_counts counts;
    mpb_probe_read(&counts);
    return counts.at[site][metric];
}

static uint64_t evaluated(int *n_calls)
{
    ++*n_calls;
    return 5;
}

static void arguments_are_evaluated_only_when_on(void **state)
{
    (void)state;
    int n_calls = 0;
    mpb_probe_reset();
    MPB_PROBE_ADD(DECODES, evaluated(&n_calls));
    assert_int_equal(n_calls, MPB_PROBES);
    assert_int_equal(total(MPB_METRIC_DECODES), MPB_PROBES ? 5 : 0);
}

static void the_macro_is_one_statement(void **state)
{
    (void)state;
    int n_calls = 0;
    mpb_probe_reset();
    if (n_calls == 1)
        MPB_PROBE_ADD(DECODES, 1);
    else
        MPB_PROBE_ADD(HASHES, 1);
    assert_int_equal(total(MPB_METRIC_DECODES), 0);
    assert_int_equal(total(MPB_METRIC_HASHES), MPB_PROBES);
}

static void heap_macros_count_only_when_on(void **state)
{
    (void)state;
    mpb_probe_reset();
    MPB_PROBE_SITE(MPB_SITE_APP);
    void *p = mpb_heap_alloc(1000);
    assert_non_null(p);
    uint64_t usable = malloc_usable_size(p);
    mpb_heap_free(p);
    mpb_heap_free(NULL);
    MPB_PROBE_SITE(MPB_SITE_OTHER);
    assert_int_equal(at(MPB_SITE_APP, MPB_METRIC_ALLOCS), MPB_PROBES);
    assert_int_equal(at(MPB_SITE_APP, MPB_METRIC_REQUESTED_BYTES), MPB_PROBES ? 1000 : 0);
    assert_int_equal(at(MPB_SITE_APP, MPB_METRIC_USABLE_BYTES), MPB_PROBES ? usable : 0);
    assert_int_equal(at(MPB_SITE_APP, MPB_METRIC_FREES), MPB_PROBES);
    assert_int_equal(at(MPB_SITE_APP, MPB_METRIC_FREED_BYTES), MPB_PROBES ? usable : 0);
    assert_int_equal(at(MPB_SITE_OTHER, MPB_METRIC_ALLOCS), 0);
}

/* From here on the targets are called directly: they exist whatever MPB_PROBES is. */

static void counts_belong_to_the_current_site(void **state)
{
    (void)state;
    mpb_probe_reset();
    mpb_probe_site_(MPB_SITE_VALIDATOR);
    mpb_probe_add_(MPB_METRIC_HASHES, 2);
    mpb_probe_site_(MPB_SITE_ARCHIVE);
    mpb_probe_add_(MPB_METRIC_HASHES, 3);
    mpb_probe_add_(MPB_METRIC_HASHED_BYTES, 65000);
    mpb_probe_site_(MPB_SITE_OTHER);
    assert_int_equal(at(MPB_SITE_VALIDATOR, MPB_METRIC_HASHES), 2);
    assert_int_equal(at(MPB_SITE_ARCHIVE, MPB_METRIC_HASHES), 3);
    assert_int_equal(at(MPB_SITE_OTHER, MPB_METRIC_HASHES), 0);
    assert_int_equal(total(MPB_METRIC_HASHES), 5);
    assert_int_equal(total(MPB_METRIC_HASHED_BYTES), 65000);
}

static void reset_zeroes_counts_and_keeps_live(void **state)
{
    (void)state;
    void *kept = malloc(5000), *gone = malloc(9000);
    assert_true(kept != NULL && gone != NULL);
    int64_t kept_bytes = (int64_t)malloc_usable_size(kept);
    int64_t gone_bytes = (int64_t)malloc_usable_size(gone);
    struct mpb_probe_counts c;
    mpb_probe_read(&c);
    int64_t base = c.live_bytes;
    mpb_probe_reset();
    mpb_probe_alloc_(kept, 5000);
    mpb_probe_alloc_(gone, 9000);
    mpb_probe_free_(gone);
    mpb_probe_read(&c);
    assert_int_equal(c.live_bytes - base, kept_bytes);
    assert_int_equal(c.peak_bytes - base, kept_bytes + gone_bytes);

    mpb_probe_reset();
    mpb_probe_read(&c);
    assert_int_equal(mpb_probe_total(&c, MPB_METRIC_ALLOCS), 0);
    assert_int_equal(mpb_probe_total(&c, MPB_METRIC_FREED_BYTES), 0);
    assert_int_equal(c.live_bytes - base, kept_bytes);
    assert_int_equal(c.peak_bytes, c.live_bytes);

    mpb_probe_free_(kept);
    mpb_probe_read(&c);
    assert_int_equal(c.live_bytes, base);
    assert_int_equal(c.peak_bytes - base, kept_bytes);
    free(kept);
    free(gone);
}

static void null_is_no_allocation(void **state)
{
    (void)state;
    mpb_probe_reset();
    mpb_probe_alloc_(NULL, 100);
    mpb_probe_free_(NULL);
    assert_int_equal(total(MPB_METRIC_ALLOCS), 0);
    assert_int_equal(total(MPB_METRIC_REQUESTED_BYTES), 0);
    assert_int_equal(total(MPB_METRIC_FREES), 0);
}

static void *count_in_a_thread(void *seen)
{
    struct mpb_probe_counts counts;
    mpb_probe_read(&counts);
    uint64_t at_start = mpb_probe_total(&counts, MPB_METRIC_COPIES);
    mpb_probe_site_(MPB_SITE_PUSH);
    mpb_probe_add_(MPB_METRIC_COPIES, 4);
    mpb_probe_read(&counts);
    *(uint64_t *)seen = at_start * 1000 + mpb_probe_total(&counts, MPB_METRIC_COPIES);
    return NULL;
}

static void threads_do_not_share(void **state)
{
    (void)state;
    mpb_probe_reset();
    mpb_probe_site_(MPB_SITE_TRACE);
    mpb_probe_add_(MPB_METRIC_COPIES, 7);
    uint64_t seen = 0;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, count_in_a_thread, &seen), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(seen, 4);
    assert_int_equal(total(MPB_METRIC_COPIES), 7);
    mpb_probe_add_(MPB_METRIC_COPIES, 1);
    assert_int_equal(at(MPB_SITE_TRACE, MPB_METRIC_COPIES), 8);
    mpb_probe_site_(MPB_SITE_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_evaluated_only_when_on),
        cmocka_unit_test(the_macro_is_one_statement),
        cmocka_unit_test(heap_macros_count_only_when_on),
        cmocka_unit_test(counts_belong_to_the_current_site),
        cmocka_unit_test(reset_zeroes_counts_and_keeps_live),
        cmocka_unit_test(null_is_no_allocation),
        cmocka_unit_test(threads_do_not_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
