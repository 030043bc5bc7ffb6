/* macro_rows.c: the rows of a macro session: times, fates, counters, node by node. */
#include "workloads/macro.h"

#define SATURATION 0.99 /* of the asked rate; less is not keeping up */

/* Whose rows: the two nodes, and what the receiver did for other connections, as "hostile". */
enum { PARTY_HOSTILE = MPB_RELAY__COUNT, PARTY__COUNT };
struct party {
    const char *name;
    const struct mpb_account *account;
    const struct mpb_relay_result *node; /* NULL: not a node */
};

/* Fills party[PARTY__COUNT]; returns how many there are. */
static size_t list_parties(const struct mpb_macro *m, struct party *party)
{
    const struct mpb_relay_result *r = m->shared->result;
    party[MPB_RELAY_PUBLISHER] =
        (struct party){"publisher", &r[MPB_RELAY_PUBLISHER].own, &r[MPB_RELAY_PUBLISHER]};
    party[MPB_RELAY_RECEIVER] =
        (struct party){"receiver", &r[MPB_RELAY_RECEIVER].own, &r[MPB_RELAY_RECEIVER]};
    party[PARTY_HOSTILE] = (struct party){"hostile", &r[MPB_RELAY_RECEIVER].guests, NULL};
    bool has_guests = m->attacker != NULL || r[MPB_RELAY_RECEIVER].n_guests > 0;
    return has_guests ? PARTY__COUNT : PARTY_HOSTILE;
}

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

/* The bare row is the total, the parts are each party's. */
static void emit_sum(struct mpb_emit *emit, enum mpb_metric metric, const struct party *party,
                     size_t n, const uint64_t *value)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        total += value[i];
    }
    mpb_emit_integer(emit, 1, metric, NULL, total);
    for (size_t i = 0; i < n; i++) {
        emit->node = party[i].name;
        mpb_emit_integer(emit, 1, metric, NULL, value[i]);
    }
    emit->node = NULL;
}

/* A party's rejections or drops: its total, then each reason that occurred. */
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

static uint64_t emit_rejected(struct mpb_emit *emit, const struct party *party)
{
    const char *names[MPB_STATUS__COUNT];
    for (size_t i = 0; i < MPB_STATUS__COUNT; i++) {
        names[i] = mpb_status_name((enum mpb_status)(-1 - (int)i));
    }
    return emit_reasons(emit, MPB_METRIC_REJECTED, party->account->node.rejected_by_codec, names,
                        MPB_STATUS__COUNT);
}

static uint64_t emit_dropped(struct mpb_emit *emit, const struct party *party)
{
    enum { N = MPB_DROP__COUNT + MPB_PUSH_DROP__COUNT };
    uint64_t count[N];
    const char *names[N];
    for (size_t i = 0; i < MPB_DROP__COUNT; i++) {
        count[i] = party->account->gossip.dropped[i];
        names[i] = mpb_gossip_drop_name((enum mpb_drop)i);
    }
    for (size_t i = 0; i < MPB_PUSH_DROP__COUNT; i++) {
        count[MPB_DROP__COUNT + i] = party->node != NULL ? party->node->fanout.dropped[i] : 0;
        names[MPB_DROP__COUNT + i] = mpb_fanout_drop_name((enum mpb_push_drop)i);
    }
    return emit_reasons(emit, MPB_METRIC_DROPPED, count, names, N);
}

static uint64_t emit_refused(struct mpb_emit *emit, const struct party *party)
{
    const char *names[MPB_REFUSAL__COUNT];
    for (size_t i = 0; i < MPB_REFUSAL__COUNT; i++) {
        names[i] = mpb_archive_refusal_name((enum mpb_refusal)i);
    }
    return emit_reasons(emit, MPB_METRIC_REFUSED, party->account->node.refused, names,
                        MPB_REFUSAL__COUNT);
}

typedef uint64_t (*emit_reasons_fn)(struct mpb_emit *emit, const struct party *party);

static void emit_fates(const struct mpb_macro *m, const struct party *party, size_t n,
                       struct mpb_emit *emit)
{
    static const struct {
        enum mpb_metric metric;
        emit_reasons_fn emit;
    } reasons[] = {{MPB_METRIC_REJECTED, emit_rejected},
                   {MPB_METRIC_DROPPED, emit_dropped},
                   {MPB_METRIC_REFUSED, emit_refused}};
    uint64_t delivered[PARTY__COUNT], archived[PARTY__COUNT], pushed[PARTY__COUNT];
    for (size_t i = 0; i < n; i++) {
        delivered[i] = party[i].account->node.delivered;
        archived[i] = party[i].account->node.archived;
        pushed[i] = party[i].account->node.pushed;
    }
    mpb_emit_integer(emit, 1, MPB_METRIC_MESSAGES, NULL, m->cfg->n_messages);
    mpb_emit_integer(emit, 1, MPB_METRIC_PAYLOAD_BYTES, NULL,
                     mpb_workload_payload_sum(m->workload, m->cfg->n_warmup, m->cfg->n_messages));
    emit_sum(emit, MPB_METRIC_DELIVERED, party, n, delivered);
    emit_sum(emit, MPB_METRIC_ARCHIVED, party, n, archived);
    emit_sum(emit, MPB_METRIC_PUSHED, party, n, pushed);
    for (size_t k = 0; k < MPB_ARRAY_LEN(reasons); k++) {
        uint64_t total = 0;
        for (size_t i = 0; i < n; i++) {
            emit->node = party[i].name;
            total += reasons[k].emit(emit, &party[i]);
        }
        emit->node = NULL;
        mpb_emit_integer(emit, 1, reasons[k].metric, NULL, total);
    }
    mpb_emit_integer(emit, 1, MPB_METRIC_DIGEST, NULL,
                     party[MPB_RELAY_RECEIVER].node->ledger[1].digest);
}

static void emit_retained(const struct mpb_relay_result *r, struct mpb_emit *emit)
{
    static const char *const owners[] = {
#define MPB_X(id, name) name,
        MPB_RELAY_OWNER_LIST(MPB_X)
#undef MPB_X
    };
    for (size_t i = 0; i < MPB_RELAY_OWNER__COUNT; i++) {
        mpb_emit_integer(emit, 1, MPB_METRIC_RETAINED_HALF_BYTES, owners[i], r->half.bytes[i]);
        mpb_emit_integer(emit, 1, MPB_METRIC_RETAINED_BYTES, owners[i], r->retained.bytes[i]);
    }
}

/* live and peak of the hostile party are within the receiver's peak, so they are no summands. */
static void emit_counters(const struct party *party, size_t n, struct mpb_emit *emit)
{
    struct mpb_account sum = {.gossip = {0}};
    for (size_t i = 0; i < n; i++) {
        mpb_account_add(&sum, party[i].account);
        sum.counts.peak_bytes += i < PARTY_HOSTILE ? party[i].account->counts.peak_bytes : 0;
    }
    mpb_recorder_emit_counters(&sum.counts, false, 1, emit);
    for (size_t i = 0; i < n; i++) {
        emit->node = party[i].name;
        mpb_recorder_emit_counters(&party[i].account->counts, true, 1, emit);
        if (party[i].node != NULL) {
            emit_retained(party[i].node, emit);
        }
    }
    emit->node = NULL;
}

/* What is measured of each node's thread, the guests' part in it included. */
static void emit_usage(const struct mpb_macro *m, const struct party *party, struct mpb_emit *emit)
{
    const struct mpb_relay_result *r = m->shared->result;
    uint64_t cpu[MPB_RELAY__COUNT];
    uint64_t n = m->cfg->n_messages;
    for (size_t i = 0; i < MPB_RELAY__COUNT; i++) {
        emit->node = party[i].name;
        mpb_recorder_emit_usage(&r[i].usage, 1, emit);
        cpu[i] = r[i].cpu_ns;
        mpb_emit_integer(emit, 1, MPB_METRIC_CPU_PER_MSG, NULL, (cpu[i] + n / 2) / n);
    }
    emit->node = NULL;
    mpb_emit_integer(emit, 1, MPB_METRIC_CPU_PER_MSG, NULL, (cpu[0] + cpu[1] + n / 2) / n);
    emit_sum(emit, MPB_METRIC_CPU, party, MPB_RELAY__COUNT, cpu);
}

static void emit_totals(const struct mpb_macro *m, const struct party *party, size_t n,
                        struct mpb_emit *emit)
{
    const struct mpb_relay_result *r = m->shared->result;
    uint64_t usable[PARTY__COUNT], freed[PARTY__COUNT];
    if (!r[MPB_RELAY_PUBLISHER].has_allocator || !r[MPB_RELAY_RECEIVER].has_allocator) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        usable[i] = party[i].account->totals.allocated_bytes;
        freed[i] = party[i].account->totals.freed_bytes;
    }
    emit_sum(emit, MPB_METRIC_USABLE_BYTES, party, n, usable);
    emit_sum(emit, MPB_METRIC_FREED_BYTES, party, n, freed);
}

void mpb_macro_rows_emit(const struct mpb_macro *macro, struct mpb_emit *emit)
{
    struct party party[PARTY__COUNT];
    size_t n = list_parties(macro, party);
    emit_fates(macro, party, n, emit);
    emit_times(macro, emit);
    if (macro->cfg->counting) {
        emit_counters(party, n, emit);
    } else {
        emit_totals(macro, party, n, emit);
    }
    emit_usage(macro, party, emit);
    mpb_recorder_emit_process(emit);
}
