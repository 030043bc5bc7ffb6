/* test_message_cache.c: windows, references, ids; against a plain list. */
#include "core/message_cache.h"

#include "core/tests/failing_heap.h"
#include "core/tests/path_fixture.h"

static const uint8_t *id_of(size_t i, uint8_t out[MPB_MSG_HASH_LEN])
{
    memset(out, 0x5a, MPB_MSG_HASH_LEN);
    memcpy(out + 9, &i, sizeof(i));
    return out;
}

/* A whole encoding: all of it in data. */
static enum mpb_status put_whole(struct mpb_message_cache *cache, const uint8_t *id,
                                 struct mpb_buffer *buffer, struct mpb_bytes data)
{
    struct mpb_parts message = {.data = data, .buffer = buffer};
    return mpb_message_cache_put(cache, id, &message);
}

/* Put a message of 10 + i bytes in a buffer of its own, of which the cache has the one reference.
 */
static void put(struct mpb_message_cache *cache, size_t i)
{
    uint8_t id[MPB_MSG_HASH_LEN];
    struct mpb_buffer *buffer =
        fixture_arrive_bytes((struct mpb_bytes){fixture_pool() + i, 10 + i});
    struct mpb_bytes data = {buffer->data + 2, buffer->len - 2};
    assert_int_equal(put_whole(cache, id_of(i, id), buffer, data), MPB_OK);
    mpb_buffer_unref(buffer);
}

static bool has(const struct mpb_message_cache *cache, size_t i)
{
    uint8_t id[MPB_MSG_HASH_LEN];
    struct mpb_parts found = {.buffer = NULL};
    if (!mpb_message_cache_find(cache, id_of(i, id), &found)) {
        assert_null(found.buffer);
        return false;
    }
    const struct mpb_buffer *buffer = found.buffer;
    struct mpb_bytes data = found.data;
    assert_int_equal(found.head.len + found.tail.len, 0);
    assert_int_equal(buffer->n_refs, 1);
    assert_ptr_equal(data.data, buffer->data + 2);
    assert_int_equal(data.len, 8 + i);
    assert_memory_equal(data.data, fixture_pool() + i + 2, data.len);
    return true;
}

/* The ids that gossip names, as numbers; returns how many. */
static size_t gossip(const struct mpb_message_cache *cache, size_t out[], size_t cap)
{
    uint8_t ids[64][MPB_MSG_HASH_LEN];
    size_t n_ids = mpb_message_cache_gossip_ids(cache, ids, cap);
    for (size_t i = 0; i < n_ids && i < cap; i++) {
        memcpy(&out[i], ids[i] + 9, sizeof(out[i]));
    }
    return n_ids;
}

/* One message a window: it lives for six windows and is gossiped about for three. */
static void test_windows(void **state)
{
    (void)state;
    int64_t live = fixture_live_bytes();
    struct mpb_message_cache *cache = mpb_message_cache_new();
    assert_non_null(cache);
    for (size_t beat = 0; beat < 20; beat++) {
        size_t ids[8], n_gossip = beat < 2 ? beat + 1 : 3, n_kept = beat < 5 ? beat + 1 : 6;
        put(cache, beat);
        assert_int_equal(mpb_message_cache_len(cache), n_kept);
        assert_int_equal(gossip(cache, ids, 8), n_gossip);
        for (size_t i = 0; i < n_gossip; i++) {
            assert_int_equal(ids[i], beat - i); /* the newest window first */
        }
        for (size_t i = 0; i <= beat; i++) {
            assert_int_equal(has(cache, i), i + 6 > beat);
        }
        assert_false(has(cache, beat + 1));
        mpb_message_cache_shift(cache);
    }
    mpb_message_cache_free(cache);
    mpb_message_cache_free(NULL);
    assert_int_equal(fixture_live_bytes(), live);
}

static void test_shifts_empty_it(void **state)
{
    (void)state;
    struct mpb_message_cache *cache = mpb_message_cache_new();
    size_t ids[8];
    put(cache, 1);
    put(cache, 2);
    assert_int_equal(mpb_message_cache_bytes(cache), 11 + 12);
    for (size_t beat = 1; beat < 6; beat++) {
        mpb_message_cache_shift(cache);
        assert_int_equal(mpb_message_cache_len(cache), 2);
        assert_int_equal(gossip(cache, ids, 8), beat < 3 ? 2 : 0);
    }
    mpb_message_cache_shift(cache);
    assert_int_equal(mpb_message_cache_len(cache), 0);
    assert_int_equal(mpb_message_cache_bytes(cache), 0);
    assert_false(has(cache, 1));
    put(cache, 1); /* and it can come back */
    assert_true(has(cache, 1));
    mpb_message_cache_free(cache);
}

static void test_order_and_cap(void **state)
{
    (void)state;
    struct mpb_message_cache *cache = mpb_message_cache_new();
    size_t ids[8] = {0};
    put(cache, 10);
    put(cache, 11);
    mpb_message_cache_shift(cache);
    put(cache, 12);
    put(cache, 13);
    put(cache, 14);
    assert_int_equal(gossip(cache, ids, 8), 5);
    assert_memory_equal(ids, ((size_t[]){12, 13, 14, 10, 11}), 5 * sizeof(ids[0]));
    ids[3] = ids[4] = 99;
    assert_int_equal(gossip(cache, ids, 3), 5); /* no more than fit are written */
    assert_int_equal(ids[3], 99);
    assert_int_equal(mpb_message_cache_gossip_ids(cache, NULL, 0), 5);
    mpb_message_cache_free(cache);
}

/* A known id keeps its first bytes and its first window. */
static void test_known_id(void **state)
{
    (void)state;
    struct mpb_message_cache *cache = mpb_message_cache_new();
    uint8_t id[MPB_MSG_HASH_LEN];
    struct mpb_buffer *other = mpb_buffer_new(77);
    struct mpb_parts found;
    put(cache, 3);
    mpb_message_cache_shift(cache);
    assert_int_equal(put_whole(cache, id_of(3, id), other, mpb_buffer_view(other)), MPB_OK);
    assert_int_equal(other->n_refs, 1);
    assert_int_equal(mpb_message_cache_len(cache), 1);
    assert_int_equal(mpb_message_cache_bytes(cache), 13);
    assert_true(mpb_message_cache_find(cache, id, &found));
    assert_ptr_not_equal(found.buffer, other);
    for (size_t beat = 0; beat < 5; beat++) {
        mpb_message_cache_shift(cache);
    }
    assert_false(mpb_message_cache_find(cache, id, &found));
    mpb_buffer_unref(other);
    mpb_message_cache_free(cache);
}

/* A scattered encoding: head and tail are copied, data is referenced. */
static void test_scattered(void **state)
{
    (void)state;
    struct mpb_message_cache *cache = mpb_message_cache_new();
    uint8_t id[MPB_MSG_HASH_LEN], head[] = "head", tail[] = "the tail";
    struct mpb_buffer *buffer = mpb_buffer_new(100);
    struct mpb_parts message = {{head, 4}, {buffer->data + 1, 50}, {tail, 8}, buffer}, found;
    assert_int_equal(mpb_message_cache_put(cache, id_of(1, id), &message), MPB_OK);
    memset(head, 0, sizeof(head));
    memset(tail, 0, sizeof(tail));
    assert_true(mpb_message_cache_find(cache, id, &found));
    assert_int_equal(found.head.len, 4);
    assert_memory_equal(found.head.data, "head", 4);
    assert_int_equal(found.tail.len, 8);
    assert_memory_equal(found.tail.data, "the tail", 8);
    assert_ptr_equal(found.data.data, buffer->data + 1);
    assert_ptr_equal(found.buffer, buffer);
    mpb_message_cache_free(cache);
    mpb_buffer_unref(buffer);
}

/* Its references are its own: the caller's survive, and so do its bytes. */
static void test_shared_buffer(void **state)
{
    (void)state;
    struct mpb_message_cache *cache = mpb_message_cache_new();
    uint8_t id[MPB_MSG_HASH_LEN];
    struct mpb_buffer *buffer = mpb_buffer_new(100);
    for (size_t i = 0; i < 3; i++) {
        struct mpb_bytes data = {buffer->data + 30 * i, 30};
        assert_int_equal(put_whole(cache, id_of(i, id), buffer, data), MPB_OK);
    }
    assert_int_equal(buffer->n_refs, 4);
    assert_int_equal(mpb_message_cache_bytes(cache), 300);
    mpb_message_cache_free(cache);
    assert_int_equal(buffer->n_refs, 1);
    mpb_buffer_unref(buffer);
}

/* Window of each id, or -1. */
static void test_against_model(void **state)
{
    (void)state;
    enum { N_IDS = 3000 };
    static int64_t window_of[N_IDS];
    struct mpb_message_cache *cache = mpb_message_cache_new();
    uint64_t random = 5;
    int64_t now = 0, live = 0;
    memset(window_of, 0xff, sizeof(window_of));
    for (size_t step = 0; step < 20000; step++) {
        size_t i = fixture_below(&random, N_IDS), n_gossip = 0;
        if (fixture_below(&random, 300) == 0) {
            mpb_message_cache_shift(cache);
            now++;
        } else if (window_of[i] < 0 || window_of[i] + MPB_MESSAGE_CACHE_WINDOWS <= now) {
            put(cache, i);
            window_of[i] = now;
        } else {
            assert_true(has(cache, i));
            put(cache, i);
        }
        if (step % 100 == 0) {
            live = 0;
            for (size_t k = 0; k < N_IDS; k++) {
                bool is_kept = window_of[k] >= 0 && window_of[k] + MPB_MESSAGE_CACHE_WINDOWS > now;
                assert_int_equal(has(cache, k), is_kept);
                live += is_kept ? (int64_t)k + 10 : 0;
                n_gossip += is_kept && window_of[k] + MPB_MESSAGE_CACHE_GOSSIP > now;
            }
            assert_int_equal(mpb_message_cache_bytes(cache), live);
            assert_int_equal(mpb_message_cache_gossip_ids(cache, NULL, 0), n_gossip);
        }
    }
    mpb_message_cache_free(cache);
}

static void test_sites(void **state)
{
    (void)state;
    struct mpb_probe_counts counts;
    uint8_t id[MPB_MSG_HASH_LEN];
    struct mpb_buffer *buffer = mpb_buffer_new(100);
    MPB_PROBE_SITE(MPB_SITE_APP);
    mpb_probe_reset();
    struct mpb_message_cache *cache = mpb_message_cache_new();
    for (size_t i = 0; i < 200; i++) {
        MPB_PROBE_SITE(MPB_SITE_APP);
        assert_int_equal(put_whole(cache, id_of(i, id), buffer, mpb_buffer_view(buffer)), MPB_OK);
    }
    mpb_probe_read(&counts);
    assert_int_equal(counts.at[MPB_SITE_APP][MPB_METRIC_ALLOCS], 0);
    assert_int_equal(counts.at[MPB_SITE_MESSAGE_CACHE][MPB_METRIC_ALLOCS], 2 + 200 + 2);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_COPIES), 0);
    MPB_PROBE_SITE(MPB_SITE_APP);
    mpb_message_cache_free(cache);
    mpb_probe_read(&counts);
    assert_int_equal(counts.at[MPB_SITE_APP][MPB_METRIC_FREES], 0);
    mpb_buffer_unref(buffer);
}

/* Fail each allocation in turn, through two growths: what was put stays, nothing else does. */
static void test_no_memory(void **state)
{
    (void)state;
    int64_t live = fixture_live_bytes();
    uint8_t id[MPB_MSG_HASH_LEN];
    for (size_t fail_at = 1; fail_at <= 2; fail_at++) {
        failing_heap_at(fail_at);
        assert_null(mpb_message_cache_new());
    }
    failing_heap_at(0);
    struct mpb_message_cache *cache = mpb_message_cache_new();
    struct mpb_buffer *buffer = mpb_buffer_new(100);
    size_t n_failures = 0;
    for (size_t i = 0; i < 200; i++) {
        enum mpb_status status = MPB_E_NOMEM;
        for (size_t fail_at = 1; status == MPB_E_NOMEM; fail_at++) {
            failing_heap_at(fail_at);
            status = put_whole(cache, id_of(i, id), buffer, mpb_buffer_view(buffer));
            failing_heap_at(0);
            n_failures += status == MPB_E_NOMEM;
            assert_int_equal(mpb_message_cache_len(cache), i + (status == MPB_OK));
            assert_int_equal(buffer->n_refs, 1 + mpb_message_cache_len(cache));
        }
        assert_int_equal(status, MPB_OK);
    }
    assert_int_equal(n_failures, 200 + 2);
    mpb_message_cache_free(cache);
    mpb_buffer_unref(buffer);
    assert_int_equal(fixture_live_bytes(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows),       cmocka_unit_test(test_shifts_empty_it),
        cmocka_unit_test(test_order_and_cap), cmocka_unit_test(test_known_id),
        cmocka_unit_test(test_shared_buffer), cmocka_unit_test(test_against_model),
        cmocka_unit_test(test_sites),         cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_scattered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
