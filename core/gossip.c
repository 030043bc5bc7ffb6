/* gossip.c: the router. */
#include "core/gossip.h"

#include <string.h>

#include "core/message_cache.h"
#include "core/seen_cache.h"
#include "instrument/heap.h"

enum { FRAMES_A_TURN = 16, PRUNE_BACKOFF_S = 60 };

struct mpb_gossip_peer {
    struct mpb_gossip *gossip;
    struct mpb_gossip_peer *next;
    struct mpb_peer *peer;
    bool subscribed, in_mesh;
};

struct mpb_gossip {
    struct mpb_gossip_cfg cfg;
    struct mpb_seen_cache *seen;
    struct mpb_message_cache *cache;
    struct mpb_gossip_peer *peers;
    struct mpb_gossip_stats stats;
    int64_t now_ns, next_heartbeat_ns;
    uint8_t topic_trailer[MPB_RPC_TOPIC_MAX + 4];
};

/* The frame being handled: whose it is, and what keeps its bytes. */
struct arrival {
    struct mpb_gossip_peer *from;
    struct mpb_buffer *rpc;
};

static const char *const drop_names[] = {
#define MPB_X(id, name, doc) name,
    MPB_DROP_LIST(MPB_X)
#undef MPB_X
};

const char *mpb_gossip_drop_name(enum mpb_drop drop)
{
    return drop_names[drop];
}

enum mpb_status mpb_gossip_new(const struct mpb_gossip_cfg *cfg, struct mpb_gossip **out,
                               struct mpb_error *err)
{
    MPB_PROBE_SITE(MPB_SITE_OTHER);
    if (cfg->pubsub_topic.len > MPB_RPC_TOPIC_MAX) {
        return mpb_error_set(err, MPB_E_USAGE, "gossip", "the topic is longer than %d bytes",
                             MPB_RPC_TOPIC_MAX);
    }
    struct mpb_gossip *g = mpb_heap_alloc(sizeof(*g));
    if (g == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "gossip", NULL);
    }
    *g = (struct mpb_gossip){.cfg = *cfg,
                             .now_ns = cfg->start_ns,
                             .next_heartbeat_ns = cfg->start_ns + cfg->heartbeat_ns};
    g->cache = mpb_message_cache_new();
    if (g->cache == NULL || mpb_seen_cache_new(cfg->seen_capacity, &g->seen) != MPB_OK) {
        mpb_gossip_free(g);
        return mpb_error_set(err, MPB_E_NOMEM, "gossip", NULL);
    }
    *out = g;
    return MPB_OK;
}

static void close_peer(struct mpb_gossip *g, struct mpb_gossip_peer *peer)
{
    struct mpb_gossip_peer **at = &g->peers;
    while (*at != peer) {
        at = &(*at)->next;
    }
    *at = peer->next;
    mpb_peer_free(peer->peer);
    mpb_heap_free(peer);
}

void mpb_gossip_free(struct mpb_gossip *gossip)
{
    if (gossip == NULL) {
        return;
    }
    MPB_PROBE_SITE(MPB_SITE_OTHER);
    while (gossip->peers != NULL) {
        close_peer(gossip, gossip->peers);
    }
    mpb_seen_cache_free(gossip->seen);
    mpb_message_cache_free(gossip->cache);
    mpb_heap_free(gossip);
}

/* Queue a short frame of our own making. */
static enum mpb_status send_control(struct mpb_gossip_peer *peer, const uint8_t *frame, size_t len)
{
    struct mpb_parts parts = {.head = {frame, len}};
    bool queued = false;
    return mpb_peer_send(peer->peer, MPB_PRIORITY_HIGH, &parts, false, &queued);
}

static enum mpb_status greet(struct mpb_gossip_peer *peer)
{
    struct mpb_bytes topic = peer->gossip->cfg.pubsub_topic;
    uint8_t frame[MPB_RPC_TOPIC_MAX + 64];
    size_t len = mpb_rpc_subscribe(true, topic, frame, sizeof(frame));
    enum mpb_status st = send_control(peer, frame, len);
    if (st == MPB_OK) {
        struct mpb_rpc_control_msg graft = {.kind = MPB_RPC_GRAFT, .topic = topic};
        len = mpb_rpc_control(&graft, frame, sizeof(frame));
        st = send_control(peer, frame, len);
    }
    return st;
}

enum mpb_status mpb_gossip_add_peer(struct mpb_gossip *gossip, int fd,
                                    struct mpb_gossip_peer **out_peer, struct mpb_error *err)
{
    MPB_PROBE_SITE(MPB_SITE_TRANSPORT);
    struct mpb_gossip_peer *peer = mpb_heap_alloc(sizeof(*peer));
    if (peer == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "peer", NULL);
    }
    *peer = (struct mpb_gossip_peer){.gossip = gossip};
    enum mpb_status st = mpb_peer_new(fd, MPB_RPC_FRAME_MAX, &peer->peer);
    if (st != MPB_OK) {
        mpb_heap_free(peer);
        return mpb_error_set(err, st, "peer", NULL);
    }
    peer->next = gossip->peers;
    gossip->peers = peer;
    st = greet(peer);
    if (st != MPB_OK) {
        close_peer(gossip, peer);
        return mpb_error_set(err, st, "peer", NULL);
    }
    *out_peer = peer;
    return MPB_OK;
}

/* The clock follows accepted messages, never back, and never by more than the archive would accept:
 * a hostile timestamp must not expire the caches. */
static void advance(struct mpb_gossip *g, int64_t to_ns)
{
    if (to_ns <= g->now_ns || to_ns > g->now_ns + MPB_ARCHIVE_VARIANCE_NS) {
        return;
    }
    g->now_ns = to_ns;
    for (; g->next_heartbeat_ns <= to_ns; g->next_heartbeat_ns += g->cfg.heartbeat_ns) {
        MPB_PROBE_SITE(MPB_SITE_MESSAGE_CACHE);
        mpb_message_cache_shift(g->cache);
        g->stats.heartbeats++;
    }
}

/* Queue a publish for one peer, joined or scattered as the variant sends. */
static enum mpb_status send_message(struct mpb_gossip *g, struct mpb_gossip_peer *peer,
                                    enum mpb_priority priority, const struct mpb_parts *message)
{
    uint8_t head[MPB_RPC_HEADER_MAX + MPB_MSG_HEAD_MAX],
        tail[MPB_NODE_TAIL_MAX + MPB_RPC_TOPIC_MAX + 4];
    uint8_t topic[MPB_RPC_TOPIC_MAX + 4];
    size_t topic_len = 0;
    size_t head_len = mpb_rpc_publish(mpb_buffer_parts_len(message), g->cfg.pubsub_topic, head,
                                      topic, &topic_len);
    if (message->head.len > 0) {
        memcpy(head + head_len, message->head.data, message->head.len);
        memcpy(tail, message->tail.data, message->tail.len);
    }
    memcpy(tail + message->tail.len, topic, topic_len);
    struct mpb_parts frame = {{head, head_len + message->head.len},
                              message->data,
                              {tail, message->tail.len + topic_len},
                              message->buffer};
    bool scatter = g->cfg.variant->path->site[MPB_SITE_PUBLISH].encode == MPB_ENCODE_SCATTER;
    bool queued = false;
    MPB_PROBE_SITE(MPB_SITE_TRANSPORT);
    enum mpb_status st = mpb_peer_send(peer->peer, priority, &frame, !scatter, &queued);
    if (st == MPB_OK) {
        g->stats.sent += queued ? 1 : 0;
        g->stats.dropped[MPB_DROP_QUEUE_FULL] += queued ? 0 : 1;
    }
    return st;
}

/* Relay to every mesh peer but the one it came from: the send observer, then the queue. */
static enum mpb_status broadcast(struct mpb_gossip *g, const struct mpb_gossip_peer *from,
                                 enum mpb_priority priority, const struct mpb_parts *message)
{
    enum mpb_status st = MPB_OK;
    for (struct mpb_gossip_peer *p = g->peers; p != NULL && st == MPB_OK; p = p->next) {
        if (p == from || !p->in_mesh || !p->subscribed) {
            continue;
        }
        if (message->head.len == 0) {
            st = mpb_node_observe(g->cfg.node, MPB_SITE_ON_SEND, message->data);
        }
        if (st == MPB_OK) {
            st = send_message(g, p, priority, message);
        }
    }
    return st;
}

static enum mpb_status on_subscription(void *ctx, bool subscribe, struct mpb_bytes topic)
{
    struct arrival *a = ctx;
    struct mpb_bytes ours = a->from->gossip->cfg.pubsub_topic;
    if (topic.len == ours.len && memcmp(topic.data, ours.data, ours.len) == 0) {
        a->from->subscribed = subscribe;
    }
    return MPB_OK;
}

/* A message that is new, unsigned and of our topic: validate, keep, relay, deliver. */
static enum mpb_status handle_new(struct mpb_gossip *g, const struct arrival *a,
                                  struct mpb_bytes data, const uint8_t id[MPB_MSG_HASH_LEN])
{
    struct mpb_node *node = g->cfg.node;
    struct mpb_inbound in = {a->rpc, data};
    bool accepted = false;
    enum mpb_status st = mpb_node_validate(node, &in, &accepted);
    if (st != MPB_OK || !accepted) {
        return st;
    }
    advance(g, mpb_node_last_ns(node));
    MPB_PROBE_SITE(MPB_SITE_MESSAGE_CACHE);
    struct mpb_parts parts = {.data = data, .buffer = a->rpc};
    st = mpb_message_cache_put(g->cache, id, &parts);
    if (st == MPB_OK) {
        st = mpb_node_observe(node, MPB_SITE_ON_VALIDATED, data);
    }
    if (st == MPB_OK) {
        st = broadcast(g, a->from, MPB_PRIORITY_LOW, &parts);
    }
    return st == MPB_OK ? mpb_node_deliver(node, &in, g->now_ns) : st;
}

static enum mpb_status on_message(void *ctx, struct mpb_bytes data, struct mpb_bytes topic,
                                  unsigned forbidden)
{
    const struct arrival *a = ctx;
    struct mpb_gossip *g = a->from->gossip;
    struct mpb_bytes ours = g->cfg.pubsub_topic;
    uint8_t id[MPB_MSG_HASH_LEN];
    g->stats.received++;
    if (topic.len != ours.len || memcmp(topic.data, ours.data, ours.len) != 0) {
        g->stats.dropped[MPB_DROP_WRONG_TOPIC]++;
        return MPB_OK;
    }
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
    return handle_new(g, a, data, id);
}

/* A peer asks for a message by id: sent again if it is still cached. */
static enum mpb_status serve_iwant(const struct arrival *a, struct mpb_bytes id)
{
    struct mpb_gossip *g = a->from->gossip;
    struct mpb_parts parts = {.buffer = NULL};
    if (id.len != MPB_MSG_HASH_LEN || !mpb_message_cache_find(g->cache, id.data, &parts)) {
        return MPB_OK;
    }
    g->stats.iwant_served++;
    return send_message(g, a->from, MPB_PRIORITY_LOW, &parts);
}

/* A peer has a message: ask for it unless it was seen. */
static enum mpb_status answer_ihave(const struct arrival *a, struct mpb_bytes id)
{
    const struct mpb_gossip *g = a->from->gossip;
    uint8_t frame[64], wanted[1][MPB_MSG_HASH_LEN];
    if (id.len != MPB_MSG_HASH_LEN || mpb_seen_cache_has(g->seen, id.data, g->now_ns)) {
        return MPB_OK;
    }
    memcpy(wanted[0], id.data, MPB_MSG_HASH_LEN);
    struct mpb_rpc_control_msg iwant = {
        .kind = MPB_RPC_IWANT, .ids = (const uint8_t(*)[MPB_MSG_HASH_LEN])wanted, .n_ids = 1};
    return send_control(a->from, frame, mpb_rpc_control(&iwant, frame, sizeof(frame)));
}

/* GRAFT is for our topic or answered by PRUNE. */
static enum mpb_status answer_graft(const struct arrival *a, struct mpb_bytes topic)
{
    struct mpb_bytes ours = a->from->gossip->cfg.pubsub_topic;
    if (topic.len == ours.len && memcmp(topic.data, ours.data, ours.len) == 0) {
        a->from->in_mesh = true;
        return MPB_OK;
    }
    uint8_t frame[MPB_RPC_TOPIC_MAX + 64];
    struct mpb_rpc_control_msg prune = {
        .kind = MPB_RPC_PRUNE, .topic = topic, .backoff_s = PRUNE_BACKOFF_S};
    size_t len = mpb_rpc_control(&prune, frame, sizeof(frame));
    return len > 0 ? send_control(a->from, frame, len) : MPB_OK;
}

static enum mpb_status on_control(void *ctx, enum mpb_rpc_control kind, struct mpb_bytes topic,
                                  struct mpb_bytes id)
{
    const struct arrival *a = ctx;
    a->from->gossip->stats.control_in++;
    switch (kind) {
    case MPB_RPC_IHAVE:
        return answer_ihave(a, id);
    case MPB_RPC_IWANT:
        return serve_iwant(a, id);
    case MPB_RPC_GRAFT:
        return answer_graft(a, topic);
    case MPB_RPC_PRUNE:
        a->from->in_mesh = false;
        return MPB_OK;
    case MPB_RPC_IDONTWANT: /* noted by its count: two peers have no third to spare the message */
    default:
        return MPB_OK;
    }
}

static bool is_rpc_fault(enum mpb_status st)
{
    return st == MPB_E_TRUNCATED || st == MPB_E_OVERLONG_VARINT || st == MPB_E_VARINT_RANGE ||
           st == MPB_E_WIRE_TYPE || st == MPB_E_MISSING_FIELD;
}

/* One frame; takes over the reference. A frame that does not parse ends its connection. */
static enum mpb_status on_frame(void *ctx, struct mpb_buffer *rpc)
{
    struct arrival a = {ctx, rpc};
    struct mpb_rpc_sink sink = {&a, on_subscription, on_message, on_control};
    enum mpb_status st = mpb_rpc_parse(mpb_buffer_view(rpc), &sink);
    if (is_rpc_fault(st)) {
        a.from->gossip->stats.dropped[MPB_DROP_MALFORMED]++;
        st = MPB_E_REJECTED;
    }
    MPB_PROBE_SITE(MPB_SITE_TRANSPORT);
    mpb_buffer_unref(rpc);
    return st;
}

/* What ends a connection, as against what ends the node's work. */
static bool ends_connection(struct mpb_gossip *g, enum mpb_status st, bool in_frame)
{
    switch ((int)st) {
    case MPB_E_VARINT_RANGE:
    case MPB_E_OVERLONG_VARINT:
        g->stats.dropped[MPB_DROP_OVERSIZE]++;
        return true;
    case MPB_E_INCOMPLETE:
    case MPB_E_IO:
        g->stats.dropped[MPB_DROP_CUT] += in_frame ? 1 : 0;
        return true;
    case MPB_E_REJECTED:
        return true;
    default:
        return false;
    }
}

enum mpb_status mpb_gossip_serve(struct mpb_gossip *gossip, struct mpb_gossip_peer *peer,
                                 bool *drained, bool *lost, struct mpb_error *err)
{
    bool blocked = false;
    enum mpb_status st = mpb_peer_read(peer->peer, FRAMES_A_TURN, on_frame, peer, drained, err);
    if (st == MPB_OK) {
        st = mpb_peer_flush(peer->peer, &blocked, err);
    }
    bool is_own = mpb_node_has_failed(gossip->cfg.node); /* then it is not the connection's */
    *lost =
        st != MPB_OK && !is_own && ends_connection(gossip, st, mpb_peer_partial_in(peer->peer) > 0);
    if (*lost) {
        gossip->stats.peers_lost++;
        close_peer(gossip, peer);
        return MPB_OK;
    }
    return st;
}

bool mpb_gossip_wants_write(const struct mpb_gossip_peer *peer)
{
    return mpb_peer_has_output(peer->peer);
}

bool mpb_gossip_is_ready(const struct mpb_gossip_peer *peer)
{
    return peer->subscribed && peer->in_mesh;
}

const struct mpb_peer_stats *mpb_gossip_peer_stats(const struct mpb_gossip_peer *peer)
{
    return mpb_peer_stats(peer->peer);
}

/* The node has delivered its own message to itself: remember, keep, send. */
static enum mpb_status send_published(void *ctx, const struct mpb_outbound *message)
{
    struct mpb_gossip *g = ctx;
    MPB_PROBE_SITE(MPB_SITE_SEEN_CACHE);
    if (mpb_seen_cache_test_and_add(g->seen, message->id, g->now_ns)) {
        g->stats.dropped[MPB_DROP_DUPLICATE]++;
        return MPB_OK;
    }
    MPB_PROBE_SITE(MPB_SITE_MESSAGE_CACHE);
    enum mpb_status st = mpb_message_cache_put(g->cache, message->id, &message->parts);
    return st == MPB_OK ? broadcast(g, NULL, MPB_PRIORITY_MEDIUM, &message->parts) : st;
}

enum mpb_status mpb_gossip_publish(struct mpb_gossip *gossip, const struct mpb_msg *msg,
                                   struct mpb_buffer *app_buffer, struct mpb_error *err)
{
    advance(gossip, msg->timestamp_ns);
    gossip->stats.published++;
    enum mpb_status st =
        mpb_node_publish(gossip->cfg.node, msg, app_buffer, gossip->now_ns, send_published, gossip);
    for (struct mpb_gossip_peer *p = gossip->peers; p != NULL && st == MPB_OK; p = p->next) {
        bool blocked = false;
        st = mpb_peer_flush(p->peer, &blocked, err);
    }
    return st;
}

const struct mpb_gossip_stats *mpb_gossip_stats(const struct mpb_gossip *gossip)
{
    return &gossip->stats;
}

size_t mpb_gossip_seen_bytes(const struct mpb_gossip *gossip)
{
    return mpb_seen_cache_bytes(gossip->seen);
}

size_t mpb_gossip_cache_bytes(const struct mpb_gossip *gossip)
{
    return mpb_message_cache_bytes(gossip->cache);
}
