/* test_gossip_nomem.c: every allocation of making a router, of publishing and of serving fails
 * once: the status says so, nothing leaks, and the node goes on. */
#include "core/gossip.h"

#include "core/tests/failing_heap.h"
#include "core/tests/gossip_fixture.h"

static const struct mpb_variant *after(void)
{
    return mpb_variant_find("after");
}

static uint64_t n_drops(const struct party *p)
{
    uint64_t n = 0;
    for (size_t i = 0; i < MPB_DROP__COUNT; i++) {
        n += party_stats(p)->dropped[i];
    }
    return n;
}

/* What is not a router; and when memory lacks, nothing is left, the socket neither. */
static void test_making(void **state)
{
    (void)state;
    static const uint8_t long_topic[MPB_RPC_TOPIC_MAX + 1] = {0};
    struct mpb_gossip_cfg good = {.pubsub_topic = FIXTURE_PUBSUB_TOPIC,
                                  .variant = after(),
                                  .seen_capacity = 8,
                                  .heartbeat_ns = 1};
    struct mpb_gossip_cfg bad[] = {good, good, good, good};
    struct mpb_gossip *gossip = NULL;
    struct mpb_error err;
    bad[0].pubsub_topic = (struct mpb_bytes){long_topic, sizeof(long_topic)};
    bad[1].heartbeat_ns = 0;
    bad[2].heartbeat_ns = INT64_MIN;
    bad[3].seen_capacity = 0;
    for (size_t i = 0; i < MPB_ARRAY_LEN(bad); i++) {
        assert_int_equal(mpb_gossip_new(&bad[i], &gossip, &err), MPB_E_USAGE);
        assert_null(gossip);
    }
    int64_t live = fixture_live_bytes();
    bool fired = true;
    for (size_t k = 1; fired; k++) {
        struct mpb_gossip_peer *peer = NULL;
        int fds[2];
        socket_pair(fds);
        failing_heap_at(k);
        enum mpb_status st = mpb_gossip_new(&good, &gossip, &err);
        bool is_made = st == MPB_OK;
        st = is_made ? mpb_gossip_add_peer(gossip, fds[0], &peer, &err) : st;
        fired = failing_heap_end();
        assert_int_equal(st, fired ? MPB_E_NOMEM : MPB_OK);
        assert_int_equal(peer != NULL, !fired);
        assert_int_equal(fcntl(fds[0], F_GETFD) == -1, is_made && fired);
        assert_true(!fired || err.status == MPB_E_NOMEM);
        mpb_gossip_free(is_made ? gossip : NULL);
        assert_int_equal(fcntl(fds[0], F_GETFD) == -1, is_made);
        is_made ? (void)0 : (void)close(fds[0]);
        close(fds[1]);
        gossip = NULL;
        assert_int_equal(fixture_live_bytes(), live);
    }
    mpb_gossip_free(NULL);
}

/* Fail every allocation of a publish once: MPB_E_NOMEM (MPB_E_INTERNAL: one of libcrypto's), and
 * the next message goes through. */
static void check_publish(const struct mpb_variant *variant)
{
    struct party a, b;
    struct party *const both[] = {&a, &b};
    party_open(&a, variant, true);
    party_open(&b, variant, true);
    party_link(&a, &b);
    party_settle(both, 2);
    bool fired = true;
    size_t n_failed = 0, idx = 0;
    for (size_t k = 1; fired; k++) {
        struct mpb_msg msg = fixture_msg(++idx, 300);
        struct mpb_buffer *buffer = party_compose(&msg);
        struct mpb_error err = {.status = MPB_OK};
        failing_heap_at(k);
        enum mpb_status st = mpb_gossip_publish(a.gossip, &msg, buffer, &err);
        fired = failing_heap_end();
        assert_true(fired ? st == MPB_E_NOMEM || st == MPB_E_INTERNAL : st == MPB_OK);
        assert_int_equal(err.status, st);
        n_failed += st == MPB_E_NOMEM;
        mpb_buffer_unref(buffer);
        size_t n_before = b.n_delivered;
        party_publish(&a, fixture_msg(++idx, 300));
        party_settle(both, 2);
        assert_true(b.n_delivered > n_before);
    }
    /* encode (floor: none), decode or envelope, cache entry, frame */
    assert_true(n_failed >= 3);
    party_close(&a);
    party_close(&b);
}

static void test_publish(void **state)
{
    (void)state;
    for_each_variant(check_publish);
}

/* Serve once with the k-th allocation failing, then to the end. Returns whether it fired. */
static bool serve_failing(struct party *a, size_t at, size_t k, size_t *n_nomem)
{
    struct mpb_error err = {.status = MPB_OK};
    bool drained = false, lost = false;
    failing_heap_at(k);
    enum mpb_status st = mpb_gossip_serve(a->gossip, a->peers[at], &drained, &lost, &err);
    bool fired = failing_heap_end();
    assert_true(fired ? st == MPB_E_NOMEM || st == MPB_E_INTERNAL : st == MPB_OK);
    assert_int_equal(err.status, st);
    assert_false(lost);
    *n_nomem += st == MPB_E_NOMEM;
    return fired;
}

/* Fail every allocation of serving a message that is also relayed, asked for and announced: the
 * node says so, the connection lives, and the next message goes through. */
static void check_serve(const struct mpb_variant *variant)
{
    struct party a;
    static uint8_t frame[MPB_RPC_FRAME_MAX];
    uint8_t ids[1][MPB_MSG_HASH_LEN];
    size_t at = 0, other_at = 0, n_nomem = 0, idx = 0;
    party_open(&a, variant, true);
    struct far far = far_join(&a, &at), other = far_join(&a, &other_at);
    bool fired = true;
    for (size_t k = 1; fired; k++) {
        struct mpb_msg msg = fixture_msg(++idx, 100), next = fixture_msg(++idx, 100);
        id_of_msg(&msg, ids[0]);
        far_send_msg(&far, &msg);
        far_control(&far, MPB_RPC_IWANT, (struct mpb_bytes){0}, ids, 1);
        memset(ids[0], (int)k, sizeof(ids[0]));
        far_send(&far, frame, frame_of_control(MPB_RPC_IHAVE, FIXTURE_PUBSUB_TOPIC, ids, 1, frame));
        far_control(&far, MPB_RPC_GRAFT, MPB_BYTES_OF("/other"), NULL, 0);
        fired = serve_failing(&a, at, k, &n_nomem);
        far_send_msg(&far, &next);
        size_t n_before = a.n_delivered;
        assert_false(far_settle(&far, &a, at));
        assert_true(a.n_delivered > n_before);
        assert_false(far_settle(&other, &a, other_at));
        assert_true(other.len > 100);
        other.len = far.len = 0;
    }
    assert_int_equal(n_drops(&a) + party_stats(&a)->peers_lost, 0);
    /* frame, decode or envelope, cache entry, relayed frame, answers to the three others */
    assert_true(n_nomem >= 7);
    party_close(&a);
    far_close(&far);
    far_close(&other);
}

static void test_serve(void **state)
{
    (void)state;
    for_each_variant(check_serve);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_making),
        cmocka_unit_test(test_publish),
        cmocka_unit_test(test_serve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
