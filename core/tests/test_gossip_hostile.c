/* test_gossip_hostile.c: frames that must be dropped: each counted under one reason, the connection
 * ended or not as that says, the others served as before. */
#include "core/gossip.h"

#include "core/tests/gossip_fixture.h"

static const struct mpb_variant *after(void)
{
    return mpb_variant_find("after");
}

/* Frames by name; the message in them is fixture_msg(5, 50) unless it says otherwise. */
enum bad {
    DUPLICATE,
    WRONG_TOPIC,
    EMPTY_TOPIC,
    WITH_FROM,
    WITH_SEQNO,
    WITH_SIGNATURE,
    WITH_KEY,
    WITH_ALL,
    NO_DATA,
    NO_TOPIC,
    CUT_FIELD,
    GROUP,
    LONG_VARINT,
    LONG_PREFIX,
    OVERSIZE_BY_ONE,
    ENDLESS_VARINT,
    N_BAD
};

static const struct {
    enum mpb_drop reason;
    bool is_lost;
} fates[] = {
    [DUPLICATE] = {MPB_DROP_DUPLICATE, false},     [WRONG_TOPIC] = {MPB_DROP_WRONG_TOPIC, false},
    [EMPTY_TOPIC] = {MPB_DROP_WRONG_TOPIC, false}, [WITH_FROM] = {MPB_DROP_SIGNED, false},
    [WITH_SEQNO] = {MPB_DROP_SIGNED, false},       [WITH_SIGNATURE] = {MPB_DROP_SIGNED, false},
    [WITH_KEY] = {MPB_DROP_SIGNED, false},         [WITH_ALL] = {MPB_DROP_SIGNED, false},
    [NO_DATA] = {MPB_DROP_MALFORMED, true},        [NO_TOPIC] = {MPB_DROP_MALFORMED, true},
    [CUT_FIELD] = {MPB_DROP_MALFORMED, true},      [GROUP] = {MPB_DROP_MALFORMED, true},
    [LONG_VARINT] = {MPB_DROP_MALFORMED, true},    [LONG_PREFIX] = {MPB_DROP_MALFORMED, true},
    [OVERSIZE_BY_ONE] = {MPB_DROP_OVERSIZE, true}, [ENDLESS_VARINT] = {MPB_DROP_OVERSIZE, true},
};
_Static_assert(MPB_ARRAY_LEN(fates) == N_BAD, "each has its fate");

/* A publish with fields of a byte each before data and topic; none of them if tags is "". */
static size_t publish_with(const char *tags, bool has_data, bool has_topic, uint8_t *out)
{
    struct mpb_msg msg = fixture_msg(5, 50);
    struct mpb_buffer *data = fixture_arrive(&msg);
    uint8_t body[512], rpc[520] = {2 << 3 | 2, 0};
    size_t n = 0;
    for (; *tags != '\0'; tags++) {
        body[n++] = (uint8_t)*tags;
        body[n++] = 1;
        body[n++] = 'x';
    }
    if (has_data) {
        body[n++] = 2 << 3 | 2;
        n += frame_of(mpb_buffer_view(data), body + n);
    }
    if (has_topic) {
        body[n++] = 4 << 3 | 2;
        n += frame_of(FIXTURE_PUBSUB_TOPIC, body + n);
    }
    mpb_buffer_unref(data);
    size_t len = 1 + frame_of((struct mpb_bytes){body, n}, rpc + 1);
    return frame_of((struct mpb_bytes){rpc, len}, out);
}

static size_t literal(const char *bytes, size_t len, uint8_t *out)
{
    memcpy(out, bytes, len);
    return len;
}

static size_t bad_frame(enum bad bad, uint8_t out[1024])
{
    struct mpb_msg seen = fixture_msg(0, 50);
    switch (bad) {
    case DUPLICATE:
        return frame_of_msg(&seen, out);
    case WRONG_TOPIC:
        return frame_of_data(MPB_BYTES_OF("anything"), MPB_BYTES_OF("/waku/2/rs/0/00"), out);
    case EMPTY_TOPIC:
        return literal("\x07\x12\x05\x12\x01x\x22\x00", 8, out);
    case WITH_FROM:
        return publish_with("\x0a", true, true, out);
    case WITH_SEQNO:
        return publish_with("\x1a", true, true, out);
    case WITH_SIGNATURE:
        return publish_with("\x2a", true, true, out);
    case WITH_KEY:
        return publish_with("\x32", true, true, out);
    case WITH_ALL:
        return publish_with("\x0a\x1a\x2a\x32", true, true, out);
    case NO_DATA:
        return publish_with("", false, true, out);
    case NO_TOPIC:
        return publish_with("", true, false, out);
    case CUT_FIELD:
        return literal("\x03\x12\x05x", 4, out);
    case GROUP:
        return literal("\x02\x13\x14", 3, out);
    case LONG_VARINT:
        return literal("\x03\x08\x80\x00", 4, out);
    case LONG_PREFIX:
        return literal("\x81\x00\x08", 3, out);
    case OVERSIZE_BY_ONE: /* 153601 */
        return literal("\x81\xb0\x09", 3, out);
    case ENDLESS_VARINT:
        memset(out, 0xff, 1000);
        return 1000;
    case N_BAD:
    default:
        fail();
        return 0;
    }
}

static uint64_t n_drops(const struct party *p)
{
    uint64_t n = 0;
    for (size_t i = 0; i < MPB_DROP__COUNT; i++) {
        n += party_stats(p)->dropped[i];
    }
    return n;
}

/* All messages received are somewhere. */
static void assert_closes(const struct party *p)
{
    const struct mpb_gossip_stats *stats = party_stats(p);
    const struct mpb_node_stats *node = mpb_node_stats(p->node);
    uint64_t n = stats->dropped[MPB_DROP_DUPLICATE] + stats->dropped[MPB_DROP_WRONG_TOPIC] +
                 stats->dropped[MPB_DROP_SIGNED] + node->delivered - stats->published;
    for (size_t i = 0; i < MPB_STATUS__COUNT; i++) {
        n += node->rejected_by_codec[i];
    }
    for (size_t i = 0; i < MPB_NODE_VALIDATORS_MAX; i++) {
        n += node->rejected_by_validator[i];
    }
    assert_int_equal(stats->received, n);
}

/* A bad frame, and behind it, in the same bytes, a good one: handled only if the connection goes
 * on. An honest peer is served before and after. */
static void check_bad(const struct mpb_variant *variant, enum bad bad)
{
    struct party a;
    struct mpb_msg seen = fixture_msg(0, 50), behind = fixture_msg(1, 50),
                   later = fixture_msg(2, 50);
    uint8_t frames[2048];
    size_t at = 0, honest_at = 0;
    party_open(&a, variant, true);
    struct far honest = far_join(&a, &honest_at), far = far_join(&a, &at);
    far_send_msg(&honest, &seen);
    assert_false(far_settle(&honest, &a, honest_at));
    assert_false(far_settle(&far, &a, at));
    far_expect_msg(&far, &seen);
    size_t len = bad_frame(bad, frames);
    len += frame_of_msg(&behind, frames + len);
    far_send(&far, frames, len);
    assert_int_equal(far_settle(&far, &a, at), fates[bad].is_lost);
    assert_int_equal(n_drops(&a), 1);
    assert_int_equal(party_stats(&a)->dropped[fates[bad].reason], 1);
    assert_int_equal(party_stats(&a)->peers_lost, fates[bad].is_lost);
    assert_int_equal(a.n_delivered, fates[bad].is_lost ? 1 : 2);
    far_send_msg(&honest, &later);
    assert_false(far_settle(&honest, &a, honest_at));
    assert_int_equal(a.n_delivered, fates[bad].is_lost ? 2 : 3);
    assert_int_equal(n_drops(&a), 1);
    assert_closes(&a);
    party_close(&a);
    far_close(&far);
    far_close(&honest);
}

static void check_all_bad(const struct mpb_variant *variant)
{
    for (size_t bad = 0; bad < N_BAD; bad++) {
        check_bad(variant, (enum bad)bad);
    }
}

static void test_bad_frames(void **state)
{
    (void)state;
    for_each_variant(check_all_bad);
}

/* A connection that ends between frames is no drop; within one, wherever, it is one. */
static void test_cut(void **state)
{
    (void)state;
    uint8_t frame[1024];
    struct mpb_msg msg = fixture_msg(0, 150);
    size_t len = frame_of_msg(&msg, frame), n_cut = 0;
    struct party a;
    party_open(&a, after(), true);
    for (size_t i = 0; i <= len; i++) {
        for (int is_late = 0; is_late <= 1; is_late++) { /* the end is seen at once, or later */
            size_t at = 0;
            a.n_peers = 0;
            struct far far = far_open(&a, &at);
            far_settle(&far, &a, at);
            far_send(&far, frame, i);
            if (is_late) {
                assert_false(far_settle(&far, &a, at));
            }
            assert_int_equal(shutdown(far.fd, SHUT_WR), 0);
            assert_true(far_settle(&far, &a, at));
            far_close(&far);
            n_cut += i > 0 && i < len;
            assert_int_equal(party_stats(&a)->dropped[MPB_DROP_CUT], n_cut);
        }
    }
    assert_int_equal(n_drops(&a), n_cut + 1); /* the whole frame came twice */
    assert_int_equal(party_stats(&a)->peers_lost, 2 * (len + 1));
    assert_int_equal(a.n_delivered, 1);
    party_close(&a);
}

/* A reset over TCP, with a frame begun, and with none. */
static void test_reset(void **state)
{
    (void)state;
    for (size_t n_sent = 0; n_sent <= 1; n_sent++) {
        struct party a;
        int fds[2];
        struct linger linger = {.l_onoff = 1, .l_linger = 0};
        party_open(&a, after(), true);
        socket_tcp_pair(fds);
        assert_int_equal(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
        size_t at = party_add(&a, fds[0]);
        if (n_sent > 0) {
            socket_write(fds[1], MPB_BYTES_OF("\x05"));
            socket_await(fds[0]);
            assert_false(party_serve(&a, at));
        }
        assert_int_equal(setsockopt(fds[1], SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
        close(fds[1]);
        socket_await(fds[0]);
        assert_true(party_serve(&a, at));
        assert_int_equal(n_drops(&a), n_sent);
        assert_int_equal(party_stats(&a)->dropped[MPB_DROP_CUT], n_sent);
        party_close(&a);
    }
}

static enum mpb_status reject_short(void *ctx, const struct mpb_msg *msg, struct mpb_bytes wire)
{
    (void)ctx, (void)wire;
    return msg->payload.len < 100 ? MPB_E_REJECTED : MPB_OK;
}

/* What the codec or a validator rejects is counted there, goes nowhere, moves no clock, and ends no
 * connection. */
static void check_rejected(const struct mpb_variant *variant)
{
    struct party a;
    struct mpb_validator validator = {"size", reject_short, NULL};
    struct mpb_node_cfg node = {.archive_capacity = 8, .validators = &validator, .n_validators = 1};
    struct mpb_msg small = fixture_msg(1, 99), good = fixture_msg(2, 100);
    uint8_t frame[512], ids[1][MPB_MSG_HASH_LEN];
    size_t at = 0, other_at = 0;
    party_open_with(&a, variant, node, (struct mpb_gossip_cfg){.node = NULL});
    struct far far = far_join(&a, &at), other = far_join(&a, &other_at);
    small.timestamp_ns = FIXTURE_BASE_NS + 10 * GOSSIP_SECOND_NS;
    far_send_msg(&far, &small);
    far_send(&far, frame, frame_of_data(MPB_BYTES_OF("\xff garbage"), FIXTURE_PUBSUB_TOPIC, frame));
    far_send(&far, frame, frame_of_data(MPB_BYTES_OF(""), FIXTURE_PUBSUB_TOPIC, frame));
    id_of_msg(&small, ids[0]);
    far_control(&far, MPB_RPC_IWANT, (struct mpb_bytes){0}, ids, 1);
    assert_false(far_settle(&far, &a, at));
    assert_int_equal(mpb_node_stats(a.node)->rejected_by_validator[0], 1);
    assert_int_equal(party_stats(&a)->heartbeats + n_drops(&a), 0);
    assert_int_equal(mpb_gossip_cache_bytes(a.gossip), 0);
    assert_int_equal(mpb_node_last_ns(a.node), 0);
    assert_closes(&a);
    assert_false(far_settle(&other, &a, other_at));
    far_expect(&other, NULL, 0);
    far_expect(&far, NULL, 0);
    far_send_msg(&far, &good);
    assert_false(far_settle(&far, &a, at));
    assert_false(far_settle(&other, &a, other_at));
    far_expect_msg(&other, &good);
    assert_int_equal(mpb_node_last_ns(a.node), good.timestamp_ns);
    assert_int_equal(a.n_delivered, 1);
    party_close(&a);
    far_close(&far);
    far_close(&other);
}

static void test_rejected(void **state)
{
    (void)state;
    for_each_variant(check_rejected);
}

/* Good frames with some bytes changed, cut or swapped, over many connections: the node goes on, and
 * its accounts close. */
static void check_mutants(const struct mpb_variant *variant)
{
    enum { N = 2000 };
    static uint8_t frame[4096];
    struct party a;
    uint64_t random = 42;
    size_t at = 0, n_lost = 0;
    party_open(&a, variant, true);
    struct far other = far_join(&a, &at);
    for (size_t i = 0; i < N; i++) {
        struct mpb_msg msg =
            fixture_msg(fixture_below(&random, 300), 70 * fixture_below(&random, 4));
        uint8_t ids[2][MPB_MSG_HASH_LEN] = {{(uint8_t)i}, {1}}, control[512];
        struct mpb_rpc_control_msg ihave = {.kind = (enum mpb_rpc_control)(i % 5),
                                            .topic = FIXTURE_PUBSUB_TOPIC,
                                            .ids = (const uint8_t(*)[MPB_MSG_HASH_LEN])ids,
                                            .n_ids = 2};
        size_t len = frame_of_msg(&msg, frame);
        size_t control_len = mpb_rpc_control(&ihave, control, sizeof(control));
        memcpy(frame + len, control, control_len);
        len += control_len;
        for (size_t k = fixture_below(&random, 4); k > 0; k--) {
            frame[fixture_below(&random, len)] = (uint8_t)fixture_random(&random);
        }
        a.n_peers = 1;
        struct far far = far_join(&a, &at);
        far_send(&far, frame, len - (i % 7 == 0 ? fixture_below(&random, len) : 0));
        bool lost = far_settle(&far, &a, at);
        close(far.fd);
        n_lost += lost || party_serve(&a, at);
        test_free(far.bytes);
        assert_int_equal(party_stats(&a)->peers_lost, n_lost);
        assert_closes(&a);
    }
    assert_int_equal(n_lost, N);
    assert_true(party_stats(&a)->dropped[MPB_DROP_MALFORMED] > N / 50);
    assert_true(party_stats(&a)->dropped[MPB_DROP_DUPLICATE] > N / 50);
    assert_true(a.n_delivered > N / 20);
    far_settle(&other, &a, 0);
    party_close(&a);
    far_close(&other);
}

static void test_mutants(void **state)
{
    (void)state;
    for_each_variant(check_mutants);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_frames), cmocka_unit_test(test_cut),
        cmocka_unit_test(test_reset),      cmocka_unit_test(test_rejected),
        cmocka_unit_test(test_mutants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
