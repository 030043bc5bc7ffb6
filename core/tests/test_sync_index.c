/* test_sync_index.c: store-sync's keys: order, duplicates, range fingerprints by brute force. */
#include "core/sync_index.h"

#include "core/tests/failing_heap.h"
#include "core/tests/path_fixture.h"

enum { N_KEYS = 600 };

static bool is_in(const struct mpb_key *key, const struct mpb_key *from, const struct mpb_key *to)
{
    return fixture_key_order(key, from) >= 0 && fixture_key_order(key, to) < 0;
}

static void assert_fingerprint(const struct mpb_sync_index *index, const struct mpb_key *keys,
                               size_t n, const struct mpb_key *from, const struct mpb_key *to)
{
    uint8_t expected[MPB_MSG_HASH_LEN] = {0}, got[MPB_MSG_HASH_LEN];
    for (size_t i = 0; i < n; i++) {
        for (size_t b = 0; b < sizeof(expected) && is_in(&keys[i], from, to); b++) {
            expected[b] ^= keys[i].hash[b];
        }
    }
    memset(got, 0xee, sizeof(got));
    mpb_sync_index_fingerprint(index, from, to, got);
    assert_memory_equal(got, expected, sizeof(expected));
}

/* Insert unless known; keys[n] in the order of arrival. */
static size_t insert(struct mpb_sync_index *index, struct mpb_key *keys, size_t n,
                     const struct mpb_key *key)
{
    bool is_known = false;
    for (size_t i = 0; i < n; i++) {
        is_known = is_known || fixture_is_same_key(&keys[i], key);
    }
    assert_int_equal(mpb_sync_index_insert(index, key), MPB_OK);
    keys[n] = *key;
    n += is_known ? 0 : 1;
    assert_int_equal(mpb_sync_index_len(index), n);
    return n;
}

static void test_random(void **state)
{
    (void)state;
    static struct mpb_key keys[N_KEYS + 1];
    struct mpb_sync_index index = {0};
    uint64_t random = 11;
    size_t n = 0, n_inserts = 0;
    assert_int_equal(mpb_sync_index_init(&index), MPB_OK);
    for (; n < N_KEYS; n_inserts++) {
        struct mpb_key key = fixture_random_key(&random, 200, 8);
        n = insert(&index, keys, n, &key);
        struct mpb_key from = fixture_random_key(&random, 200, 8), to = keys[n / 2];
        to = n_inserts % 3 == 0 ? fixture_random_key(&random, 200, 8) : to;
        assert_fingerprint(&index, keys, n, &from, &to); /* empty where from >= to */
        assert_fingerprint(&index, keys, n, &to, &from);
    }
    assert_true(n_inserts > N_KEYS + 50); /* duplicates did happen */
    for (size_t i = 1; i < n; i++) {
        assert_true(fixture_key_order(mpb_timeline_key(&index.timeline, i - 1),
                                      mpb_timeline_key(&index.timeline, i)) < 0);
    }
    mpb_sync_index_fini(&index);
}

/* The pre-size is no limit: nothing is forgotten, nothing refused. */
static void test_grows(void **state)
{
    (void)state;
    struct mpb_sync_index index = {0};
    uint64_t random = 3;
    int64_t live = fixture_live_bytes();
    struct mpb_key key = fixture_random_key(&random, 1, 100);
    assert_int_equal(mpb_sync_index_init(&index), MPB_OK);
    assert_int_equal(index.timeline.cap, 50000);
    for (int64_t i = 0; i < 50002; i++) {
        key.time_ns = i;
        assert_int_equal(mpb_sync_index_insert(&index, &key), MPB_OK);
    }
    assert_int_equal(mpb_sync_index_len(&index), 50002);
    assert_int_equal(mpb_timeline_key(&index.timeline, 0)->time_ns, 0);
    assert_int_equal(mpb_timeline_key(&index.timeline, 50001)->time_ns, 50001);
    mpb_sync_index_fini(&index);
    assert_int_equal(fixture_live_bytes(), live);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct mpb_sync_index index = {0};
    struct mpb_key key = {.time_ns = 1};
    failing_heap_at(1);
    assert_int_equal(mpb_sync_index_init(&index), MPB_E_NOMEM);
    failing_heap_at(0);
    assert_int_equal(mpb_timeline_init(&index.timeline, 1), MPB_OK);
    assert_int_equal(mpb_sync_index_insert(&index, &key), MPB_OK);
    key.time_ns = 2;
    failing_heap_at(1);
    assert_int_equal(mpb_sync_index_insert(&index, &key), MPB_E_NOMEM);
    failing_heap_at(0);
    assert_int_equal(mpb_sync_index_len(&index), 1);
    mpb_sync_index_fini(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_grows),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
