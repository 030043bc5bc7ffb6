/* recorder.h: what a run measures about itself: each message's clock, CPU time and page faults
 * within the clocks, the allocator's totals and the probes at the run's edges.
 *
 * Everything costly is read outside the clock: a message's clock is two readings of the monotonic
 * clock and nothing else. */
#ifndef MPB_WORKLOADS_RECORDER_H
#define MPB_WORKLOADS_RECORDER_H

#include "instrument/allocator.h"
#include "instrument/clock.h"
#include "instrument/probe.h"
#include "workloads/emit.h"

MPB_BEGIN_DECLS

struct mpb_usage {
    uint64_t minor_faults, major_faults, ctx_voluntary, ctx_involuntary;
};
/* The calling thread's, since it began; and since an earlier reading. */
struct mpb_usage mpb_recorder_usage(void);
struct mpb_usage mpb_recorder_usage_since(const struct mpb_usage *start);

struct mpb_recorder {
    bool counting;      /* probes are on in this build: report them */
    bool has_allocator; /* allocator's totals can be trusted */
    struct mpb_allocator allocator;
    uint64_t *sample_ns; /* sample_ns[cap], of which n */
    size_t n, cap;
    /* of the current run */
    uint64_t wall_ns, cpu_ns, clock_faults;
    uint64_t loop_start_ns, loop_wall_ns;
    uint64_t cpu_start_ns, faults_start, start_ns;
    struct mpb_allocator_totals totals_start, totals;
    struct mpb_usage usage_start, usage;
    struct mpb_probe_counts counts;
};

/* Ready for runs of at most cap messages. MPB_E_NOMEM. A missing allocator total is no error. */
MPB_MUST_USE enum mpb_status mpb_recorder_init(struct mpb_recorder *recorder, size_t cap,
                                               bool counting, struct mpb_error *err);
void mpb_recorder_fini(struct mpb_recorder *recorder);

void mpb_recorder_run_begin(struct mpb_recorder *recorder);
void mpb_recorder_run_end(struct mpb_recorder *recorder);

/* Around one message. start_ns is the last thing _begin does; end_ns the first thing the caller
 * does after the work. */
void mpb_recorder_message_begin(struct mpb_recorder *recorder);
void mpb_recorder_message_end(struct mpb_recorder *recorder, uint64_t end_ns);

/* The finished run's rows: times, rates, percentiles, faults, counters by site. Sorts the samples.
 */
void mpb_recorder_emit_run(struct mpb_recorder *recorder, unsigned run, struct mpb_emit *emit);
/* The rows of what the probes counted: each metric's total, and its sites if with_sites. */
void mpb_recorder_emit_counters(const struct mpb_probe_counts *counts, bool with_sites,
                                unsigned run, struct mpb_emit *emit);
void mpb_recorder_emit_usage(const struct mpb_usage *usage, unsigned run, struct mpb_emit *emit);
/* sorted[min(n-1, n*pct/100)], as the reference defines it. n > 0. */
uint64_t mpb_recorder_percentile(const uint64_t *sorted, size_t n, size_t pct);
/* Sort x[n] ascending. */
void mpb_recorder_sort(uint64_t *x, size_t n);
/* The whole process, as run 0: peak RSS, clock quality. */
void mpb_recorder_emit_process(struct mpb_emit *emit);

MPB_END_DECLS

#endif
