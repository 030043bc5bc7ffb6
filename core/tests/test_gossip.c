/* test_gossip.c: the router among well-meaning peers: greetings, the mesh, IHAVE and IWANT,
 * relaying, and virtual time. */
#include "core/gossip.h"

#include "core/tests/gossip_fixture.h"

#define FOREIGN_TOPIC MPB_BYTES_OF("/waku/2/rs/0/1")

static const struct mpb_bytes no_topic;

static const struct mpb_variant *after(void)
{
    return mpb_variant_find("after");
}

/* Subscription and GRAFT, in this order, and nothing else. */
static void test_greeting(void **state)
{
    (void)state;
    struct party a;
    uint8_t expected[512];
    size_t at = 0;
    party_open(&a, after(), false);
    struct far far = far_open(&a, &at);
    struct mpb_rpc_control_msg graft = {.kind = MPB_RPC_GRAFT, .topic = FIXTURE_PUBSUB_TOPIC};
    size_t len = mpb_rpc_subscribe(true, FIXTURE_PUBSUB_TOPIC, expected, sizeof(expected));
    len += mpb_rpc_control(&graft, expected + len, sizeof(expected) - len);
    assert_true(mpb_gossip_wants_write(a.peers[at]));
    assert_false(far_settle(&far, &a, at));
    assert_false(mpb_gossip_wants_write(a.peers[at]));
    far_expect(&far, expected, len);
    party_close(&a);
    far_close(&far);
}

/* Who gets messages: who subscribed to the topic and is in the mesh, in whatever order, until one
 * of the two ends. Other topics change nothing. */
static void test_mesh(void **state)
{
    (void)state;
    static const struct {
        enum { SUBSCRIBE, UNSUBSCRIBE, GRAFT, PRUNE } what;
        bool is_ours, is_ready; /* afterwards */
    } steps[] = {
        {GRAFT, true, false},       {SUBSCRIBE, false, false}, {SUBSCRIBE, true, true},
        {UNSUBSCRIBE, false, true}, {PRUNE, false, true},      {GRAFT, false, true},
        {UNSUBSCRIBE, true, false}, {SUBSCRIBE, true, true},   {PRUNE, true, false},
        {SUBSCRIBE, true, false},   {GRAFT, false, false},     {GRAFT, true, true},
    };
    struct party a;
    size_t at = 0;
    party_open(&a, after(), false);
    struct far far = far_open(&a, &at);
    for (size_t i = 0; i < MPB_ARRAY_LEN(steps); i++) {
        struct mpb_bytes topic = steps[i].is_ours ? FIXTURE_PUBSUB_TOPIC : FOREIGN_TOPIC;
        struct mpb_msg msg = fixture_msg(i, 100);
        if (steps[i].what <= UNSUBSCRIBE) {
            far_subscribe(&far, steps[i].what == SUBSCRIBE, topic);
        } else {
            enum mpb_rpc_control kind = steps[i].what == GRAFT ? MPB_RPC_GRAFT : MPB_RPC_PRUNE;
            far_control(&far, kind, topic, NULL, 0);
        }
        assert_false(far_settle(&far, &a, at));
        assert_int_equal(mpb_gossip_is_ready(a.peers[at]), steps[i].is_ready);
        far.len = 0;
        party_publish(&a, msg);
        far_settle(&far, &a, at);
        if (steps[i].is_ready) {
            far_expect_msg(&far, &msg);
        }
        far_expect(&far, NULL, 0);
    }
    party_close(&a);
    far_close(&far);
}

/* A GRAFT for another topic is answered by a PRUNE for it, with the back-off of a minute; one whose
 * topic is too long for an answer by nothing. */
static void test_foreign_graft(void **state)
{
    (void)state;
    struct party a;
    /* control of 306 bytes { graft of 303 { topic of 300 } } */
    static const uint8_t rpc[309] = {3 << 3 | 2, 0xb2, 2, 3 << 3 | 2, 0xaf, 2, 1 << 3 | 2, 0xac, 2};
    static uint8_t frame[MPB_RPC_FRAME_MAX];
    size_t at = 0;
    party_open(&a, after(), false);
    struct far far = far_join(&a, &at);
    far_control(&far, MPB_RPC_GRAFT, FOREIGN_TOPIC, NULL, 0);
    assert_false(far_settle(&far, &a, at));
    far_expect(&far, frame, frame_of_control(MPB_RPC_PRUNE, FOREIGN_TOPIC, NULL, 0, frame));
    uint64_t n_control = party_stats(&a)->control_in;
    far_send(&far, frame, frame_of((struct mpb_bytes){rpc, sizeof(rpc)}, frame));
    assert_false(far_settle(&far, &a, at));
    far_expect(&far, NULL, 0);
    assert_int_equal(party_stats(&a)->control_in, n_control + 1);
    assert_true(mpb_gossip_is_ready(a.peers[at]));
    party_close(&a);
    far_close(&far);
}

/* Ids of numbers. */
static void number_ids(uint8_t (*ids)[MPB_MSG_HASH_LEN], size_t n, size_t first)
{
    memset(ids, 0x33, n * sizeof(*ids));
    for (size_t i = 0; i < n; i++) {
        size_t number = first + i;
        memcpy(ids[i] + 5, &number, sizeof(number));
    }
}

static void expect_iwant(struct far *far, uint8_t (*ids)[MPB_MSG_HASH_LEN], size_t n)
{
    static uint8_t frame[MPB_RPC_FRAME_MAX];
    far_expect(far, frame, n > 0 ? frame_of_control(MPB_RPC_IWANT, no_topic, ids, n, frame) : 0);
}

/* IHAVE is answered by one IWANT for what was not seen, at most 256 ids of it. */
static void test_ihave(void **state)
{
    (void)state;
    static uint8_t ids[4000][MPB_MSG_HASH_LEN];
    struct party a;
    struct mpb_msg msg = fixture_msg(1, 100);
    size_t at = 0;
    party_open(&a, after(), true);
    struct far far = far_join(&a, &at);
    far_send_msg(&far, &msg);
    number_ids(ids, 4000, 0);
    id_of_msg(&msg, ids[1]); /* seen */
    far_control(&far, MPB_RPC_IHAVE, FIXTURE_PUBSUB_TOPIC, ids, 2);
    assert_false(far_settle(&far, &a, at));
    expect_iwant(&far, ids, 1);
    far_control(&far, MPB_RPC_IHAVE, FIXTURE_PUBSUB_TOPIC, ids + 1, 1);
    far_control(&far, MPB_RPC_IHAVE, FOREIGN_TOPIC, ids, 1);
    far_control(&far, MPB_RPC_IDONTWANT, no_topic, ids, 1);
    assert_false(far_settle(&far, &a, at));
    expect_iwant(&far, NULL, 0);
    far_control(&far, MPB_RPC_IHAVE, FIXTURE_PUBSUB_TOPIC, ids + 2, 3998);
    assert_false(far_settle(&far, &a, at));
    expect_iwant(&far, ids + 2, 256);
    for (size_t i = 0; i < 64; i++) { /* honest and many: no queue overflows */
        far_control(&far, MPB_RPC_IHAVE, FIXTURE_PUBSUB_TOPIC, ids + 2 + i, 20);
    }
    assert_false(far_settle(&far, &a, at));
    assert_int_equal(party_stats(&a)->dropped[MPB_DROP_QUEUE_FULL], 0);
    assert_int_equal(party_stats(&a)->control_in, 1 + 2 + 1 + 1 + 1 + 3998 + 64 * 20);
    party_close(&a);
    far_close(&far);
}

/* Ids of another length are nobody's, though one begins as a cached message's. */
static void test_odd_ids(void **state)
{
    (void)state;
    /* control { ihave { our topic, an id of 2 bytes }, iwant { an id of 33 bytes } } */
    uint8_t rpc[] = "\x1a\x3b\x0a\x14\x0a\x0e/waku/2/rs/0/0\x12\x02zz"
                    "\x12\x23\x0a\x21"
                    "012345678901234567890123456789012";
    struct party a;
    struct mpb_msg msg = fixture_msg(1, 100);
    uint8_t frame[128];
    size_t at = 0, len = sizeof(rpc) - 1;
    party_open(&a, after(), true);
    struct far far = far_join(&a, &at);
    far_send_msg(&far, &msg);
    id_of_msg(&msg, rpc + len - 33);
    far_send(&far, frame, frame_of((struct mpb_bytes){rpc, len}, frame));
    assert_false(far_settle(&far, &a, at));
    far_expect(&far, NULL, 0);
    assert_int_equal(a.n_delivered, 1);
    assert_int_equal(party_stats(&a)->control_in, 1 + 2);
    assert_int_equal(party_stats(&a)->iwant_served, 0);
    party_close(&a);
    far_close(&far);
}

/* Ask for a message; is it served, with the bytes it had? */
static bool is_served(struct party *p, struct far *far, size_t at, const struct mpb_msg *msg)
{
    uint8_t ids[1][MPB_MSG_HASH_LEN];
    uint64_t n_served = party_stats(p)->iwant_served;
    id_of_msg(msg, ids[0]);
    far_control(far, MPB_RPC_IWANT, no_topic, ids, 1);
    assert_false(far_settle(far, p, at));
    bool served = party_stats(p)->iwant_served > n_served;
    if (served) {
        far_expect_msg(far, msg);
    }
    far_expect(far, NULL, 0);
    return served;
}

/* Own and received messages are served alike, to whoever asks, for six heartbeats; the node's time
 * is that of the messages. */
static void check_iwant(const struct mpb_variant *variant)
{
    struct party a;
    struct mpb_msg own = fixture_msg(1, 3000), other = fixture_msg(2, 70000);
    size_t at = 0, asks_at = 0;
    party_open(&a, variant, true);
    struct far far = far_join(&a, &at), asks = far_open(&a, &asks_at);
    far_settle(&asks, &a, asks_at);
    asks.len = 0;
    party_publish(&a, own);
    far_settle(&far, &a, at);
    far_expect_msg(&far, &own);
    far_send_msg(&far, &other);
    far_settle(&far, &a, at);
    struct mpb_msg unknown = fixture_msg(3, 10);
    assert_false(is_served(&a, &asks, asks_at, &unknown));
    for (int64_t second = 0; second <= 6; second++) {
        struct mpb_msg tick = fixture_msg((size_t)(10 + second), 10);
        /* just after one heartbeat and just before the next */
        tick.timestamp_ns =
            FIXTURE_BASE_NS + second * GOSSIP_SECOND_NS + (second > 0 ? 0 : 3000000);
        far_send_msg(&far, &tick);
        far_settle(&far, &a, at);
        assert_int_equal(party_stats(&a)->heartbeats, second);
        assert_int_equal(is_served(&a, &asks, asks_at, &own), second < 6);
        assert_int_equal(is_served(&a, &asks, asks_at, &other), second < 6);
        assert_true(is_served(&a, &asks, asks_at, &tick));
    }
    far_expect(&far, NULL, 0);
    party_close(&a);
    far_close(&far);
    far_close(&asks);
}

static void test_iwant(void **state)
{
    (void)state;
    for_each_variant(check_iwant);
}

/* A - B - C: what A publishes reaches C with the bytes it had at A, once, and B sends it neither
 * back nor twice. A fourth, which is not in the mesh, gets nothing. */
static void check_relay(const struct mpb_variant *variant)
{
    enum { N = 40 };
    struct party a, b, c;
    struct party *const all[] = {&a, &b, &c};
    struct mpb_msg msg = fixture_msg(0, 100);
    size_t at = 0, idle_at = 0;
    party_open(&a, mpb_variant_find("before"), false);
    party_open(&b, variant, true);
    party_open(&c, mpb_variant_find("floor"), true);
    party_link(&a, &b);
    party_link(&b, &c);
    party_settle(all, 3);
    struct far far = far_join(&b, &at), idle = far_open(&b, &idle_at);
    party_settle(all, 3);
    far_take(&idle);
    idle.len = 0;
    for (size_t i = 0; i < N; i++) {
        msg = fixture_msg(i, 1000 * i);
        party_publish(&a, msg);
        party_settle(all, 3);
        far_take(&far);
        party_settle(all, 3);
        far_take(&far);
        far_expect_msg(&far, &msg);
    }
    assert_int_equal(b.n_delivered, N);
    assert_int_equal(c.n_delivered, N);
    assert_int_equal(c.n_payload_bytes, a.n_payload_bytes);
    assert_int_equal(mpb_gossip_peer_stats(b.peers[0])->frames_out, 2);
    assert_int_equal(mpb_gossip_peer_stats(b.peers[1])->frames_out, 2 + N);
    assert_int_equal(mpb_gossip_peer_stats(c.peers[0])->frames_out, 2);
    assert_int_equal(party_stats(&b)->sent, 2 * N);
    assert_int_equal(party_stats(&b)->published, 0);
    assert_int_equal(party_stats(&c)->dropped[MPB_DROP_DUPLICATE], 0);
    for (size_t i = 0; i < 3; i++) { /* on_send once for each of two peers */
        assert_int_equal(b.n_observed[i], variant->path->by_value ? (i == 2 ? 2 * N : N) : 0);
    }
    far_take(&idle);
    far_expect(&idle, NULL, 0);
    for (size_t i = 0; i < 3; i++) {
        party_close(all[i]);
    }
    far_close(&far);
    far_close(&idle);
}

static void test_relay(void **state)
{
    (void)state;
    for_each_variant(check_relay);
}

/* In a triangle every message comes twice to two of them: once delivered, once a duplicate. */
static void test_triangle(void **state)
{
    (void)state;
    enum { N = 20 };
    struct party a, b, c;
    struct party *const all[] = {&a, &b, &c};
    for (size_t i = 0; i < 3; i++) {
        party_open(all[i], after(), true);
    }
    party_link(&a, &b);
    party_link(&b, &c);
    party_link(&c, &a);
    party_settle(all, 3);
    for (size_t i = 0; i < N; i++) {
        party_publish(all[i % 3], fixture_msg(i, 500));
        party_settle(all, 3);
    }
    for (size_t i = 0; i < 3; i++) {
        const struct mpb_gossip_stats *stats = party_stats(all[i]);
        assert_int_equal(all[i]->n_delivered, N);
        assert_int_equal(stats->received,
                         N - stats->published + stats->dropped[MPB_DROP_DUPLICATE]);
    }
    uint64_t n_duplicates = 0;
    for (size_t i = 0; i < 3; i++) {
        n_duplicates += party_stats(all[i])->dropped[MPB_DROP_DUPLICATE];
        party_close(all[i]);
    }
    assert_int_equal(n_duplicates, 2 * N);
}

/* A node publishes one of its messages twice: the second time it goes no further than itself. */
static void test_publish_twice(void **state)
{
    (void)state;
    struct party a;
    size_t at = 0;
    party_open(&a, after(), false);
    struct far far = far_join(&a, &at);
    struct mpb_msg msg = fixture_msg(0, 100);
    party_publish(&a, msg);
    party_publish(&a, msg);
    far_settle(&far, &a, at);
    far_expect_msg(&far, &msg);
    assert_int_equal(party_stats(&a)->dropped[MPB_DROP_DUPLICATE], 1);
    assert_int_equal(a.n_delivered, 2);
    party_close(&a);
    far_close(&far);
}

static void test_drop_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPB_DROP__COUNT; i++) {
        const char *name = mpb_gossip_drop_name((enum mpb_drop)i);
        assert_true(strlen(name) > 0 &&
                    strspn(name, "abcdefghijklmnopqrstuvwxyz_") == strlen(name));
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(name, mpb_gossip_drop_name((enum mpb_drop)k));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_greeting),      cmocka_unit_test(test_mesh),
        cmocka_unit_test(test_foreign_graft), cmocka_unit_test(test_ihave),
        cmocka_unit_test(test_odd_ids),       cmocka_unit_test(test_iwant),
        cmocka_unit_test(test_relay),         cmocka_unit_test(test_triangle),
        cmocka_unit_test(test_publish_twice), cmocka_unit_test(test_drop_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
