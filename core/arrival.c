/* arrival.c: what a frame from a peer makes the router do. */
#include <string.h>

#include "core/gossip_priv.h"
#include "instrument/probe.h"

enum {
    PRUNE_BACKOFF_S = 60,
    /* Bytes waiting for a peer above which it gets no answers to IWANT: an id of 32 bytes may ask
     * for 150 KiB, and the queue's limit of messages alone would let those sum up. */
    IWANT_QUEUED_MAX = 16 << 20,
};

/* The frame being handled: whose it is, and what keeps its bytes. */
struct arrival {
    struct mpb_gossip_peer *from;
    struct mpb_buffer *rpc;
    enum mpb_status stopped; /* what stopped the parse, if not a fault of the frame's */
};

static bool is_ours(const struct mpb_gossip *g, struct mpb_bytes topic)
{
    struct mpb_bytes ours = g->cfg.pubsub_topic;
    return topic.len == ours.len && (ours.len == 0 || memcmp(topic.data, ours.data, ours.len) == 0);
}

static enum mpb_status on_subscription(void *ctx, bool subscribe, struct mpb_bytes topic)
{
    const struct arrival *a = ctx;
    if (is_ours(a->from->gossip, topic)) {
        a->from->subscribed = subscribe;
    }
    return MPB_OK;
}

/* A message that is new, unsigned and of our topic: validate, keep, relay, deliver. */
static enum mpb_status handle_new(const struct arrival *a, struct mpb_bytes data,
                                  const uint8_t id[MPB_MSG_HASH_LEN])
{
    struct mpb_gossip *g = a->from->gossip;
    struct mpb_node *node = g->cfg.node;
    struct mpb_inbound in = {a->rpc, data};
    bool accepted = false;
    enum mpb_status st = mpb_node_validate(node, &in, &accepted);
    if (st != MPB_OK || !accepted) {
        return st;
    }
    mpb__gossip_follow(g, mpb_node_last_ns(node));
    struct mpb_parts parts = {.data = data, .buffer = a->rpc};
    st = mpb__gossip_keep(g, id, &parts);
    if (st == MPB_OK) {
        st = mpb_node_observe(node, MPB_SITE_ON_VALIDATED, data);
    }
    if (st == MPB_OK) {
        st = mpb__gossip_broadcast(g, a->from, MPB_PRIORITY_LOW, &parts);
    }
    return st == MPB_OK ? mpb_node_deliver(node, &in, g->now_ns) : st;
}

/* A message of our topic. */
static enum mpb_status handle_message(const struct arrival *a, struct mpb_bytes data,
                                      unsigned forbidden)
{
    struct mpb_gossip *g = a->from->gossip;
    uint8_t id[MPB_MSG_HASH_LEN];
    enum mpb_status st = mpb_node_observe(g->cfg.node, MPB_SITE_ON_RECV, data);
    if (st == MPB_OK) {
        st = mpb_node_id(g->cfg.node, data, id);
    }
    if (st != MPB_OK) {
        return st;
    }
    if (mpb_seen_cache_test_and_add(g->seen, id, g->now_ns)) {
        g->stats.dropped[MPB_DROP_DUPLICATE]++;
        return MPB_OK;
    }
    if (forbidden != 0) {
        g->stats.dropped[MPB_DROP_SIGNED]++;
        return MPB_OK;
    }
    return handle_new(a, data, id);
}

static enum mpb_status on_message(void *ctx, struct mpb_bytes data, struct mpb_bytes topic,
                                  unsigned forbidden)
{
    struct arrival *a = ctx;
    struct mpb_gossip *g = a->from->gossip;
    g->stats.received++;
    if (!is_ours(g, topic)) {
        g->stats.dropped[MPB_DROP_WRONG_TOPIC]++;
        return MPB_OK;
    }
    a->stopped = handle_message(a, data, forbidden);
    return a->stopped;
}

/* A peer asks for a message by id: sent again if it is still cached. */
static enum mpb_status serve_iwant(const struct arrival *a, struct mpb_bytes id)
{
    struct mpb_gossip *g = a->from->gossip;
    struct mpb_parts parts = {.buffer = NULL};
    if (id.len != MPB_MSG_HASH_LEN || !mpb_message_cache_find(g->cache, id.data, &parts)) {
        return MPB_OK;
    }
    if (mpb_peer_stats(a->from->peer)->queued_bytes >= IWANT_QUEUED_MAX) {
        g->stats.dropped[MPB_DROP_QUEUE_FULL]++;
        return MPB_OK;
    }
    g->stats.iwant_served++;
    return mpb__gossip_send_message(a->from, MPB_PRIORITY_LOW, &parts);
}

/* A peer has a message: note its id unless it was seen. */
static void note_ihave(struct mpb_gossip *g, struct mpb_bytes topic, struct mpb_bytes id)
{
    if (is_ours(g, topic) && id.len == MPB_MSG_HASH_LEN && g->n_wanted < MPB__GOSSIP_WANTED_MAX &&
        !mpb_seen_cache_has(g->seen, id.data, g->now_ns)) {
        memcpy(g->wanted[g->n_wanted++], id.data, MPB_MSG_HASH_LEN);
    }
}

/* Ask for the ids noted, in one frame. */
static enum mpb_status ask(struct mpb_gossip_peer *peer)
{
    uint8_t frame[MPB__GOSSIP_WANTED_MAX * (MPB_MSG_HASH_LEN + 2) + 16];
    const struct mpb_gossip *g = peer->gossip;
    if (g->n_wanted == 0) {
        return MPB_OK;
    }
    struct mpb_rpc_control_msg iwant = {
        .kind = MPB_RPC_IWANT,
        .ids = (const uint8_t(*)[MPB_MSG_HASH_LEN])g->wanted,
        .n_ids = g->n_wanted,
    };
    size_t len = mpb_rpc_control(&iwant, frame, sizeof(frame));
    return mpb__gossip_send_control(peer, frame, len);
}

/* GRAFT is for our topic or answered by PRUNE. */
static enum mpb_status answer_graft(const struct arrival *a, struct mpb_bytes topic)
{
    if (is_ours(a->from->gossip, topic)) {
        a->from->in_mesh = true;
        return MPB_OK;
    }
    uint8_t frame[MPB_RPC_TOPIC_MAX + 64];
    struct mpb_rpc_control_msg prune = {
        .kind = MPB_RPC_PRUNE, .topic = topic, .backoff_s = PRUNE_BACKOFF_S};
    size_t len = mpb_rpc_control(&prune, frame, sizeof(frame));
    return len > 0 ? mpb__gossip_send_control(a->from, frame, len) : MPB_OK;
}

static enum mpb_status on_control(void *ctx, enum mpb_rpc_control kind, struct mpb_bytes topic,
                                  struct mpb_bytes id)
{
    struct arrival *a = ctx;
    struct mpb_gossip *g = a->from->gossip;
    g->stats.control_in++;
    switch (kind) {
    case MPB_RPC_IHAVE:
        note_ihave(g, topic, id);
        break;
    case MPB_RPC_IWANT:
        a->stopped = serve_iwant(a, id);
        break;
    case MPB_RPC_GRAFT:
        a->stopped = answer_graft(a, topic);
        break;
    case MPB_RPC_PRUNE:
        a->from->in_mesh = a->from->in_mesh && !is_ours(g, topic);
        break;
    case MPB_RPC_IDONTWANT: /* noted by its count: two peers have no third to spare the message */
    default:
        break;
    }
    return a->stopped;
}

enum mpb_status mpb__arrival_handle(void *ctx, struct mpb_buffer *rpc)
{
    struct arrival a = {.from = ctx, .rpc = rpc};
    struct mpb_rpc_sink sink = {&a, on_subscription, on_message, on_control};
    a.from->gossip->n_wanted = 0;
    enum mpb_status st = mpb_rpc_parse(mpb_buffer_view(rpc), &sink);
    if (st == MPB_OK) {
        st = a.stopped = ask(a.from);
    } else if (a.stopped == MPB_OK) {
        a.from->gossip->stats.dropped[MPB_DROP_MALFORMED]++;
        st = MPB_E_REJECTED;
    }
    a.from->has_failed = st != MPB_OK && st != MPB_E_REJECTED;
    MPB_PROBE_SITE(MPB_SITE_TRANSPORT);
    mpb_buffer_unref(rpc);
    return st;
}
