/* gossip.c: the router. */
#include "core/gossip.h"

#include <string.h>
#include <unistd.h>

#include "core/gossip_priv.h"
#include "instrument/heap.h"

enum { FRAMES_A_TURN = 16 };

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
    if (cfg->heartbeat_ns <= 0 || cfg->seen_capacity == 0) {
        return mpb_error_set(err, MPB_E_USAGE, "gossip", "no time between heartbeats, or no ids");
    }
    struct mpb_gossip *g = mpb_heap_alloc(sizeof(*g));
    if (g == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "gossip", NULL);
    }
    *g = (struct mpb_gossip){
        .cfg = *cfg, .now_ns = cfg->start_ns, .last_heartbeat_ns = cfg->start_ns};
    if (cfg->cache_max_bytes == 0) {
        g->cfg.cache_max_bytes = MPB_GOSSIP_CACHE_MAX_BYTES;
    }
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

enum mpb_status mpb__gossip_send_control(struct mpb_gossip_peer *peer, const uint8_t *frame,
                                         size_t len)
{
    struct mpb_parts parts = {.head = {frame, len}};
    bool queued = false;
    enum mpb_status st = mpb_peer_send(peer->peer, MPB_PRIORITY_HIGH, &parts, false, &queued);
    if (st == MPB_E_INCOMPLETE) {
        peer->gossip->stats.dropped[MPB_DROP_QUEUE_FULL]++;
        st = MPB_E_REJECTED;
    }
    return st;
}

static enum mpb_status greet(struct mpb_gossip_peer *peer)
{
    struct mpb_bytes topic = peer->gossip->cfg.pubsub_topic;
    uint8_t frame[MPB_RPC_TOPIC_MAX + 64];
    size_t len = mpb_rpc_subscribe(true, topic, frame, sizeof(frame));
    enum mpb_status st = mpb__gossip_send_control(peer, frame, len);
    if (st == MPB_OK) {
        struct mpb_rpc_control_msg graft = {.kind = MPB_RPC_GRAFT, .topic = topic};
        len = mpb_rpc_control(&graft, frame, sizeof(frame));
        st = mpb__gossip_send_control(peer, frame, len);
    }
    return st;
}

enum mpb_status mpb_gossip_add_peer(struct mpb_gossip *gossip, int fd,
                                    struct mpb_gossip_peer **out_peer, struct mpb_error *err)
{
    MPB_PROBE_SITE(MPB_SITE_TRANSPORT);
    struct mpb_gossip_peer *peer = mpb_heap_alloc(sizeof(*peer));
    if (peer == NULL) {
        close(fd);
        return mpb_error_set(err, MPB_E_NOMEM, "peer", NULL);
    }
    *peer = (struct mpb_gossip_peer){.gossip = gossip, .next = gossip->peers};
    enum mpb_status st = mpb_peer_new(fd, MPB_RPC_FRAME_MAX, &peer->peer);
    if (st != MPB_OK) {
        close(fd);
        mpb_heap_free(peer);
        return mpb_error_set(err, st, "peer", NULL);
    }
    gossip->peers = peer;
    st = greet(peer);
    if (st != MPB_OK) {
        close_peer(gossip, peer);
        return mpb_error_set(err, st, "peer", NULL);
    }
    *out_peer = peer;
    return MPB_OK;
}

/* A jump over many heartbeats costs no more than emptying all windows. */
static void advance(struct mpb_gossip *g, int64_t to_ns)
{
    if (to_ns <= g->now_ns) {
        return;
    }
    /* unsigned: the distance of two instants may exceed int64_t */
    uint64_t heartbeat_ns = (uint64_t)g->cfg.heartbeat_ns;
    uint64_t n = ((uint64_t)to_ns - (uint64_t)g->last_heartbeat_ns) / heartbeat_ns;
    g->now_ns = to_ns;
    g->last_heartbeat_ns = (int64_t)((uint64_t)g->last_heartbeat_ns + n * heartbeat_ns);
    g->stats.heartbeats += n;
    for (uint64_t i = 0; i < n && i < MPB_MESSAGE_CACHE_WINDOWS; i++) {
        MPB_PROBE_SITE(MPB_SITE_MESSAGE_CACHE);
        mpb_message_cache_shift(g->cache);
    }
}

/* Never back, and never by more than the archive would accept: else one timestamp of a hostile peer
 * would take the clock so far that nothing is accepted any more. */
void mpb__gossip_follow(struct mpb_gossip *gossip, int64_t to_ns)
{
    uint64_t step_ns = (uint64_t)to_ns - (uint64_t)gossip->now_ns;
    if (step_ns <= (uint64_t)MPB_ARCHIVE_VARIANCE_NS) {
        advance(gossip, to_ns);
    }
}

enum mpb_status mpb__gossip_keep(struct mpb_gossip *gossip, const uint8_t id[MPB_MSG_HASH_LEN],
                                 const struct mpb_parts *message)
{
    size_t held = mpb_message_cache_bytes(gossip->cache);
    if (held + message->buffer->len > gossip->cfg.cache_max_bytes) {
        gossip->stats.uncached++;
        return MPB_OK;
    }
    MPB_PROBE_SITE(MPB_SITE_MESSAGE_CACHE);
    return mpb_message_cache_put(gossip->cache, id, message);
}

enum mpb_status mpb__gossip_send_message(struct mpb_gossip_peer *peer, enum mpb_priority priority,
                                         const struct mpb_parts *message)
{
    struct mpb_gossip *g = peer->gossip;
    uint8_t head[MPB_RPC_HEADER_MAX + MPB_MSG_HEAD_MAX],
        tail[MPB_NODE_TAIL_MAX + MPB_RPC_TOPIC_MAX + 4];
    uint8_t topic[MPB_RPC_TOPIC_MAX + 4];
    size_t topic_len = 0;
    size_t head_len = mpb_rpc_publish(mpb_buffer_parts_len(message), g->cfg.pubsub_topic, head,
                                      topic, &topic_len);
    if (head_len == 0) { /* what came in a frame, or was checked before publishing, fits one */
        return MPB_E_INTERNAL;
    }
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

enum mpb_status mpb__gossip_broadcast(struct mpb_gossip *gossip, const struct mpb_gossip_peer *from,
                                      enum mpb_priority priority, const struct mpb_parts *message)
{
    enum mpb_status st = MPB_OK;
    for (struct mpb_gossip_peer *p = gossip->peers; p != NULL && st == MPB_OK; p = p->next) {
        if (p == from || !p->in_mesh || !p->subscribed) {
            continue;
        }
        if (message->head.len == 0) {
            st = mpb_node_observe(gossip->cfg.node, MPB_SITE_ON_SEND, message->data);
        }
        if (st == MPB_OK) {
            st = mpb__gossip_send_message(p, priority, message);
        }
    }
    return st;
}

/* What ends a connection, as against what ends the node's work. */
static bool ends_connection(struct mpb_gossip *g, enum mpb_status st, bool in_frame)
{
    switch ((int)st) {
    case MPB_E_OVERLONG_VARINT:
        g->stats.dropped[MPB_DROP_MALFORMED]++;
        return true;
    case MPB_E_VARINT_RANGE:
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
    peer->has_failed = false;
    enum mpb_status st =
        mpb_peer_read(peer->peer, FRAMES_A_TURN, mpb__arrival_handle, peer, drained, err);
    if (peer->has_failed) {
        *lost = false;
        return mpb_error_set(err, st, "gossip", NULL);
    }
    if (st == MPB_OK) {
        st = mpb_peer_flush(peer->peer, &blocked, err);
    }
    *lost = st != MPB_OK && ends_connection(gossip, st, mpb_peer_partial_in(peer->peer) > 0);
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
    enum mpb_status st = mpb__gossip_keep(g, message->id, &message->parts);
    return st == MPB_OK ? mpb__gossip_broadcast(g, NULL, MPB_PRIORITY_MEDIUM, &message->parts) : st;
}

/* A frame that no peer would take must not reach a socket. */
static bool fits_frame(const struct mpb_gossip *g, const struct mpb_msg *msg)
{
    uint8_t head[MPB_RPC_HEADER_MAX], topic[MPB_RPC_TOPIC_MAX + 4];
    size_t topic_len = 0;
    return mpb_rpc_publish(mpb_msg_encoded_len(msg), g->cfg.pubsub_topic, head, topic, &topic_len) >
           0;
}

enum mpb_status mpb_gossip_publish(struct mpb_gossip *gossip, const struct mpb_msg *msg,
                                   struct mpb_buffer *app_buffer, struct mpb_error *err)
{
    if (!fits_frame(gossip, msg)) {
        return mpb_error_set(err, MPB_E_USAGE, "gossip", "a message is too long for a frame");
    }
    advance(gossip, msg->timestamp_ns);
    enum mpb_status st =
        mpb_node_publish(gossip->cfg.node, msg, app_buffer, gossip->now_ns, send_published, gossip);
    if (st != MPB_OK) {
        return mpb_error_set(err, st, "gossip", NULL);
    }
    gossip->stats.published++;
    for (struct mpb_gossip_peer *p = gossip->peers; p != NULL; p = p->next) {
        bool blocked = false;
        /* A connection that broke is the next _serve's to end: the message went to the others. */
        enum mpb_status ignored = mpb_peer_flush(p->peer, &blocked, NULL);
        (void)ignored;
    }
    return MPB_OK;
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
