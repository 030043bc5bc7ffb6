/* test_agree.c: all variants give the same results over the same messages: deliveries and their
 * order, archive, store-sync keys, pushes, statistics; and each survives any failing allocation. */
#include "core/node.h"

#include "core/push.h"
#include "core/tests/failing_heap.h"
#include "core/tests/path_fixture.h"
#include "instrument/heap.h"

enum { N_MESSAGES = 400, CAPACITY = 12, N_PEERS = 3, ID_LEN = MPB_MSG_HASH_LEN };

/* A message of the stream, and how its bytes arrive. */
struct item {
    struct mpb_msg msg;
    enum { PLAIN, DIRTY, TORN } wire; /* DIRTY: with unknown fields; TORN: cut short */
    int64_t now_ns;
};

static struct item make_item(uint64_t *random, size_t idx)
{
    static const size_t payload_len[] = {8, 9, 100, 1000, 5000, 66000};
    static const size_t meta_len[] = {0, 1, 64}, proof_len[] = {0, 7, 335};
    struct item item = {
        .msg = fixture_msg(idx, payload_len[fixture_below(random, 6)]),
        .wire = PLAIN,
        .now_ns = ((int64_t)idx - N_MESSAGES / 2) * INT64_C(1000000000), /* from before 1970 */
    };
    struct mpb_msg *msg = &item.msg;
    msg->meta.len = meta_len[fixture_below(random, 3)];
    msg->proof.len = proof_len[fixture_below(random, 3)];
    msg->version = (uint32_t)fixture_random(random);
    msg->ephemeral = fixture_below(random, 10) == 0;
    msg->timestamp_ns =
        item.now_ns + ((int64_t)fixture_below(random, 44) - 22) * INT64_C(1000000000);
    msg->content_topic = fixture_below(random, 4) == 0 ? MPB_BYTES_OF("") : msg->content_topic;
    size_t how = fixture_below(random, 12);
    item.wire = how == 0 ? TORN : how == 1 ? DIRTY : PLAIN;
    return item;
}

/* A seeded stream; about one message in eight comes again. */
static const struct item *stream(void)
{
    static struct item items[N_MESSAGES];
    static bool is_made;
    uint64_t random = 42;
    for (size_t i = 0; i < N_MESSAGES && !is_made; i++) {
        items[i] = make_item(&random, i);
        if (i > 0 && fixture_below(&random, 8) == 0) {
            items[i].msg = items[i - 1 - fixture_below(&random, i < 10 ? i : 10)].msg;
        }
    }
    is_made = true;
    return items;
}

static struct mpb_buffer *arrive(const struct item *item)
{
    static const uint8_t unknown[] = {0x20, 0x01, 0x2a, 0x03, 'x', 'y', 'z', 0x18, 0x07};
    size_t len = mpb_msg_encoded_len(&item->msg), n_extra = sizeof(unknown);
    struct mpb_buffer *buffer = mpb_buffer_new(len + n_extra);
    if (item->wire == DIRTY) { /* in front, a version that the later one overrules */
        memcpy(buffer->data, unknown, n_extra);
        assert_int_equal(mpb_msg_encode(&item->msg, buffer->data + n_extra, len), len);
        return buffer;
    }
    assert_int_equal(mpb_msg_encode(&item->msg, buffer->data, len), len);
    buffer->len = item->wire == TORN ? len - 1 : len;
    return buffer;
}

/* SHA-256 over all seven fields, encoded anew. */
static void identify(const struct mpb_msg *msg, uint8_t out[ID_LEN])
{
    struct mpb_hasher *hasher = NULL;
    struct mpb_buffer *wire = fixture_arrive(msg);
    assert_int_equal(mpb_hasher_new(&hasher, NULL), MPB_OK);
    assert_int_equal(mpb_hasher_id(hasher, mpb_buffer_view(wire), out), MPB_OK);
    mpb_hasher_free(hasher);
    mpb_buffer_unref(wire);
}

/* Everything a node's users can see. */
struct results {
    size_t n_delivered, n_archived, n_sync;
    uint8_t delivered[N_MESSAGES][ID_LEN], archived[CAPACITY][ID_LEN];
    struct mpb_key archive_key[CAPACITY], sync_key[N_MESSAGES];
    struct mpb_node_stats stats;
    uint64_t n_pushed, pushed; /* folds of peers and pushed bytes, in order */
};

static void app(void *ctx, const struct mpb_delivery *delivery)
{
    struct results *r = ctx;
    identify(delivery->msg, r->delivered[r->n_delivered++]);
}

static void push(void *ctx, uint32_t peer, const struct mpb_parts *given)
{
    const struct mpb_bytes parts[] = {given->head, given->data, given->tail};
    const size_t n_parts = MPB_ARRAY_LEN(parts);
    struct results *r = ctx;
    r->n_pushed++;
    r->pushed = r->pushed * 31 + peer;
    for (size_t i = 0; i < n_parts; i++) {
        for (size_t k = 0; k < parts[i].len; k++) {
            r->pushed = r->pushed * 31 + parts[i].data[k];
        }
    }
}

static struct mpb_filter *make_filter(void)
{
    struct mpb_filter *filter = mpb_filter_new();
    for (uint32_t peer = 0; peer < N_PEERS; peer++) {
        assert_int_equal(
            mpb_filter_subscribe(filter, peer, FIXTURE_PUBSUB_TOPIC, FIXTURE_CONTENT_TOPIC),
            MPB_OK);
    }
    return filter;
}

static struct mpb_node_cfg node_cfg(const struct mpb_variant *variant, struct results *results)
{
    return (struct mpb_node_cfg){
        .variant = variant,
        .pubsub_topic = FIXTURE_PUBSUB_TOPIC,
        .archive_capacity = CAPACITY,
        .app = app,
        .app_ctx = results,
        .push = push,
        .push_ctx = results,
    };
}

static enum mpb_status see_archived(void *ctx, const struct mpb_key *key, const struct mpb_msg *msg)
{
    struct results *r = ctx;
    assert_true(r->n_archived < CAPACITY);
    r->archive_key[r->n_archived] = *key;
    identify(msg, r->archived[r->n_archived++]);
    return MPB_OK;
}

static void collect(const struct mpb_node *node, struct results *r)
{
    const struct mpb_archive *archive = mpb_node_archive(node);
    const struct mpb_sync_index *index = mpb_node_sync_index(node);
    r->stats = *mpb_node_stats(node);
    assert_int_equal(mpb_archive_each(archive, see_archived, r, NULL), MPB_OK);
    assert_int_equal(r->n_archived, mpb_archive_len(archive));
    r->n_sync = mpb_sync_index_len(index);
    for (size_t i = 0; i < r->n_sync; i++) {
        r->sync_key[i] = *mpb_timeline_key(&index->timeline, i);
    }
}

/* DIRTY pushes are the one difference allowed: floor forwards the bytes as they came. */
static void run_stream(const struct mpb_variant *variant, bool has_dirty, const char *db,
                       struct results *r)
{
    struct mpb_node *node = NULL;
    struct mpb_node_cfg cfg = node_cfg(variant, r);
    const struct item *items = stream();
    memset(r, 0, sizeof(*r));
    cfg.filter = make_filter();
    cfg.archive_db = db;
    assert_int_equal(mpb_node_new(&cfg, &node, NULL), MPB_OK);
    for (size_t i = 0; i < N_MESSAGES; i++) {
        struct item item = items[i];
        item.wire = item.wire == DIRTY && !has_dirty ? PLAIN : item.wire;
        assert_int_equal(mpb_node_receive(node, arrive(&item), item.now_ns), MPB_OK);
    }
    collect(node, r);
    mpb_node_free(node);
}

/* Against the stream itself: what is whole is delivered, in order; what was delivered is in the
 * archive under its own hash, or older than all that is; each delivered key is in the index. */
static void check_against_stream(const struct results *r)
{
    const struct item *items = stream();
    size_t at = 0;
    for (size_t i = 0; i < N_MESSAGES; i++) {
        uint8_t id[ID_LEN];
        bool is_synced = false;
        if (items[i].wire == TORN) {
            continue;
        }
        identify(&items[i].msg, id);
        assert_true(at < r->n_delivered);
        assert_memory_equal(r->delivered[at++], id, ID_LEN);
        struct mpb_key key = fixture_key(&items[i].msg);
        for (size_t k = 0; k < r->n_archived; k++) {
            bool is_it = fixture_is_same_key(&r->archive_key[k], &key);
            assert_int_equal(memcmp(r->archived[k], id, ID_LEN) == 0, is_it);
        }
        for (size_t k = 0; k < r->n_sync; k++) {
            is_synced = is_synced || fixture_is_same_key(&r->sync_key[k], &key);
        }
        assert_true(is_synced);
    }
    assert_int_equal(r->n_delivered, at);
}

/* The stream exercises what it should. */
static void check_variety(const struct results *r)
{
    assert_int_equal(r->n_archived, CAPACITY);
    for (size_t i = 0; i < MPB_REFUSAL__COUNT; i++) {
        assert_true(r->stats.refused[i] >= 5);
    }
    assert_true(r->stats.rejected_by_codec[MPB_STATUS_INDEX_TRUNCATED] > 10);
    assert_true(r->n_pushed > 100);
    assert_true(r->n_sync < r->n_delivered && r->sync_key[0].time_ns < 0);
}

static void assert_agrees(const struct mpb_variant *variant, bool has_dirty, const char *db,
                          const struct results *reference)
{
    static struct results other;
    int64_t live = fixture_live_bytes();
    run_stream(variant, has_dirty, db, &other);
    other.pushed = has_dirty ? reference->pushed : other.pushed;
    if (db != NULL) { /* a row lacks the proof: only its key tells it */
        memcpy(other.archived, reference->archived, sizeof(other.archived));
    }
    assert_memory_equal(&other, reference, sizeof(other));
    assert_int_equal(fixture_live_bytes(), live);
}

static void test_all_agree(void **state)
{
    (void)state;
    static struct results reference;
    size_t n = 0;
    const struct mpb_variant *all = mpb_variant_all(&n);
    for (int has_dirty = 0; has_dirty <= 1; has_dirty++) {
        run_stream(&all[0], has_dirty, NULL, &reference);
        check_against_stream(&reference);
        check_variety(&reference);
        for (size_t i = 0; i < n; i++) {
            assert_agrees(&all[i], has_dirty, NULL, &reference);
            assert_agrees(&all[i], has_dirty, MPB_ARCHIVE_DB_MEMORY, &reference);
        }
    }
}

static struct item numbered(size_t idx)
{
    struct item item = {.msg = fixture_msg(idx, 300), .wire = DIRTY};
    item.now_ns = item.msg.timestamp_ns;
    return item;
}

static enum mpb_status receive(struct mpb_node *node, size_t idx, size_t fail_at, bool *fired)
{
    struct item item = numbered(idx);
    struct mpb_buffer *buffer = arrive(&item);
    failing_heap_at(fail_at);
    enum mpb_status status = mpb_node_receive(node, buffer, item.now_ns);
    *fired = failing_heap_end();
    return status;
}

/* Allocates nothing: failures are for the path alone. */
static void count(void *ctx, const struct mpb_delivery *delivery)
{
    struct results *r = ctx;
    (void)delivery;
    r->n_delivered++;
}

/* The handlers run strictly one after the other: none is ahead of the one before it. */
static void check_order(const struct mpb_node *node, bool has_filter)
{
    const struct mpb_node_stats *stats = mpb_node_stats(node);
    uint64_t synced = mpb_sync_index_len(mpb_node_sync_index(node));
    uint64_t pushed = has_filter ? stats->pushed / N_PEERS : stats->traced;
    assert_true(stats->traced >= pushed);
    assert_true(pushed >= stats->archived);
    assert_true(stats->archived >= synced);
    assert_true(synced >= stats->events);
    assert_true(stats->events >= stats->delivered);
}

/* A full archive of two; the third message meets the failure, then comes again. */
static enum mpb_status fail_once(const struct mpb_variant *variant, bool has_filter, size_t fail_at,
                                 bool *fired)
{
    bool ignored;
    static struct results results;
    struct mpb_node *node = NULL;
    struct mpb_node_cfg cfg = node_cfg(variant, &results);
    cfg.app = count;
    cfg.archive_capacity = 2;
    cfg.filter = has_filter ? make_filter() : NULL;
    assert_int_equal(mpb_node_new(&cfg, &node, NULL), MPB_OK);
    assert_int_equal(receive(node, 0, 0, &ignored), MPB_OK);
    assert_int_equal(receive(node, 1, 0, &ignored), MPB_OK);
    enum mpb_status status = receive(node, 2, fail_at, fired);
    uint64_t delivered = mpb_node_stats(node)->delivered;
    check_order(node, has_filter);
    assert_int_equal(delivered, status == MPB_OK ? 3 : 2);
    assert_int_equal(receive(node, 2, 0, &ignored), MPB_OK); /* the node is still usable */
    assert_int_equal(receive(node, 3, 0, &ignored), MPB_OK);
    assert_int_equal(mpb_node_stats(node)->delivered, delivered + 2);
    assert_int_equal(mpb_node_stats(node)->archived, 4); /* once each, failures not counted */
    assert_int_equal(mpb_archive_len(mpb_node_archive(node)), 2);
    for (size_t i = 0; i < 2; i++) {
        struct item item = numbered(2 + i);
        struct mpb_key key = fixture_key(&item.msg);
        assert_true(fixture_is_same_key(mpb_archive_key(mpb_node_archive(node), i), &key));
        assert_true(mpb_msg_is_equal(mpb_archive_msg(mpb_node_archive(node), i), &item.msg));
    }
    assert_int_equal(mpb_sync_index_len(mpb_node_sync_index(node)), 4);
    mpb_node_free(node);
    return status;
}

/* Fail each allocation in turn. libcrypto allocates at most once a hash and does not say why it
 * failed. */
static void sweep(const struct mpb_variant *variant, bool has_filter, size_t n_hashes)
{
    size_t n_failed = 0, n_internal = 0;
    bool fired = true;
    for (size_t k = 1; fired; k++) {
        int64_t live = fixture_live_bytes();
        enum mpb_status status = fail_once(variant, has_filter, k, &fired);
        assert_true(fired ? status == MPB_E_NOMEM || status == MPB_E_INTERNAL : status == MPB_OK);
        n_failed += fired ? 1 : 0;
        n_internal += status == MPB_E_INTERNAL ? 1 : 0;
        assert_int_equal(fixture_live_bytes(), live);
    }
    assert_true(n_internal <= n_hashes);
    assert_true(n_failed >= (variant->path->by_value ? 14 : 2));
}

static void test_failing_allocations(void **state)
{
    (void)state;
    size_t n = 0;
    const struct mpb_variant *all = mpb_variant_all(&n);
    for (size_t i = 0; i < n; i++) {
        bool is_before = strncmp(all[i].name, "before", 6) == 0;
        sweep(&all[i], false, is_before ? 2 : 1);
        sweep(&all[i], true, is_before ? 4 : 1);
    }
}

/* The filter stays the caller's when the node cannot be made. (libcrypto shrugs off some failures.)
 */
static void test_failing_node(void **state)
{
    (void)state;
    static struct results results;
    size_t n_failed = 0;
    bool fired = true;
    for (size_t k = 1; fired; k++) {
        struct mpb_node *node = NULL;
        struct mpb_node_cfg cfg = node_cfg(mpb_variant_find("before"), &results);
        struct mpb_error err = {.status = MPB_OK};
        int64_t live = fixture_live_bytes();
        cfg.filter = make_filter();
        failing_heap_at(k);
        enum mpb_status status = mpb_node_new(&cfg, &node, &err);
        fired = failing_heap_end();
        assert_int_equal(err.status, status);
        assert_true(status == MPB_OK || (fired && status == MPB_E_NOMEM) ||
                    (fired && status == MPB_E_UNAVAILABLE));
        if (status == MPB_OK) {
            mpb_node_free(node);
        } else {
            n_failed++;
            assert_null(node);
            assert_int_equal(mpb_filter_len(cfg.filter), N_PEERS);
            mpb_filter_free(cfg.filter);
        }
        assert_int_equal(fixture_live_bytes(), live);
    }
    assert_true(n_failed >= 6); /* node, hasher, its context, archive, its ring, the index */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_agree),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_failing_node),
    };
    fixture_wake_libcrypto();
    fixture_wake_sqlite();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
