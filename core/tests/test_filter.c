/* test_filter.c: who wants a message. */
#include "core/filter.h"

#include "core/tests/failing_heap.h"
#include "core/tests/path_fixture.h"

#define A MPB_BYTES_OF("topic-a")
#define B MPB_BYTES_OF("topic-b")
#define A_LONGER MPB_BYTES_OF("topic-a2")
#define EMPTY \
    (struct mpb_bytes) \
    { \
        NULL, 0 \
    }

/* The peers that match, in order. */
static size_t match_all(const struct mpb_filter *filter, struct mpb_bytes pubsub,
                        struct mpb_bytes content, uint32_t *peers, size_t cap)
{
    size_t n = 0;
    uint32_t peer = 0;
    for (size_t at = 0; mpb_filter_match(filter, at, pubsub, content, &peer, &at); n++) {
        assert_true(n < cap);
        peers[n] = peer;
    }
    return n;
}

static void test_matches_both_topics(void **state)
{
    (void)state;
    struct mpb_filter *filter = mpb_filter_new();
    uint32_t peers[8];
    assert_int_equal(mpb_filter_len(filter), 0);
    assert_int_equal(match_all(filter, A, B, peers, 8), 0);
    assert_int_equal(mpb_filter_subscribe(filter, 70, A, B), MPB_OK);
    assert_int_equal(mpb_filter_subscribe(filter, 50, A, A), MPB_OK);
    assert_int_equal(mpb_filter_subscribe(filter, 90, B, B), MPB_OK);
    assert_int_equal(mpb_filter_subscribe(filter, 60, A, B), MPB_OK);
    assert_int_equal(mpb_filter_subscribe(filter, 80, A, EMPTY), MPB_OK);
    assert_int_equal(mpb_filter_subscribe(filter, 81, A_LONGER, B), MPB_OK);
    assert_int_equal(mpb_filter_len(filter), 6);
    assert_int_equal(match_all(filter, A, B, peers, 8), 2);
    assert_int_equal(peers[0], 70); /* in the order of subscription */
    assert_int_equal(peers[1], 60);
    assert_int_equal(match_all(filter, B, A, peers, 8), 0);
    assert_int_equal(match_all(filter, A, A_LONGER, peers, 8), 0);
    assert_int_equal(match_all(filter, A, EMPTY, peers, 8), 1);
    assert_int_equal(peers[0], 80);
    mpb_filter_free(filter);
}

/* Topics are bytes: a NUL inside is a byte like another. */
static void test_topics_are_bytes(void **state)
{
    (void)state;
    struct mpb_filter *filter = mpb_filter_new();
    uint32_t peers[4];
    assert_int_equal(mpb_filter_subscribe(filter, 1, A, MPB_BYTES_OF("a\0b")), MPB_OK);
    assert_int_equal(match_all(filter, A, MPB_BYTES_OF("a\0b"), peers, 4), 1);
    assert_int_equal(match_all(filter, A, MPB_BYTES_OF("a\0c"), peers, 4), 0);
    assert_int_equal(match_all(filter, A, MPB_BYTES_OF("a"), peers, 4), 0);
    mpb_filter_free(filter);
}

static void test_many(void **state)
{
    (void)state;
    enum { N = 100 };
    uint32_t peers[N];
    char pubsub[] = "topic-a", content[] = "topic-b";
    struct mpb_bytes pubsub_bytes = {(uint8_t *)pubsub, 7}, content_bytes = {(uint8_t *)content, 7};
    int64_t live = fixture_live_bytes();
    struct mpb_filter *filter = mpb_filter_new();
    for (uint32_t peer = 0; peer < N; peer++) {
        assert_int_equal(mpb_filter_subscribe(filter, peer, pubsub_bytes, content_bytes), MPB_OK);
    }
    memset(pubsub, 'x', 7); /* the topics were copied */
    memset(content, 'x', 7);
    assert_int_equal(match_all(filter, A, B, peers, N), N);
    for (uint32_t peer = 0; peer < N; peer++) {
        assert_int_equal(peers[peer], peer);
    }
    mpb_filter_free(filter);
    mpb_filter_free(NULL);
    assert_int_equal(fixture_live_bytes(), live);
}

static void test_match_allocates_nothing(void **state)
{
    (void)state;
    struct mpb_filter *filter = mpb_filter_new();
    uint32_t peers[2];
    assert_int_equal(mpb_filter_subscribe(filter, 1, A, B), MPB_OK);
    mpb_probe_reset();
    assert_int_equal(match_all(filter, A, B, peers, 2), 1);
    assert_int_equal(fixture_total(MPB_METRIC_ALLOCS), 0);
    mpb_filter_free(filter);
}

/* Every allocation of 20 subscriptions, the growing of the list among them, may fail. */
static void test_no_memory(void **state)
{
    (void)state;
    uint32_t peers[20];
    int64_t live = fixture_live_bytes();
    for (size_t k = 1; k < 30; k++) {
        failing_heap_at(k);
        struct mpb_filter *filter = mpb_filter_new();
        size_t n = 0;
        for (uint32_t peer = 0; peer < 20 && filter != NULL; peer++) {
            n += mpb_filter_subscribe(filter, peer, A, B) == MPB_OK ? 1 : 0;
        }
        failing_heap_at(0);
        assert_int_equal(n, k == 1 ? 0 : k <= 23 ? 19 : 20); /* new, 2 lists, 20 subscriptions */
        if (filter != NULL) {
            assert_int_equal(match_all(filter, A, B, peers, 20), n);
        }
        mpb_filter_free(filter);
        assert_int_equal(fixture_live_bytes(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matches_both_topics),
        cmocka_unit_test(test_topics_are_bytes),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_match_allocates_nothing),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
