/* test_gossip_bounds.c: what a router holds, however its peers behave: queues, caches, and a clock
 * that timestamps cannot break. */
#include "core/gossip.h"

#include "core/seen_cache.h"
#include "core/tests/gossip_fixture.h"

static const struct mpb_bytes no_topic;

static const struct mpb_variant *after(void)
{
    return mpb_variant_find("after");
}

/* A peer that does not read: its queue of 512 publishes fills, what comes then is dropped and
 * counted, the node and the others go on, and what was queued arrives in the end. */
static void check_medium_queue(const struct mpb_variant *variant)
{
    enum { N = 700, LEN = 4000 };
    struct party a, b;
    struct party *const both[] = {&a, &b};
    size_t at = 0;
    party_open(&a, variant, false);
    party_open(&b, variant, true);
    struct far far = far_join(&a, &at);
    party_link(&a, &b);
    party_settle(both, 2);
    for (size_t i = 0; i < N; i++) {
        party_publish(&a, fixture_msg(i, LEN));
        party_serve(&b, 0);
    }
    const struct mpb_gossip_stats *stats = party_stats(&a);
    const struct mpb_peer_stats *peer = mpb_gossip_peer_stats(a.peers[at]);
    uint64_t n_full = stats->dropped[MPB_DROP_QUEUE_FULL];
    assert_true(n_full > 0 && n_full < N - MPB_PEER_QUEUE_MEDIUM);
    assert_int_equal(peer->dropped[MPB_PRIORITY_MEDIUM], n_full);
    assert_int_equal(stats->sent, 2 * N - n_full);
    assert_int_equal(stats->published, N);
    assert_int_equal(b.n_delivered, N);
    assert_true(peer->queued_bytes_max <= (MPB_PEER_QUEUE_MEDIUM + 1) * (LEN + 256));
    for (uint64_t before = 1; before != peer->frames_out;) {
        before = peer->frames_out;
        far_take(&far);
        far.len = 0;
        party_serve(&a, at);
    }
    assert_int_equal(peer->frames_out, 2 + N - n_full);
    assert_false(mpb_gossip_wants_write(a.peers[at]));
    party_close(&a);
    party_close(&b);
    far_close(&far);
}

static void test_medium_queue(void **state)
{
    (void)state;
    for_each_variant(check_medium_queue);
}

/* What is relayed waits in a queue of its own, of 1024. */
static void test_low_queue(void **state)
{
    (void)state;
    enum { N = 2500 };
    struct party a;
    size_t at = 0, stuck_at = 0;
    party_open(&a, mpb_variant_find("floor"), true);
    struct far far = far_join(&a, &at), stuck = far_join(&a, &stuck_at);
    for (size_t i = 0; i < N; i++) {
        struct mpb_msg msg = fixture_msg(i, 1000);
        far_send_msg(&far, &msg);
        assert_false(party_serve(&a, at));
        assert_false(party_serve(&a, stuck_at));
    }
    const struct mpb_peer_stats *peer = mpb_gossip_peer_stats(a.peers[stuck_at]);
    assert_int_equal(a.n_delivered, N);
    assert_true(peer->dropped[MPB_PRIORITY_LOW] > 0);
    assert_int_equal(peer->dropped[MPB_PRIORITY_MEDIUM], 0);
    assert_int_equal(party_stats(&a)->dropped[MPB_DROP_QUEUE_FULL],
                     peer->dropped[MPB_PRIORITY_LOW]);
    assert_int_equal(party_stats(&a)->sent + peer->dropped[MPB_PRIORITY_LOW], N);
    assert_true(peer->queued_bytes_max > (MPB_PEER_QUEUE_LOW - 1) * 1000);
    party_close(&a);
    far_close(&far);
    far_close(&stuck);
}

/* n control messages of one kind in one frame: a topic of a byte, or an id. */
static size_t flood(enum mpb_rpc_control kind, const uint8_t *id, size_t n, uint8_t *out)
{
    static uint8_t rpc[MPB_RPC_FRAME_MAX], control[MPB_RPC_FRAME_MAX];
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        struct mpb_bytes value =
            id != NULL ? (struct mpb_bytes){id, MPB_MSG_HASH_LEN} : MPB_BYTES_OF("x");
        control[len++] = (uint8_t)((kind + 1) << 3 | 2);
        control[len++] = (uint8_t)(value.len + 2);
        control[len++] = 1 << 3 | 2;
        len += frame_of(value, control + len);
    }
    rpc[0] = 3 << 3 | 2;
    len = 1 + frame_of((struct mpb_bytes){control, len}, rpc + 1);
    return frame_of((struct mpb_bytes){rpc, len}, out);
}

/* More questions in a turn than there may be answers: the connection ends, under that reason alone,
 * though another frame had begun. */
static void test_high_queue(void **state)
{
    (void)state;
    static uint8_t frame[MPB_RPC_FRAME_MAX];
    for (size_t over = 0; over <= 1; over++) {
        struct party a;
        size_t at = 0;
        party_open(&a, after(), true);
        struct far far = far_join(&a, &at);
        size_t len = flood(MPB_RPC_GRAFT, NULL, MPB_PEER_QUEUE_HIGH + over, frame);
        far_send(&far, frame, len);
        far_send(&far, (const uint8_t *)"\x40 cut", 5);
        assert_int_equal(far_settle(&far, &a, at), over);
        for (size_t i = 0; i < MPB_DROP__COUNT; i++) {
            assert_int_equal(party_stats(&a)->dropped[i], i == MPB_DROP_QUEUE_FULL ? over : 0);
        }
        assert_int_equal(party_stats(&a)->peers_lost, over);
        party_close(&a);
        far_close(&far);
    }
}

/* The same large message asked for over and over: what waits for the peer stays below 16 MiB and a
 * frame, each question is served or counted, and an honest peer is served all the while. */
static void check_iwant_flood(const struct mpb_variant *variant)
{
    enum { N = 2000, LEN = 100000 };
    static uint8_t frame[MPB_RPC_FRAME_MAX];
    struct party a;
    struct mpb_msg msg = fixture_msg(1, LEN), later = fixture_msg(2, 100);
    uint8_t id[MPB_MSG_HASH_LEN];
    size_t at = 0, honest_at = 0;
    party_open(&a, variant, false);
    struct far far = far_open(&a, &at), honest = far_join(&a, &honest_at);
    party_publish(&a, msg);
    assert_false(far_settle(&honest, &a, honest_at));
    far_expect_msg(&honest, &msg);
    id_of_msg(&msg, id);
    int64_t live = fixture_live_bytes();
    far_send(&far, frame, flood(MPB_RPC_IWANT, id, N, frame));
    assert_false(party_serve(&a, at));
    const struct mpb_gossip_stats *stats = party_stats(&a);
    assert_int_equal(stats->iwant_served + stats->dropped[MPB_DROP_QUEUE_FULL], N);
    assert_true(stats->iwant_served > 100);
    assert_true(mpb_gossip_peer_stats(a.peers[at])->queued_bytes_max < (16 << 20) + 2 * LEN);
    assert_true(fixture_live_bytes() - live < 20 << 20);
    party_publish(&a, later);
    assert_false(far_settle(&honest, &a, honest_at));
    far_expect_msg(&honest, &later);
    party_close(&a);
    far_close(&far);
    far_close(&honest);
}

static void test_iwant_flood(void **state)
{
    (void)state;
    for_each_variant(check_iwant_flood);
}

/* New valid messages at one moment, so that no heartbeat comes: the cache takes so many bytes, the
 * rest is delivered and relayed as ever, but not kept; a heartbeat later there is room again. */
static void check_cache_bound(const struct mpb_variant *variant)
{
    enum { N = 300, MAX = 64 * 1024 };
    struct party a;
    struct mpb_node_cfg node = {.archive_capacity = 4};
    struct mpb_gossip_cfg gossip = {.cache_max_bytes = MAX};
    size_t at = 0, other_at = 0;
    party_open_with(&a, variant, node, gossip);
    struct far far = far_join(&a, &at), other = far_join(&a, &other_at);
    for (size_t i = 0; i < N; i++) {
        struct mpb_msg msg = fixture_msg(i, 1000);
        msg.timestamp_ns = FIXTURE_BASE_NS;
        far_send_msg(&far, &msg);
        assert_false(far_settle(&far, &a, at));
        assert_false(far_settle(&other, &a, other_at));
        far_expect_msg(&other, &msg);
        assert_true(mpb_gossip_cache_bytes(a.gossip) <= MAX);
    }
    uint64_t n_uncached = party_stats(&a)->uncached;
    assert_true(n_uncached > N - MAX / 1000 && n_uncached < N - MAX / 1200);
    assert_int_equal(a.n_delivered, N);
    for (int64_t second = 1; second <= 6; second++) {
        struct mpb_msg tick = fixture_msg((size_t)(N + second), 10);
        tick.timestamp_ns = FIXTURE_BASE_NS + second * GOSSIP_SECOND_NS;
        far_send_msg(&far, &tick);
    }
    assert_false(far_settle(&far, &a, at));
    assert_true(mpb_gossip_cache_bytes(a.gossip) < 2000);
    assert_true(mpb_gossip_cache_bytes(a.gossip) > 0);
    party_close(&a);
    far_close(&far);
    far_close(&other);
}

static void test_cache_bound(void **state)
{
    (void)state;
    for_each_variant(check_cache_bound);
}

/* The seen-cache does not grow. */
static void test_seen_bound(void **state)
{
    (void)state;
    struct party a;
    size_t at = 0;
    party_open(&a, mpb_variant_find("floor"), true);
    struct far far = far_join(&a, &at);
    size_t bytes = mpb_gossip_seen_bytes(a.gossip);
    for (size_t i = 0; i < GOSSIP_SEEN_CAPACITY + 100; i++) {
        struct mpb_msg msg = fixture_msg(i, 8);
        far_send_msg(&far, &msg);
        assert_false(party_serve(&a, at));
    }
    assert_int_equal(mpb_gossip_seen_bytes(a.gossip), bytes);
    assert_int_equal(a.n_delivered, GOSSIP_SEEN_CAPACITY + 100);
    party_close(&a);
    far_close(&far);
}

/* Timestamps from the ends of time, and just beyond what is accepted, move nothing: no heartbeat,
 * no id or message forgotten. The next honest message moves the clock as ever. */
static void test_hostile_times(void **state)
{
    (void)state;
    static const int64_t times[] = {INT64_MIN,
                                    INT64_MIN + 1,
                                    -1,
                                    0,
                                    1,
                                    FIXTURE_BASE_NS - MPB_ARCHIVE_VARIANCE_NS - 1,
                                    FIXTURE_BASE_NS,
                                    INT64_MAX - 1,
                                    INT64_MAX,
                                    FIXTURE_BASE_NS + MPB_ARCHIVE_VARIANCE_NS + 1};
    struct party a;
    struct mpb_msg honest = fixture_msg(0, 300), next = fixture_msg(100, 10);
    uint8_t ids[1][MPB_MSG_HASH_LEN];
    size_t at = 0;
    party_open(&a, after(), true);
    struct far far = far_join(&a, &at);
    far_send_msg(&far, &honest);
    for (size_t i = 0; i < MPB_ARRAY_LEN(times); i++) {
        struct mpb_msg msg = fixture_msg(1 + i, 100);
        msg.timestamp_ns = times[i];
        far_send_msg(&far, &msg);
        far_send_msg(&far, &honest);
        assert_false(far_settle(&far, &a, at));
        assert_int_equal(party_stats(&a)->dropped[MPB_DROP_DUPLICATE], 1 + i);
    }
    assert_int_equal(party_stats(&a)->heartbeats, 0);
    assert_int_equal(mpb_node_stats(a.node)->refused[MPB_REFUSAL_PAST], 6);
    assert_int_equal(mpb_node_stats(a.node)->refused[MPB_REFUSAL_FUTURE], 3);
    id_of_msg(&honest, ids[0]);
    far_control(&far, MPB_RPC_IWANT, no_topic, ids, 1);
    assert_false(far_settle(&far, &a, at));
    far_expect_msg(&far, &honest);
    next.timestamp_ns = FIXTURE_BASE_NS + MPB_ARCHIVE_VARIANCE_NS;
    far_send_msg(&far, &next);
    assert_false(far_settle(&far, &a, at));
    assert_int_equal(party_stats(&a)->heartbeats, 20);
    assert_int_equal(mpb_node_stats(a.node)->archived, 3);
    party_close(&a);
    far_close(&far);
}

/* A node's own messages move its clock as far as they say, at once, and never back. */
static void test_own_times(void **state)
{
    (void)state;
    static const struct {
        int64_t time_ns;
        uint64_t heartbeats;
    } steps[] = {
        {FIXTURE_BASE_NS + GOSSIP_SECOND_NS - 1, 0},
        {FIXTURE_BASE_NS + GOSSIP_SECOND_NS, 1},
        {FIXTURE_BASE_NS, 1},
        {INT64_MIN, 1},
        {FIXTURE_BASE_NS + 100 * GOSSIP_SECOND_NS + 5, 100},
        {FIXTURE_BASE_NS + 101 * GOSSIP_SECOND_NS, 101},
        {INT64_MAX, (INT64_MAX - FIXTURE_BASE_NS) / 1000000000},
        {INT64_MAX, (INT64_MAX - FIXTURE_BASE_NS) / 1000000000},
    };
    struct party a;
    party_open(&a, after(), true);
    for (size_t i = 0; i < MPB_ARRAY_LEN(steps); i++) {
        struct mpb_msg msg = fixture_msg(i, 10);
        msg.timestamp_ns = steps[i].time_ns;
        party_publish(&a, msg);
        assert_int_equal(party_stats(&a)->heartbeats, steps[i].heartbeats);
    }
    assert_int_equal(a.n_delivered, MPB_ARRAY_LEN(steps));
    /* a jump over all windows leaves nothing: only the last two messages are there */
    assert_true(mpb_gossip_cache_bytes(a.gossip) < 2 * 100);
    party_close(&a);
}

/* What a message of a past moment is for the seen-cache: a duplicate for two minutes, then new. */
static void test_seen_expiry(void **state)
{
    (void)state;
    struct party a;
    struct mpb_msg msg = fixture_msg(0, 100);
    size_t at = 0, n_ticks = 0;
    party_open(&a, after(), true);
    struct far far = far_join(&a, &at);
    far_send_msg(&far, &msg);
    for (int64_t second = 0; second <= 120; second += 10) {
        struct mpb_msg tick = fixture_msg(++n_ticks, 10);
        tick.timestamp_ns = FIXTURE_BASE_NS + second * GOSSIP_SECOND_NS;
        far_send_msg(&far, &tick);
        far_send_msg(&far, &msg);
        far_settle(&far, &a, at);
        assert_int_equal(party_stats(&a)->dropped[MPB_DROP_DUPLICATE], n_ticks);
    }
    struct mpb_msg late = fixture_msg(++n_ticks, 10);
    late.timestamp_ns = FIXTURE_BASE_NS + MPB_SEEN_CACHE_TTL_NS + 1;
    far_send_msg(&far, &late);
    far_send_msg(&far, &msg);
    far_settle(&far, &a, at);
    assert_int_equal(party_stats(&a)->dropped[MPB_DROP_DUPLICATE], n_ticks - 1);
    assert_int_equal(a.n_delivered, 1 + n_ticks + 1);
    assert_int_equal(mpb_node_stats(a.node)->refused[MPB_REFUSAL_PAST], 1);
    party_close(&a);
    far_close(&far);
}

/* A connection that broke does not fail the publish: the others get the message, and serving says
 * that it is lost. */
static void check_broken(const struct mpb_variant *variant)
{
    struct party a;
    size_t at[3];
    party_open(&a, variant, false);
    struct far fars[3];
    for (size_t i = 0; i < 3; i++) {
        fars[i] = far_join(&a, &at[i]);
    }
    struct mpb_msg msg = fixture_msg(1, 1000);
    close(fars[1].fd);
    party_publish(&a, msg);
    party_publish(&a, fixture_msg(2, 1000));
    for (size_t i = 0; i < 3; i += 2) {
        assert_false(mpb_gossip_wants_write(a.peers[at[i]]));
        far_take(&fars[i]);
        fars[i].len /= 2;
        far_expect_msg(&fars[i], &msg);
    }
    assert_true(party_serve(&a, at[1]));
    assert_int_equal(party_stats(&a)->peers_lost, 1);
    party_publish(&a, fixture_msg(3, 1000));
    for (size_t i = 0; i < 3; i += 2) {
        assert_false(far_settle(&fars[i], &a, at[i]));
        far_close(&fars[i]);
    }
    assert_int_equal(party_stats(&a)->published, 3);
    assert_int_equal(party_stats(&a)->dropped[MPB_DROP_CUT], 0);
    test_free(fars[1].bytes);
    party_close(&a);
}

static void test_broken(void **state)
{
    (void)state;
    for_each_variant(check_broken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_medium_queue),  cmocka_unit_test(test_high_queue),
        cmocka_unit_test(test_low_queue),     cmocka_unit_test(test_iwant_flood),
        cmocka_unit_test(test_cache_bound),   cmocka_unit_test(test_seen_bound),
        cmocka_unit_test(test_hostile_times), cmocka_unit_test(test_own_times),
        cmocka_unit_test(test_seen_expiry),   cmocka_unit_test(test_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
