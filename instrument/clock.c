/* clock.c: clock readings, and their measured resolution and cost. */
#include "instrument/clock.h"

#include <stdlib.h>
#include <time.h>

static uint64_t read_clock(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts);
    return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

uint64_t mpb_clock_now_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t mpb_clock_thread_cpu_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t mpb_clock_utc_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t measure_resolution(void)
{
    uint64_t best = UINT64_MAX, last = mpb_clock_now_ns();
    for (int i = 0; i < 10000; i++) {
        uint64_t now = mpb_clock_now_ns();
        if (now > last && now - last < best) {
            best = now - last;
        }
        last = now;
    }
    return best == UINT64_MAX ? 0 : best;
}

static uint64_t measure_read(void)
{
    enum { BATCHES = 101, READS = 100 };
    uint64_t batch_ns[BATCHES];
    for (int b = 0; b < BATCHES; b++) {
        uint64_t start = mpb_clock_now_ns();
        for (int i = 0; i < READS; i++) {
            mpb_clock_now_ns();
        }
        batch_ns[b] = mpb_clock_now_ns() - start;
    }
    qsort(batch_ns, BATCHES, sizeof(batch_ns[0]), by_value);
    return (batch_ns[BATCHES / 2] + READS / 2) / (READS + 1);
}

struct mpb_clock_quality mpb_clock_measure(void)
{
    return (struct mpb_clock_quality){measure_resolution(), measure_read()};
}
