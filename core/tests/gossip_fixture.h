/* gossip_fixture.h: relay nodes over socket pairs, and a far end that a test writes and reads by
 * hand, for the tests of the router. */
#ifndef MPB_CORE_TESTS_GOSSIP_FIXTURE_H
#define MPB_CORE_TESTS_GOSSIP_FIXTURE_H

#include "core/gossip.h"
#include "core/tests/socket_fixture.h"

#define GOSSIP_SECOND_NS INT64_C(1000000000) /* a heartbeat */

enum { PARTY_PEERS_MAX = 4, FAR_LEN = 1 << 19, GOSSIP_SEEN_CAPACITY = 4096 };

/* A relay node with its router, and what its application and observers saw. */
struct party {
    struct mpb_node *node;
    struct mpb_gossip *gossip;
    struct mpb_gossip_peer *peers[PARTY_PEERS_MAX]; /* NULL once lost */
    size_t n_peers;
    struct mpb_observer observers[3]; /* of ON_RECV, ON_VALIDATED, ON_SEND */
    size_t n_observed[3];
    size_t n_delivered, n_payload_bytes;
    struct mpb_msg expected; /* what the application should get, if its payload is not empty */
};

static inline void party_app(void *ctx, const struct mpb_delivery *delivery)
{
    struct party *p = ctx;
    if (p->expected.payload.len > 0) {
        assert_true(mpb_msg_is_equal(delivery->msg, &p->expected));
    }
    p->n_delivered++;
    p->n_payload_bytes += delivery->msg->payload.len;
}

static inline void party_see(void *ctx, const struct mpb_msg *msg, const uint8_t *hash)
{
    size_t *n = ctx;
    (void)msg, (void)hash;
    (*n)++;
}

/* A receiver archives and syncs, a publisher does neither. node: what differs from that. */
static inline void party_open_with(struct party *p, const struct mpb_variant *variant,
                                   struct mpb_node_cfg node, struct mpb_gossip_cfg gossip)
{
    static const enum mpb_site sites[] = {MPB_SITE_ON_RECV, MPB_SITE_ON_VALIDATED,
                                          MPB_SITE_ON_SEND};
    *p = (struct party){.n_peers = 0};
    for (size_t i = 0; i < MPB_ARRAY_LEN(sites); i++) {
        p->observers[i] = (struct mpb_observer){sites[i], party_see, &p->n_observed[i]};
    }
    node.variant = gossip.variant = variant;
    node.pubsub_topic = gossip.pubsub_topic = FIXTURE_PUBSUB_TOPIC;
    node.observers = p->observers;
    node.n_observers = MPB_ARRAY_LEN(p->observers);
    node.app = party_app;
    node.app_ctx = p;
    assert_int_equal(mpb_node_new(&node, &p->node, NULL), MPB_OK);
    gossip.node = p->node;
    gossip.seen_capacity = GOSSIP_SEEN_CAPACITY;
    gossip.start_ns = FIXTURE_BASE_NS;
    gossip.heartbeat_ns = GOSSIP_SECOND_NS;
    assert_int_equal(mpb_gossip_new(&gossip, &p->gossip, NULL), MPB_OK);
}

static inline void party_open(struct party *p, const struct mpb_variant *variant, bool is_receiver)
{
    struct mpb_node_cfg node = {.archive_capacity = is_receiver ? 64 : 0,
                                .no_store_sync = !is_receiver};
    party_open_with(p, variant, node, (struct mpb_gossip_cfg){.node = NULL});
}

static inline void party_close(struct party *p)
{
    mpb_gossip_free(p->gossip);
    mpb_node_free(p->node);
}

static inline void socket_pair(int fds[2])
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
}

/* Returns the peer's place in p->peers. */
static inline size_t party_add(struct party *p, int fd)
{
    assert_true(p->n_peers < PARTY_PEERS_MAX);
    struct mpb_gossip_peer **peer = &p->peers[p->n_peers];
    assert_int_equal(mpb_gossip_add_peer(p->gossip, fd, peer, NULL), MPB_OK);
    return p->n_peers++;
}

static inline const struct mpb_gossip_stats *party_stats(const struct party *p)
{
    return mpb_gossip_stats(p->gossip);
}

/* Serve one peer until it has nothing more to read; true if it was lost. */
static inline bool party_serve(struct party *p, size_t at)
{
    bool drained = false, lost = false;
    while (p->peers[at] != NULL && !drained && !lost) {
        assert_int_equal(mpb_gossip_serve(p->gossip, p->peers[at], &drained, &lost, NULL), MPB_OK);
    }
    p->peers[at] = lost ? NULL : p->peers[at];
    return lost;
}

static inline uint64_t party_traffic(const struct party *p)
{
    uint64_t n = 0;
    for (size_t i = 0; i < p->n_peers; i++) {
        if (p->peers[i] != NULL) {
            const struct mpb_peer_stats *stats = mpb_gossip_peer_stats(p->peers[i]);
            n += stats->bytes_in + stats->bytes_out;
        }
    }
    return n;
}

/* Serve all peers of all parties until nothing moves any more. */
static inline void party_settle(struct party *const parties[], size_t n)
{
    uint64_t before = 0, now = 0;
    bool is_first = true, is_moving = true;
    for (; is_moving; is_first = false) {
        before = now;
        now = 0;
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < parties[i]->n_peers; k++) {
                party_serve(parties[i], k);
            }
            now += party_traffic(parties[i]);
        }
        is_moving = is_first || now != before;
    }
}

static inline void party_link(struct party *a, struct party *b)
{
    int fds[2];
    socket_pair(fds);
    party_add(a, fds[0]);
    party_add(b, fds[1]);
}

/* The message, its payload in a buffer of the measured heap, as an application makes it. The caller
 * unrefs the buffer. */
static inline struct mpb_buffer *party_compose(struct mpb_msg *msg)
{
    MPB_PROBE_SITE(MPB_SITE_INBOUND);
    struct mpb_buffer *buffer = fixture_arrive_bytes(msg->payload);
    msg->payload = mpb_buffer_view(buffer);
    return buffer;
}

static inline void party_publish(struct party *p, struct mpb_msg msg)
{
    struct mpb_buffer *buffer = party_compose(&msg);
    assert_int_equal(mpb_gossip_publish(p->gossip, &msg, buffer, NULL), MPB_OK);
    mpb_buffer_unref(buffer);
}

/* The other end of a connection, read and written by the test, and all it read so far. */
struct far {
    int fd;
    uint8_t *bytes;
    size_t len;
};

static inline struct far far_open(struct party *p, size_t *at)
{
    int fds[2];
    socket_pair(fds);
    *at = party_add(p, fds[0]);
    struct far far = {.fd = fds[1], .bytes = test_malloc(FAR_LEN)};
    return far;
}

static inline void far_close(struct far *far)
{
    close(far->fd);
    test_free(far->bytes);
}

/* Take what the socket has. */
static inline void far_take(struct far *far)
{
    ssize_t n = 1;
    while (n > 0) {
        assert_true(far->len < FAR_LEN);
        n = recv(far->fd, far->bytes + far->len, FAR_LEN - far->len, 0);
        far->len += n > 0 ? (size_t)n : 0;
    }
}

/* Serve the peer and take from it by turns, at least twice, until nothing moves: an end is seen at
 * the turn after the last bytes. Returns true if it was lost. */
static inline bool far_settle(struct far *far, struct party *p, size_t at)
{
    bool lost = party_serve(p, at);
    for (size_t before = SIZE_MAX; before != far->len && !lost;) {
        before = far->len;
        lost = party_serve(p, at);
        far_take(far);
    }
    return lost;
}

/* Put the length of an RPC in front of it: a frame into out; its length. */
static inline size_t frame_of(struct mpb_bytes rpc, uint8_t *out)
{
    size_t n = 0, len = rpc.len;
    for (; len >= 0x80; len >>= 7) {
        out[n++] = (uint8_t)(len | 0x80);
    }
    out[n++] = (uint8_t)len;
    if (rpc.len > 0) {
        memcpy(out + n, rpc.data, rpc.len);
    }
    return n + rpc.len;
}

/* The frame of an encoded message, as it should be on the wire, into out; its length. */
static inline size_t frame_of_data(struct mpb_bytes data, struct mpb_bytes topic, uint8_t *out)
{
    uint8_t trailer[MPB_RPC_TOPIC_MAX + 4];
    size_t trailer_len = 0;
    size_t len = mpb_rpc_publish(data.len, topic, out, trailer, &trailer_len);
    assert_true(len > 0);
    if (data.len > 0) {
        memcpy(out + len, data.data, data.len);
    }
    memcpy(out + len + data.len, trailer, trailer_len);
    return len + data.len + trailer_len;
}

static inline size_t frame_of_msg(const struct mpb_msg *msg, uint8_t *out)
{
    struct mpb_buffer *data = fixture_arrive(msg);
    size_t len = frame_of_data(mpb_buffer_view(data), FIXTURE_PUBSUB_TOPIC, out);
    mpb_buffer_unref(data);
    return len;
}

static inline void id_of_msg(const struct mpb_msg *msg, uint8_t id[MPB_MSG_HASH_LEN])
{
    struct mpb_hasher *hasher = NULL;
    struct mpb_buffer *data = fixture_arrive(msg);
    assert_int_equal(mpb_hasher_new(&hasher, NULL), MPB_OK);
    assert_int_equal(mpb_hasher_id(hasher, mpb_buffer_view(data), id), MPB_OK);
    mpb_hasher_free(hasher);
    mpb_buffer_unref(data);
}

static inline void far_send(struct far *far, const uint8_t *bytes, size_t len)
{
    socket_write(far->fd, (struct mpb_bytes){bytes, len});
}

static inline void far_send_msg(struct far *far, const struct mpb_msg *msg)
{
    static uint8_t frame[MPB_RPC_FRAME_MAX + 8];
    far_send(far, frame, frame_of_msg(msg, frame));
}

static inline void far_subscribe(struct far *far, bool subscribe, struct mpb_bytes topic)
{
    uint8_t frame[512];
    far_send(far, frame, mpb_rpc_subscribe(subscribe, topic, frame, sizeof(frame)));
}

/* One control message into out[cap]: with a topic, or with ids, or both; its length. */
static inline size_t frame_of_control(enum mpb_rpc_control kind, struct mpb_bytes topic,
                                      uint8_t (*ids)[MPB_MSG_HASH_LEN], size_t n_ids,
                                      uint8_t out[MPB_RPC_FRAME_MAX])
{
    struct mpb_rpc_control_msg control = {.kind = kind,
                                          .topic = topic,
                                          .ids = (const uint8_t(*)[MPB_MSG_HASH_LEN])ids,
                                          .n_ids = n_ids,
                                          .backoff_s = 60};
    size_t len = mpb_rpc_control(&control, out, MPB_RPC_FRAME_MAX);
    assert_true(len > 0);
    return len;
}

static inline void far_control(struct far *far, enum mpb_rpc_control kind, struct mpb_bytes topic,
                               uint8_t (*ids)[MPB_MSG_HASH_LEN], size_t n_ids)
{
    static uint8_t frame[MPB_RPC_FRAME_MAX];
    far_send(far, frame, frame_of_control(kind, topic, ids, n_ids, frame));
}

/* A far end that is subscribed and in the mesh, and has read the greeting. */
static inline struct far far_join(struct party *p, size_t *at)
{
    struct far far = far_open(p, at);
    far_subscribe(&far, true, FIXTURE_PUBSUB_TOPIC);
    far_control(&far, MPB_RPC_GRAFT, FIXTURE_PUBSUB_TOPIC, NULL, 0);
    assert_false(far_settle(&far, p, *at));
    assert_true(mpb_gossip_is_ready(p->peers[*at]));
    far.len = 0;
    return far;
}

/* The far end got exactly these bytes; they are forgotten. */
static inline void far_expect(struct far *far, const uint8_t *bytes, size_t len)
{
    assert_int_equal(far->len, len);
    if (len > 0) {
        assert_memory_equal(far->bytes, bytes, len);
    }
    far->len = 0;
}

static inline void far_expect_msg(struct far *far, const struct mpb_msg *msg)
{
    static uint8_t frame[MPB_RPC_FRAME_MAX + 8];
    far_expect(far, frame, frame_of_msg(msg, frame));
}

/* Run a check in each variant; all of its memory must come back. */
static inline void for_each_variant(void (*check)(const struct mpb_variant *variant))
{
    size_t n = 0;
    const struct mpb_variant *all = mpb_variant_all(&n);
    fixture_wake_libcrypto();
    for (size_t i = 0; i < n; i++) {
        int64_t live = fixture_live_bytes();
        check(&all[i]);
        assert_int_equal(fixture_live_bytes(), live);
    }
}

#endif
