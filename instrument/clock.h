/* clock.h: the monotonic clock and a thread's CPU clock, and what a reading costs here. */
#ifndef MPB_INSTRUMENT_CLOCK_H
#define MPB_INSTRUMENT_CLOCK_H

#include "instrument/base.h"

MPB_BEGIN_DECLS

/* CLOCK_MONOTONIC in ns. An instant, comparable only within this boot. */
uint64_t mpb_clock_now_ns(void);
/* CPU time of the calling thread in ns (a system call, several times the cost of now). */
uint64_t mpb_clock_thread_cpu_ns(void);
/* Wall-clock time of day in ns since the epoch. */
uint64_t mpb_clock_utc_ns(void);

struct mpb_clock_quality {
    uint64_t resolution_ns; /* smallest non-zero step seen over 10 000 consecutive readings */
    uint64_t read_ns;       /* median over 101 batches of 100 readings, rounded */
};
/* Measure the monotonic clock. Takes about half a millisecond. */
struct mpb_clock_quality mpb_clock_measure(void);

MPB_END_DECLS

#endif
