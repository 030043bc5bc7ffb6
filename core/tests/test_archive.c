/* test_archive.c: what the archive refuses, keeps, evicts and finds, against a plain model. */
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

static enum mpb_refusal put(struct mpb_archive *archive, bool holds_copies,
                            const struct mpb_key *key, uint32_t version)
{
    struct mpb_msg msg = fixture_msg(1, 16);
    size_t pos = SIZE_MAX;
    msg.version = version;
    enum mpb_refusal refusal = mpb_archive_admit(archive, key, &pos);
    if (refusal != MPB_REFUSAL__COUNT) {
        return refusal;
    }
    if (holds_copies) {
        mpb_archive_take_copy(archive, pos, key, mpb_copy_new(&msg));
    } else {
        struct mpb_buffer *buffer = mpb_buffer_new(16);
        struct mpb_envelope *envelope = mpb_envelope_new_view(&msg, buffer, FIXTURE_PUBSUB_TOPIC);
        mpb_archive_ref_envelope(archive, pos, key, envelope);
        mpb_envelope_unref(envelope);
        mpb_buffer_unref(buffer);
    }
    return MPB_REFUSAL__COUNT;
}

static void assert_same(const struct mpb_archive *archive, const struct model *m)
{
    assert_int_equal(mpb_archive_len(archive), m->len);
    for (size_t i = 0; i < m->len; i++) {
        assert_true(fixture_is_same_key(mpb_archive_key(archive, i), &m->key[i]));
        assert_int_equal(mpb_archive_msg(archive, i)->version, m->version[i]);
    }
}

static void query_random(const struct mpb_archive *archive, const struct model *m, uint64_t *random)
{
    struct mpb_key cursor = fixture_random_key(random, 40, 4);
    if (m->len > 0 && fixture_below(random, 2) == 0) {
        cursor = m->key[fixture_below(random, m->len)];
    }
    struct mpb_archive_query query = {
        .from_ns = (int64_t)fixture_below(random, 44) - 7,
        .to_ns = (int64_t)fixture_below(random, 44) - 7,
        .cursor = fixture_below(random, 2) == 0 ? &cursor : NULL,
        .limit = fixture_below(random, 12),
    };
    query.from_ns = fixture_below(random, 9) == 0 ? INT64_MIN : query.from_ns;
    query.to_ns = fixture_below(random, 9) == 0 ? INT64_MAX : query.to_ns;
    size_t expected_first = 0, first = 0;
    size_t expected = model_find(m, &query, &expected_first);
    assert_int_equal(mpb_archive_find(archive, &query, &first), expected);
    if (expected > 0) {
        assert_int_equal(first, expected_first);
    }
}

static void random_steps(size_t capacity, bool holds_copies)
{
    struct mpb_archive *archive = NULL;
    struct model m = {.cap = capacity};
    uint64_t random = capacity * 2 + holds_copies;
    size_t n_refused[MPB_REFUSAL__COUNT + 1] = {0};
    int64_t live = fixture_live_bytes();
    assert_int_equal(mpb_archive_new(capacity, holds_copies, &archive), MPB_OK);
    for (uint32_t step = 0; step < N_STEPS; step++) {
        struct mpb_key key = fixture_random_key(&random, 40, 4);
        key.time_ns += (int64_t)step / 100; /* time passes, with late messages */
        enum mpb_refusal expected = model_put(&m, &key, step);
        assert_int_equal(put(archive, holds_copies, &key, step), expected);
        n_refused[expected]++;
        query_random(archive, &m, &random);
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
        random_steps(capacities[i], true);
        random_steps(capacities[i], false);
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

/* Eviction frees at once: the archive never holds more than its capacity. */
static void test_eviction_frees(void **state)
{
    (void)state;
    struct mpb_archive *archive = NULL;
    uint64_t random = 1;
    int64_t full = 0;
    assert_int_equal(mpb_archive_new(3, true, &archive), MPB_OK);
    for (int64_t i = 0; i < 100; i++) {
        struct mpb_key key = fixture_random_key(&random, 1, 1000);
        key.time_ns = i;
        assert_int_equal(put(archive, true, &key, 0), MPB_REFUSAL__COUNT);
        full = i == 2 ? fixture_live_bytes() : full;
        assert_true(i < 3 || fixture_live_bytes() == full);
    }
    mpb_archive_free(archive);
    mpb_archive_free(NULL);
}

static void test_empty(void **state)
{
    (void)state;
    struct mpb_archive *archive = NULL;
    struct mpb_archive_query all = {INT64_MIN, INT64_MAX, NULL, SIZE_MAX};
    size_t first = 0;
    assert_int_equal(mpb_archive_new(5, false, &archive), MPB_OK);
    assert_int_equal(mpb_archive_len(archive), 0);
    assert_int_equal(mpb_archive_find(archive, &all, &first), 0);
    mpb_archive_free(archive);
}

static void test_no_memory(void **state)
{
    (void)state;
    int64_t live = fixture_live_bytes();
    for (size_t k = 1; k <= 2; k++) {
        struct mpb_archive *archive = NULL;
        failing_heap_at(k);
        assert_int_equal(mpb_archive_new(5, true, &archive), MPB_E_NOMEM);
        failing_heap_at(0);
        assert_null(archive);
        assert_int_equal(fixture_live_bytes(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_steps),  cmocka_unit_test(test_check),
        cmocka_unit_test(test_refusal_names), cmocka_unit_test(test_eviction_frees),
        cmocka_unit_test(test_empty),         cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
