/* test_clock.c: clocks go forward and their measured quality is plausible. No threshold here
 * depends on how fast or how busy the machine is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "instrument/clock.h"

#include <time.h>

static void now_never_goes_back(void **state)
{
    (void)state;
    uint64_t first = mpb_clock_now_ns(), last = first;
    for (int i = 0; i < 100000; i++) {
        uint64_t now = mpb_clock_now_ns();
        assert_true(now >= last);
        last = now;
    }
    assert_true(last > first);
}

static void now_counts_nanoseconds(void **state)
{
    (void)state;
    const struct timespec nap = {.tv_nsec = 5000000};
    uint64_t before = mpb_clock_now_ns();
    assert_int_equal(clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL), 0);
    uint64_t slept_ns = mpb_clock_now_ns() - before;
    assert_true(slept_ns >= 5000000);
    /* A unit error (us for ns, or the reverse) is a factor of 1000; a busy machine is not. */
    assert_true(slept_ns < UINT64_C(5000000000));
}

static void cpu_time_is_work_not_sleep(void **state)
{
    (void)state;
    uint64_t before = mpb_clock_thread_cpu_ns();
    while (mpb_clock_thread_cpu_ns() == before) {
        continue;
    }
    const struct timespec nap = {.tv_nsec = 50000000};
    uint64_t cpu = mpb_clock_thread_cpu_ns(), wall = mpb_clock_now_ns();
    assert_int_equal(clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL), 0);
    cpu = mpb_clock_thread_cpu_ns() - cpu;
    wall = mpb_clock_now_ns() - wall;
    assert_true(cpu < wall / 2);
}

static void utc_is_this_century(void **state)
{
    (void)state;
    const uint64_t year_2020_ns = UINT64_C(1577836800) * 1000000000u;
    assert_true(mpb_clock_utc_ns() > year_2020_ns);
    assert_true(mpb_clock_utc_ns() < year_2020_ns * 2);
}

static void quality_is_plausible(void **state)
{
    (void)state;
    struct mpb_clock_quality q = mpb_clock_measure();
    assert_true(q.resolution_ns > 0);
    assert_true(q.resolution_ns < 20000000); /* the coarsest kernel tick is 10 ms */
    assert_true(q.read_ns > 0);
    assert_true(q.read_ns < 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(now_never_goes_back),        cmocka_unit_test(now_counts_nanoseconds),
        cmocka_unit_test(cpu_time_is_work_not_sleep), cmocka_unit_test(utc_is_this_century),
        cmocka_unit_test(quality_is_plausible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
