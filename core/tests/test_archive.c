/* test_archive.c: what the archive refuses, keeps, evicts and finds, against a plain model: the
 * same for both stores. */
#include "core/archive.h"

#include "core/tests/failing_heap.h"
#include "core/tests/path_fixture.h"

enum { CAPACITY_MAX = 64, N_STEPS = 4000 };

struct model {
    struct mpb_key key[CAPACITY_MAX + 1];
    uint32_t version[CAPACITY_MAX + 1]; /* tells the messages apart */
    size_t len, cap;
};

/* Store, or say why not, by looking at every key. */
static enum mpb_refusal model_put(struct model *m, const struct mpb_key *key, uint32_t version)
{
    size_t pos = 0;
    for (; pos < m->len && fixture_key_order(&m->key[pos], key) < 0; pos++) {
    }
    if (pos < m->len && fixture_is_same_key(&m->key[pos], key)) {
        return MPB_REFUSAL_DUPLICATE;
    }
    if (m->len == m->cap && pos == 0) {
        return MPB_REFUSAL_TOO_OLD;
    }
    for (size_t i = m->len; i > pos; i--) {
        m->key[i] = m->key[i - 1];
        m->version[i] = m->version[i - 1];
    }
    m->key[pos] = *key;
    m->version[pos] = version;
    m->len++;
    for (size_t i = 0; m->len > m->cap && i < m->cap; i++) {
        m->key[i] = m->key[i + 1];
        m->version[i] = m->version[i + 1];
    }
    m->len = m->len > m->cap ? m->cap : m->len;
    return MPB_REFUSAL__COUNT;
}

/* A page, by walking over everything. */
static size_t model_find(const struct model *m, const struct mpb_archive_query *q, size_t *first)
{
    size_t n = 0;
    for (size_t i = 0; i < m->len && n < q->limit; i++) {
        bool is_in = m->key[i].time_ns >= q->from_ns && m->key[i].time_ns <= q->to_ns &&
                     (q->cursor == NULL || fixture_key_order(&m->key[i], q->cursor) > 0);
        if (is_in && n++ == 0) {
            *first = i;
        }
    }
    return n;
}

/* Both stores, and both kinds of values in memory. */
static const enum mpb_archive_keeps stores[] = {MPB_ARCHIVE_COPIES, MPB_ARCHIVE_ENVELOPES,
                                                MPB_ARCHIVE_ROWS};

static struct mpb_archive *make(size_t capacity, enum mpb_archive_keeps keeps)
{
    struct mpb_archive *archive = NULL;
    struct mpb_archive_cfg cfg = {keeps, capacity, FIXTURE_PUBSUB_TOPIC, MPB_ARCHIVE_DB_MEMORY};
    assert_int_equal(mpb_archive_new(&cfg, &archive, NULL), MPB_OK);
    assert_int_equal(mpb_archive_keeps(archive), keeps);
    return archive;
}

/* A key out of a small set. Its hash tells its time too, as a message's does: the same hash at
 * another time never happens. */
static struct mpb_key random_key(uint64_t *random, size_t n_times, size_t n_hashes,
                                 int64_t later_ns)
{
    struct mpb_key key = fixture_random_key(random, n_times, n_hashes);
    key.time_ns += later_ns;
    for (size_t b = 0; b < sizeof(uint64_t); b++) {
        key.hash[MPB_MSG_HASH_LEN - 1 - b] = (uint8_t)((uint64_t)key.time_ns >> (8 * b));
    }
    return key;
}

static struct mpb_msg message(const struct mpb_key *key, uint32_t version)
{
    struct mpb_msg msg = fixture_msg(1, 16 + version % 5);
    msg.proof.len = 0; /* a database does not keep it */
    msg.timestamp_ns = key->time_ns;
    msg.version = version;
    return msg;
}

static enum mpb_refusal put(struct mpb_archive *archive, const struct mpb_key *key,
                            uint32_t version)
{
    struct mpb_msg msg = message(key, version);
    struct mpb_archive_item item = {.key = key, .msg = &msg};
    enum mpb_refusal refusal = MPB_REFUSAL_EPHEMERAL;
    assert_int_equal(mpb_archive_admit(archive, key, &refusal, NULL), MPB_OK);
    if (refusal != MPB_REFUSAL__COUNT) {
        return refusal;
    }
    if (mpb_archive_keeps(archive) == MPB_ARCHIVE_COPIES) {
        item.copy = mpb_copy_new(&msg);
    } else if (mpb_archive_keeps(archive) == MPB_ARCHIVE_ENVELOPES) {
        struct mpb_buffer *buffer = mpb_buffer_new(16);
        item.envelope = mpb_envelope_new_view(&msg, buffer, FIXTURE_PUBSUB_TOPIC);
        mpb_buffer_unref(buffer);
    }
    refusal = MPB_REFUSAL_EPHEMERAL;
    assert_int_equal(mpb_archive_put(archive, &item, &refusal, NULL), MPB_OK);
    mpb_envelope_unref(item.envelope);
    return refusal;
}

/* Walks along a model, from element `at`. */
struct walk {
    const struct model *model;
    size_t at, n_seen, n_wanted;
};

static enum mpb_status see(void *ctx, const struct mpb_key *key, const struct mpb_msg *msg)
{
    struct walk *w = ctx;
    size_t i = w->at + w->n_seen++;
    assert_true(w->n_seen <= w->n_wanted);
    struct mpb_msg expected = message(&w->model->key[i], w->model->version[i]);
    assert_true(fixture_is_same_key(key, &w->model->key[i]));
    assert_true(mpb_msg_is_equal(msg, &expected));
    return MPB_OK;
}

static void assert_same(const struct mpb_archive *archive, const struct model *m)
{
    struct walk walk = {.model = m, .n_wanted = m->len};
    uint64_t n_bytes = 0;
    assert_int_equal(mpb_archive_len(archive), m->len);
    assert_int_equal(mpb_archive_each(archive, see, &walk, NULL), MPB_OK);
    assert_int_equal(walk.n_seen, m->len);
    for (size_t i = 0; i < m->len; i++) {
        struct mpb_msg msg = message(&m->key[i], m->version[i]);
        n_bytes += msg.payload.len + msg.content_topic.len + msg.meta.len;
        if (mpb_archive_keeps(archive) != MPB_ARCHIVE_ROWS) {
            assert_true(fixture_is_same_key(mpb_archive_key(archive, i), &m->key[i]));
            assert_true(mpb_msg_is_equal(mpb_archive_msg(archive, i), &msg));
        }
    }
    assert_int_equal(mpb_archive_bytes(archive), n_bytes);
}

static void query_random(const struct mpb_archive *archive, const struct model *m, uint64_t *random,
                         int64_t later_ns)
{
    struct mpb_key cursor = random_key(random, 40, 4, later_ns);
    if (m->len > 0 && fixture_below(random, 2) == 0) {
        cursor = m->key[fixture_below(random, m->len)];
    }
    struct mpb_archive_query query = {
        .from_ns = (int64_t)fixture_below(random, 44) - 7 + later_ns,
        .to_ns = (int64_t)fixture_below(random, 44) - 7 + later_ns,
        .cursor = fixture_below(random, 2) == 0 ? &cursor : NULL,
        .limit = fixture_below(random, 12),
    };
    query.from_ns = fixture_below(random, 9) == 0 ? INT64_MIN : query.from_ns;
    query.to_ns = fixture_below(random, 9) == 0 ? INT64_MAX : query.to_ns;
    query.limit = fixture_below(random, 9) == 0 ? SIZE_MAX : query.limit;
    struct walk walk = {.model = m};
    walk.n_wanted = model_find(m, &query, &walk.at);
    assert_int_equal(mpb_archive_find(archive, &query, see, &walk, NULL), MPB_OK);
    assert_int_equal(walk.n_seen, walk.n_wanted);
}

static void random_steps(size_t capacity, enum mpb_archive_keeps keeps)
{
    struct model m = {.cap = capacity};
    uint64_t random = capacity; /* the same steps for each store */
    size_t n_refused[MPB_REFUSAL__COUNT + 1] = {0};
    int64_t live = fixture_live_bytes();
    struct mpb_archive *archive = make(capacity, keeps);
    for (uint32_t step = 0; step < N_STEPS; step++) {
        int64_t later_ns = (int64_t)step / 100; /* time passes, with late messages */
        struct mpb_key key = random_key(&random, 40, 4, later_ns);
        enum mpb_refusal expected = model_put(&m, &key, step);
        assert_int_equal(put(archive, &key, step), expected);
        n_refused[expected]++;
        query_random(archive, &m, &random, later_ns);
        if (step % 5 == 0) {
            assert_same(archive, &m);
        }
    }
    assert_same(archive, &m);
    assert_true(n_refused[MPB_REFUSAL_TOO_OLD] > 50 && n_refused[MPB_REFUSAL__COUNT] > 50);
    assert_true(capacity < 7 || n_refused[MPB_REFUSAL_DUPLICATE] > 50);
    mpb_archive_free(archive);
    assert_int_equal(fixture_live_bytes(), live);
}

static void test_random_steps(void **state)
{
    (void)state;
    static const size_t capacities[] = {1, 2, 7, CAPACITY_MAX};
    for (size_t i = 0; i < MPB_ARRAY_LEN(capacities); i++) {
        for (size_t k = 0; k < MPB_ARRAY_LEN(stores); k++) {
            random_steps(capacities[i], stores[k]);
        }
    }
}

/* What the walk's function returns ends the walk. */
static enum mpb_status stop_at_third(void *ctx, const struct mpb_key *key,
                                     const struct mpb_msg *msg)
{
    size_t *n = ctx;
    (void)key, (void)msg;
    return ++*n == 3 ? MPB_E_INTERRUPTED : MPB_OK;
}

static void test_walk_ends(void **state)
{
    (void)state;
    for (size_t k = 0; k < MPB_ARRAY_LEN(stores); k++) {
        struct mpb_archive *archive = make(9, stores[k]);
        size_t n_seen = 0;
        for (int64_t i = 0; i < 9; i++) {
            struct mpb_key key = {.time_ns = i, .hash = {(uint8_t)i}};
            assert_int_equal(put(archive, &key, 0), MPB_REFUSAL__COUNT);
        }
        assert_int_equal(mpb_archive_each(archive, stop_at_third, &n_seen, NULL),
                         MPB_E_INTERRUPTED);
        assert_int_equal(n_seen, 3);
        assert_int_equal(mpb_archive_each(archive, stop_at_third, &n_seen, NULL), MPB_OK);
        assert_int_equal(n_seen, 3 + 9);
        mpb_archive_free(archive);
    }
}

static enum mpb_refusal check_at(int64_t timestamp_ns, int64_t now_ns)
{
    struct mpb_msg msg = fixture_msg(1, 16);
    msg.timestamp_ns = timestamp_ns;
    return mpb_archive_check(&msg, now_ns);
}

/* 20 s on either side are within, one nanosecond more is not; extremes do not wrap around. */
static void test_check(void **state)
{
    (void)state;
    const int64_t now = FIXTURE_BASE_NS, variance = INT64_C(20000000000);
    struct mpb_msg ephemeral = {.timestamp_ns = now, .ephemeral = true};
    assert_int_equal(mpb_archive_check(&ephemeral, now), MPB_REFUSAL_EPHEMERAL);
    assert_int_equal(check_at(now, now), MPB_REFUSAL__COUNT);
    assert_int_equal(check_at(now - variance, now), MPB_REFUSAL__COUNT);
    assert_int_equal(check_at(now - variance - 1, now), MPB_REFUSAL_PAST);
    assert_int_equal(check_at(now + variance, now), MPB_REFUSAL__COUNT);
    assert_int_equal(check_at(now + variance + 1, now), MPB_REFUSAL_FUTURE);
    assert_int_equal(check_at(0, now), MPB_REFUSAL_PAST);
    assert_int_equal(check_at(-variance, 0), MPB_REFUSAL__COUNT);
    assert_int_equal(check_at(INT64_MIN, now), MPB_REFUSAL_PAST);
    assert_int_equal(check_at(INT64_MAX, now), MPB_REFUSAL_FUTURE);
    assert_int_equal(check_at(INT64_MIN, INT64_MIN), MPB_REFUSAL__COUNT);
    assert_int_equal(check_at(INT64_MIN, INT64_MAX), MPB_REFUSAL_PAST);
    assert_int_equal(check_at(INT64_MAX, INT64_MIN), MPB_REFUSAL_FUTURE);
    assert_int_equal(check_at(INT64_MAX, INT64_MAX), MPB_REFUSAL__COUNT);
}

static void test_refusal_names(void **state)
{
    (void)state;
    static const char *const names[] = {"ephemeral", "past", "future", "duplicate", "too_old"};
    assert_int_equal(MPB_ARRAY_LEN(names), MPB_REFUSAL__COUNT);
    for (size_t i = 0; i < MPB_REFUSAL__COUNT; i++) {
        assert_string_equal(mpb_archive_refusal_name((enum mpb_refusal)i), names[i]);
    }
}

/* Eviction frees at once: the archive never holds more than its capacity. A database gives its
 * pages to the next message instead, and so stays as large as it was. */
static void test_eviction_frees(void **state)
{
    (void)state;
    for (size_t k = 0; k < MPB_ARRAY_LEN(stores); k++) {
        struct mpb_archive *archive = make(3, stores[k]);
        bool is_db = stores[k] == MPB_ARCHIVE_ROWS;
        int64_t full = 0;
        for (int64_t i = 0; i < 100; i++) {
            struct mpb_key key = {.time_ns = i, .hash = {(uint8_t)i}};
            assert_int_equal(put(archive, &key, 0), MPB_REFUSAL__COUNT);
            full = i == (is_db ? 4 : 2) ? fixture_live_bytes() : full;
            assert_true(i < 5 || fixture_live_bytes() == full);
        }
        mpb_archive_free(archive);
    }
    mpb_archive_free(NULL);
}

static void test_empty(void **state)
{
    (void)state;
    for (size_t k = 0; k < MPB_ARRAY_LEN(stores); k++) {
        struct mpb_archive *archive = make(5, stores[k]);
        struct mpb_archive_query all = {INT64_MIN, INT64_MAX, NULL, SIZE_MAX};
        struct walk none = {.model = NULL};
        assert_int_equal(mpb_archive_len(archive), 0);
        assert_int_equal(mpb_archive_bytes(archive), 0);
        assert_int_equal(mpb_archive_find(archive, &all, see, &none, NULL), MPB_OK);
        mpb_archive_free(archive);
    }
}

/* In memory; a database's failing allocations are test_archive_sqlite's. */
static void test_no_memory(void **state)
{
    (void)state;
    int64_t live = fixture_live_bytes();
    for (size_t k = 1; k <= 2; k++) {
        struct mpb_archive *archive = NULL;
        struct mpb_archive_cfg cfg = {.capacity = 5};
        struct mpb_error err = {.status = MPB_OK};
        failing_heap_at(k);
        assert_int_equal(mpb_archive_new(&cfg, &archive, &err), MPB_E_NOMEM);
        failing_heap_at(0);
        assert_int_equal(err.status, MPB_E_NOMEM);
        assert_null(archive);
        assert_int_equal(fixture_live_bytes(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_steps),   cmocka_unit_test(test_walk_ends),
        cmocka_unit_test(test_check),          cmocka_unit_test(test_refusal_names),
        cmocka_unit_test(test_eviction_frees), cmocka_unit_test(test_empty),
        cmocka_unit_test(test_no_memory),
    };
    fixture_wake_sqlite();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
