/* relay_measure.c: a node's run: what it counted and took, and whether it did its work. */
#include "workloads/relay.h"

void mpb_relay_measure_begin(struct mpb_relay *relay)
{
    struct mpb_relay_result *result = &relay->shared->result[relay->role];
    result->has_allocator = relay->source.allocator != NULL;
    if (relay->fanout != NULL) {
        relay->fanout_start = *mpb_fanout_stats(relay->fanout);
    }
    mpb_probe_reset();
    mpb_account_read(&relay->source, &relay->start);
    relay->start.counts = (struct mpb_probe_counts){.live_bytes = 0};
    relay->guests.bill = (struct mpb_account){.gossip = {0}};
    relay->usage_start = mpb_recorder_usage();
    relay->cpu_start_ns = mpb_clock_thread_cpu_ns();
}

static void note_pushes(struct mpb_relay *r)
{
    struct mpb_relay_result *result = &r->shared->result[r->role];
    if (r->fanout == NULL) {
        return;
    }
    const struct mpb_fanout_stats *now = mpb_fanout_stats(r->fanout);
    result->n_pushes_taken = now->taken;
    result->fanout.taken = now->taken - r->fanout_start.taken;
    for (size_t i = 0; i < MPB_PUSH_DROP__COUNT; i++) {
        result->fanout.dropped[i] = now->dropped[i] - r->fanout_start.dropped[i];
    }
}

void mpb_relay_measure_settle(struct mpb_relay *relay)
{
    struct mpb_relay_result *result = &relay->shared->result[relay->role];
    result->guests = relay->guests.bill;
    result->n_guests = relay->guests.n_met;
    result->n_turned_away = relay->guests.n_turned_away;
}

struct mpb_relay_retained mpb_relay_measure_retained(const struct mpb_relay *relay)
{
    struct mpb_relay_retained r = {{0}};
    const struct mpb_archive *archive = mpb_node_archive(relay->node);
    r.bytes[MPB_RELAY_OWNER_SEEN_CACHE] = mpb_gossip_seen_bytes(relay->gossip);
    r.bytes[MPB_RELAY_OWNER_MESSAGE_CACHE] = mpb_gossip_cache_bytes(relay->gossip);
    r.bytes[MPB_RELAY_OWNER_ARCHIVE] = archive != NULL ? mpb_archive_bytes(archive) : 0;
    if (relay->peer != NULL) {
        r.bytes[MPB_RELAY_OWNER_QUEUE] = mpb_gossip_peer_stats(relay->peer)->queued_bytes_max;
    }
    return r;
}

void mpb_relay_measure_end(struct mpb_relay *relay)
{
    struct mpb_relay_result *result = &relay->shared->result[relay->role];
    result->cpu_ns = mpb_clock_thread_cpu_ns() - relay->cpu_start_ns;
    result->usage = mpb_recorder_usage_since(&relay->usage_start);
    mpb_account_read(&relay->source, &result->own);
    mpb_account_subtract(&result->own, &relay->start);
    mpb_account_subtract(&result->own, &relay->guests.bill);
    mpb_relay_measure_settle(relay);
    note_pushes(relay);
    result->retained = mpb_relay_measure_retained(relay);
}

/* The numbers of messages first to first + n that the publisher did not lose, to out. */
static size_t list_arrived(const struct mpb_relay *r, size_t first, size_t n, uint32_t *out)
{
    size_t n_out = 0;
    for (size_t idx = first; idx < first + n; idx++) {
        if (!r->shared->lost[idx]) {
            out[n_out++] = (uint32_t)idx;
        }
    }
    return n_out;
}

/* Both nodes are done by now. The publisher delivers all to itself; the receiver whatever the
 * publisher's queue did not drop. */
enum mpb_status mpb_relay_measure_verify(const struct mpb_relay *relay, struct mpb_error *err)
{
    const struct mpb_relay_result *result = &relay->shared->result[relay->role];
    bool is_receiver = relay->role == MPB_RELAY_RECEIVER;
    struct mpb_relay_shared *shared = relay->shared;
    struct mpb_ledger_claim claim = {
        .workload = relay->workload,
        .node = relay->node,
        .run = result->ledger,
        .n_warmup = relay->cfg->n_warmup,
        .n_messages = relay->cfg->n_messages,
        .n_runs = 1,
        .archive_capacity = relay->cfg->archive_capacity,
        .no_store_sync = !is_receiver,
        .n_filter_peers = is_receiver ? relay->cfg->n_filter_peers : 0,
    };
    if (is_receiver) {
        claim.n_warmup = list_arrived(relay, 0, relay->cfg->n_warmup, shared->arrived);
        claim.n_messages = list_arrived(relay, relay->cfg->n_warmup, relay->cfg->n_messages,
                                        shared->arrived + claim.n_warmup);
        claim.index = shared->arrived;
        shared->n_arrived[0] = claim.n_warmup;
        shared->n_arrived[1] = claim.n_messages;
    }
    return mpb_ledger_verify(&claim, err);
}
