/* recorder.c: measuring a run from inside. */
#include "workloads/recorder.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "workloads/arena.h"

enum mpb_status mpb_recorder_init(struct mpb_recorder *recorder, size_t cap, bool counting,
                                  struct mpb_error *err)
{
    *recorder = (struct mpb_recorder){.counting = counting, .cap = cap};
    recorder->sample_ns = mpb_arena_map(cap * sizeof(recorder->sample_ns[0]));
    if (recorder->sample_ns == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "samples", NULL);
    }
    for (size_t i = 0; i < cap; i++) {
        recorder->sample_ns[i] = 1; /* touch the pages before the first run */
    }
    recorder->has_allocator = mpb_allocator_open(&recorder->allocator, NULL) == MPB_OK;
    return MPB_OK;
}

void mpb_recorder_fini(struct mpb_recorder *recorder)
{
    mpb_arena_unmap(recorder->sample_ns, recorder->cap * sizeof(recorder->sample_ns[0]));
    recorder->sample_ns = NULL;
}

struct mpb_usage mpb_recorder_usage(void)
{
    struct rusage ru;
    getrusage(RUSAGE_THREAD, &ru);
    return (struct mpb_usage){(uint64_t)ru.ru_minflt, (uint64_t)ru.ru_majflt, (uint64_t)ru.ru_nvcsw,
                              (uint64_t)ru.ru_nivcsw};
}

struct mpb_usage mpb_recorder_usage_since(const struct mpb_usage *start)
{
    struct mpb_usage now = mpb_recorder_usage();
    return (struct mpb_usage){
        now.minor_faults - start->minor_faults, now.major_faults - start->major_faults,
        now.ctx_voluntary - start->ctx_voluntary, now.ctx_involuntary - start->ctx_involuntary};
}

void mpb_recorder_run_begin(struct mpb_recorder *recorder)
{
    recorder->n = 0;
    recorder->wall_ns = recorder->cpu_ns = recorder->clock_faults = 0;
    mpb_probe_reset();
    if (recorder->has_allocator) {
        recorder->totals_start = mpb_allocator_read(&recorder->allocator);
    }
    recorder->usage_start = mpb_recorder_usage();
    recorder->loop_start_ns = mpb_clock_now_ns();
}

void mpb_recorder_run_end(struct mpb_recorder *recorder)
{
    recorder->loop_wall_ns = mpb_clock_now_ns() - recorder->loop_start_ns;
    recorder->usage = mpb_recorder_usage_since(&recorder->usage_start);
    if (recorder->has_allocator) {
        recorder->totals = mpb_allocator_read(&recorder->allocator);
    }
    mpb_probe_read(&recorder->counts);
}

void mpb_recorder_message_begin(struct mpb_recorder *recorder)
{
    recorder->faults_start = mpb_recorder_usage().minor_faults;
    recorder->cpu_start_ns = mpb_clock_thread_cpu_ns();
    recorder->start_ns = mpb_clock_now_ns();
}

void mpb_recorder_message_end(struct mpb_recorder *recorder, uint64_t end_ns)
{
    uint64_t cpu_ns = mpb_clock_thread_cpu_ns() - recorder->cpu_start_ns;
    uint64_t wall_ns = end_ns - recorder->start_ns;
    recorder->clock_faults += mpb_recorder_usage().minor_faults - recorder->faults_start;
    recorder->cpu_ns += cpu_ns;
    recorder->wall_ns += wall_ns;
    recorder->sample_ns[recorder->n++] = wall_ns;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void mpb_recorder_sort(uint64_t *x, size_t n)
{
    qsort(x, n, sizeof(x[0]), by_value);
}

uint64_t mpb_recorder_percentile(const uint64_t *sorted, size_t n, size_t pct)
{
    size_t at = n * pct / 100;
    return sorted[at < n ? at : n - 1];
}

static void emit_times(struct mpb_recorder *r, unsigned run, struct mpb_emit *emit)
{
    mpb_emit_real(emit, run, MPB_METRIC_MSG_PER_S, (double)r->n * 1e9 / (double)r->wall_ns);
    mpb_emit_integer(emit, run, MPB_METRIC_WALL, NULL, r->wall_ns);
    mpb_emit_integer(emit, run, MPB_METRIC_CPU, NULL, r->cpu_ns);
    mpb_emit_integer(emit, run, MPB_METRIC_CPU_PER_MSG, NULL, (r->cpu_ns + r->n / 2) / r->n);
    mpb_recorder_sort(r->sample_ns, r->n);
    mpb_emit_integer(emit, run, MPB_METRIC_NS_PER_MSG_P50, NULL, r->sample_ns[r->n / 2]);
    mpb_emit_integer(emit, run, MPB_METRIC_NS_PER_MSG_P90, NULL,
                     mpb_recorder_percentile(r->sample_ns, r->n, 90));
    mpb_emit_integer(emit, run, MPB_METRIC_NS_PER_MSG_P99, NULL,
                     mpb_recorder_percentile(r->sample_ns, r->n, 99));
    mpb_emit_integer(emit, run, MPB_METRIC_NS_PER_MSG_MAX, NULL, r->sample_ns[r->n - 1]);
    mpb_emit_integer(emit, run, MPB_METRIC_LOOP_WALL, NULL, r->loop_wall_ns);
}

void mpb_recorder_emit_usage(const struct mpb_usage *usage, unsigned run, struct mpb_emit *emit)
{
    mpb_emit_integer(emit, run, MPB_METRIC_MINOR_FAULTS, NULL, usage->minor_faults);
    mpb_emit_integer(emit, run, MPB_METRIC_MAJOR_FAULTS, NULL, usage->major_faults);
    mpb_emit_integer(emit, run, MPB_METRIC_CTX_VOLUNTARY, NULL, usage->ctx_voluntary);
    mpb_emit_integer(emit, run, MPB_METRIC_CTX_INVOLUNTARY, NULL, usage->ctx_involuntary);
}

/* Every metric the probes count: the total, then each site that counted any. */
void mpb_recorder_emit_counters(const struct mpb_probe_counts *counts, bool with_sites,
                                unsigned run, struct mpb_emit *emit)
{
    static const enum mpb_metric counters[] = {
        MPB_METRIC_DECODES,       MPB_METRIC_DECODED_BYTES,   MPB_METRIC_ENCODES,
        MPB_METRIC_ENCODED_BYTES, MPB_METRIC_HASHES,          MPB_METRIC_HASHED_BYTES,
        MPB_METRIC_ID_HASHES,     MPB_METRIC_ID_HASHED_BYTES, MPB_METRIC_COPIES,
        MPB_METRIC_COPIED_BYTES,  MPB_METRIC_ALLOCS,          MPB_METRIC_FREES,
        MPB_METRIC_REALLOCS,      MPB_METRIC_REQUESTED_BYTES, MPB_METRIC_USABLE_BYTES,
        MPB_METRIC_FREED_BYTES,
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(counters); i++) {
        enum mpb_metric metric = counters[i];
        mpb_emit_integer(emit, run, metric, NULL, mpb_probe_total(counts, metric));
        for (size_t site = 0; with_sites && site < MPB_SITE__COUNT; site++) {
            uint64_t value = counts->at[site][metric];
            if (value > 0) {
                mpb_emit_integer(emit, run, metric, mpb_metric_site_info((enum mpb_site)site)->name,
                                 value);
            }
        }
    }
    mpb_emit_integer(emit, run, MPB_METRIC_LIVE_BYTES, NULL, (uint64_t)counts->live_bytes);
    mpb_emit_integer(emit, run, MPB_METRIC_PEAK_BYTES, NULL, (uint64_t)counts->peak_bytes);
}

void mpb_recorder_emit_run(struct mpb_recorder *recorder, unsigned run, struct mpb_emit *emit)
{
    emit_times(recorder, run, emit);
    mpb_recorder_emit_usage(&recorder->usage, run, emit);
    mpb_emit_integer(emit, run, MPB_METRIC_CLOCK_MINOR_FAULTS, NULL, recorder->clock_faults);
    if (recorder->counting) {
        mpb_recorder_emit_counters(&recorder->counts, true, run, emit);
    } else if (recorder->has_allocator) {
        mpb_emit_integer(emit, run, MPB_METRIC_USABLE_BYTES, NULL,
                         recorder->totals.allocated_bytes - recorder->totals_start.allocated_bytes);
        mpb_emit_integer(emit, run, MPB_METRIC_FREED_BYTES, NULL,
                         recorder->totals.freed_bytes - recorder->totals_start.freed_bytes);
    }
}

void mpb_recorder_emit_process(struct mpb_emit *emit)
{
    struct rusage ru;
    getrusage(RUSAGE_SELF, &ru);
    struct mpb_clock_quality quality = mpb_clock_measure();
    mpb_emit_integer(emit, 0, MPB_METRIC_PEAK_RSS, NULL, (uint64_t)ru.ru_maxrss * 1024);
    mpb_emit_integer(emit, 0, MPB_METRIC_CLOCK_RESOLUTION, NULL, quality.resolution_ns);
    mpb_emit_integer(emit, 0, MPB_METRIC_CLOCK_READ, NULL, quality.read_ns);
}
