/* macro_rows.c: the rows of a macro session: times, fates, counters, node by node. */
#include "workloads/macro.h"

#define SATURATION 0.99 /* of the asked rate; less is not keeping up */

static const char *const node_names[MPB_RELAY__COUNT] = {"publisher", "receiver"};

static void emit_percentiles(uint64_t *x, size_t n, const enum mpb_metric names[4],
                             struct mpb_emit *emit)
{
    if (n == 0) {
        return;
    }
    mpb_recorder_sort(x, n);
    mpb_emit_integer(emit, 1, names[0], NULL, x[n / 2]);
    mpb_emit_integer(emit, 1, names[1], NULL, mpb_recorder_percentile(x, n, 90));
    mpb_emit_integer(emit, 1, names[2], NULL, mpb_recorder_percentile(x, n, 99));
    mpb_emit_integer(emit, 1, names[3], NULL, x[n - 1]);
}

/* From the first publish until the last message's handler returned, or it was lost. */
static uint64_t wall_ns_of(const struct mpb_macro *m)
{
    const struct mpb_relay_shared *shared = m->shared;
    uint64_t end_ns = shared->sent_ns[m->total - 1];
    size_t n = shared->n_arrived[1];
    if (n > 0) {
        uint64_t last_ns = shared->done_ns[shared->arrived[shared->n_arrived[0] + n - 1]];
        end_ns = last_ns > end_ns ? last_ns : end_ns;
    }
    uint64_t wall_ns = end_ns - shared->sent_ns[m->cfg->n_warmup];
    return wall_ns > 0 ? wall_ns : 1;
}

/* Only what reached the receiver's application counts as achieved. */
static void emit_rates(const struct mpb_macro *m, struct mpb_emit *emit)
{
    uint64_t wall_ns = wall_ns_of(m), asked = m->cfg->rate_per_s;
    double achieved = (double)m->shared->n_arrived[1] * 1e9 / (double)wall_ns;
    mpb_emit_real(emit, 1, MPB_METRIC_MSG_PER_S, achieved);
    mpb_emit_integer(emit, 1, MPB_METRIC_WALL, NULL, wall_ns);
    if (asked > 0) {
        mpb_emit_real(emit, 1, MPB_METRIC_OFFERED_PER_S, (double)asked);
        mpb_emit_integer(emit, 1, MPB_METRIC_SATURATED, NULL,
                         achieved < SATURATION * (double)asked ? 1 : 0);
    }
}

/* Rates, gaps between arrivals (as the reference has them), and end-to-end times from the intended
 * send time, so that a stall is charged to every message it delayed. */
static void emit_times(const struct mpb_macro *m, struct mpb_emit *emit)
{
    static const enum mpb_metric gap[] = {MPB_METRIC_NS_PER_MSG_P50, MPB_METRIC_NS_PER_MSG_P90,
                                          MPB_METRIC_NS_PER_MSG_P99, MPB_METRIC_NS_PER_MSG_MAX};
    static const enum mpb_metric e2e[] = {MPB_METRIC_E2E_NS_P50, MPB_METRIC_E2E_NS_P90,
                                          MPB_METRIC_E2E_NS_P99, MPB_METRIC_E2E_NS_MAX};
    const struct mpb_relay_shared *shared = m->shared;
    const uint32_t *arrived = shared->arrived + shared->n_arrived[0];
    size_t n = shared->n_arrived[1];
    emit_rates(m, emit);
    for (size_t k = 1; k < n; k++) {
        m->sample_ns[k - 1] = shared->done_ns[arrived[k]] - shared->done_ns[arrived[k - 1]];
    }
    emit_percentiles(m->sample_ns, n > 0 ? n - 1 : 0, gap, emit);
    for (size_t k = 0; k < n; k++) {
        m->sample_ns[k] = shared->done_ns[arrived[k]] - shared->sent_ns[arrived[k]];
    }
    emit_percentiles(m->sample_ns, n, e2e, emit);
}

/* total is the bare row, the parts are each node's. */
static void emit_sum(struct mpb_emit *emit, enum mpb_metric metric, const uint64_t value[2])
{
    emit->node = NULL;
    mpb_emit_integer(emit, 1, metric, NULL, value[0] + value[1]);
    for (int i = 0; i < MPB_RELAY__COUNT; i++) {
        emit->node = node_names[i];
        mpb_emit_integer(emit, 1, metric, NULL, value[i]);
    }
    emit->node = NULL;
}

/* A node's rejections or drops: its total, then each reason that occurred. */
static uint64_t emit_reasons(struct mpb_emit *emit, enum mpb_metric metric, const uint64_t *count,
                             const char *const *names, size_t n)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        total += count[i];
        if (count[i] > 0) {
            mpb_emit_integer(emit, 1, metric, names[i], count[i]);
        }
    }
    mpb_emit_integer(emit, 1, metric, NULL, total);
    return total;
}

static uint64_t emit_rejected(struct mpb_emit *emit, const struct mpb_relay_result *r)
{
    uint64_t count[MPB_STATUS__COUNT];
    const char *names[MPB_STATUS__COUNT];
    for (size_t i = 0; i < MPB_STATUS__COUNT; i++) {
        count[i] = r->own.node.rejected_by_codec[i];
        names[i] = mpb_status_name((enum mpb_status)(-1 - (int)i));
    }
    return emit_reasons(emit, MPB_METRIC_REJECTED, count, names, MPB_STATUS__COUNT);
}

static uint64_t emit_dropped(struct mpb_emit *emit, const struct mpb_relay_result *r)
{
    enum { N = MPB_DROP__COUNT + MPB_PUSH_DROP__COUNT };
    uint64_t count[N];
    const char *names[N];
    for (size_t i = 0; i < MPB_DROP__COUNT; i++) {
        count[i] = r->own.gossip.dropped[i];
        names[i] = mpb_gossip_drop_name((enum mpb_drop)i);
    }
    for (size_t i = 0; i < MPB_PUSH_DROP__COUNT; i++) {
        count[MPB_DROP__COUNT + i] = r->fanout.dropped[i];
        names[MPB_DROP__COUNT + i] = mpb_fanout_drop_name((enum mpb_push_drop)i);
    }
    return emit_reasons(emit, MPB_METRIC_DROPPED, count, names, N);
}

static uint64_t emit_refused(struct mpb_emit *emit, const struct mpb_relay_result *r)
{
    uint64_t count[MPB_REFUSAL__COUNT];
    const char *names[MPB_REFUSAL__COUNT];
    for (size_t i = 0; i < MPB_REFUSAL__COUNT; i++) {
        count[i] = r->own.node.refused[i];
        names[i] = mpb_archive_refusal_name((enum mpb_refusal)i);
    }
    return emit_reasons(emit, MPB_METRIC_REFUSED, count, names, MPB_REFUSAL__COUNT);
}

typedef uint64_t (*emit_reasons_fn)(struct mpb_emit *emit, const struct mpb_relay_result *r);

static void emit_fates(const struct mpb_macro *m, struct mpb_emit *emit)
{
    static const struct {
        enum mpb_metric metric;
        emit_reasons_fn emit;
    } reasons[] = {{MPB_METRIC_REJECTED, emit_rejected},
                   {MPB_METRIC_DROPPED, emit_dropped},
                   {MPB_METRIC_REFUSED, emit_refused}};
    const struct mpb_relay_result *r = m->shared->result;
    uint64_t delivered[2], archived[2], pushed[2];
    for (int i = 0; i < MPB_RELAY__COUNT; i++) {
        delivered[i] = r[i].own.node.delivered;
        archived[i] = r[i].own.node.archived;
        pushed[i] = r[i].own.node.pushed;
    }
    mpb_emit_integer(emit, 1, MPB_METRIC_MESSAGES, NULL, m->cfg->n_messages);
    emit_sum(emit, MPB_METRIC_DELIVERED, delivered);
    emit_sum(emit, MPB_METRIC_ARCHIVED, archived);
    emit_sum(emit, MPB_METRIC_PUSHED, pushed);
    for (size_t k = 0; k < MPB_ARRAY_LEN(reasons); k++) {
        uint64_t total = 0;
        for (int i = 0; i < MPB_RELAY__COUNT; i++) {
            emit->node = node_names[i];
            total += reasons[k].emit(emit, &r[i]);
        }
        emit->node = NULL;
        mpb_emit_integer(emit, 1, reasons[k].metric, NULL, total);
    }
    mpb_emit_integer(emit, 1, MPB_METRIC_DIGEST, NULL, r[MPB_RELAY_RECEIVER].ledger[1].digest);
}

static void emit_retained(const struct mpb_relay_result *r, struct mpb_emit *emit)
{
    const struct {
        const char *owner;
        uint64_t n_bytes;
    } owned[] = {{"archive", r->archive_bytes},
                 {"message_cache", r->cache_bytes},
                 {"seen_cache", r->seen_bytes},
                 {"queue", r->queued_bytes_max}};
    for (size_t i = 0; i < MPB_ARRAY_LEN(owned); i++) {
        mpb_emit_integer(emit, 1, MPB_METRIC_RETAINED_BYTES, owned[i].owner, owned[i].n_bytes);
    }
}

static void emit_nodes(const struct mpb_macro *m, struct mpb_emit *emit)
{
    const struct mpb_relay_result *r = m->shared->result;
    uint64_t cpu[2], usable[2], freed[2];
    struct mpb_probe_counts sum = r[0].own.counts;
    for (size_t site = 0; site < MPB_SITE__COUNT; site++) {
        for (size_t metric = 0; metric < MPB_METRIC__COUNT; metric++) {
            sum.at[site][metric] += r[1].own.counts.at[site][metric];
        }
    }
    sum.live_bytes += r[1].own.counts.live_bytes;
    sum.peak_bytes += r[1].own.counts.peak_bytes;
    if (m->cfg->counting) {
        mpb_recorder_emit_counters(&sum, false, 1, emit);
    }
    for (int i = 0; i < MPB_RELAY__COUNT; i++) {
        emit->node = node_names[i];
        if (m->cfg->counting) {
            mpb_recorder_emit_counters(&r[i].own.counts, true, 1, emit);
            emit_retained(&r[i], emit);
        }
        mpb_recorder_emit_usage(&r[i].usage, 1, emit);
        cpu[i] = r[i].cpu_ns;
        usable[i] = r[i].own.totals.allocated_bytes;
        freed[i] = r[i].own.totals.freed_bytes;
    }
    emit_sum(emit, MPB_METRIC_CPU, cpu);
    if (!m->cfg->counting && r[0].has_allocator && r[1].has_allocator) {
        emit_sum(emit, MPB_METRIC_USABLE_BYTES, usable);
        emit_sum(emit, MPB_METRIC_FREED_BYTES, freed);
    }
}

void mpb_macro_emit(const struct mpb_macro *macro, struct mpb_emit *emit)
{
    emit_fates(macro, emit);
    emit_times(macro, emit);
    emit_nodes(macro, emit);
    mpb_recorder_emit_process(emit);
}
