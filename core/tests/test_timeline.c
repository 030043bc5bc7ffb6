/* test_timeline.c: the sorted ring against a plain sorted array, over thousands of random steps. */
#include "core/timeline.h"

#include "core/tests/failing_heap.h"
#include "core/tests/path_fixture.h"

enum { MODEL_MAX = 4096 };

/* The same, as an array kept in order by shifting. */
struct model {
    struct mpb_key key[MODEL_MAX];
    void *value[MODEL_MAX];
    size_t len;
};

/* First place whose key is not before `key`, by looking at each. */
static size_t model_place(const struct model *m, const struct mpb_key *key)
{
    size_t pos = 0;
    while (pos < m->len && fixture_key_order(&m->key[pos], key) < 0) {
        pos++;
    }
    return pos;
}

static void model_insert(struct model *m, size_t pos, const struct mpb_key *key, void *value)
{
    assert_true(m->len < MODEL_MAX);
    for (size_t i = m->len; i > pos; i--) {
        m->key[i] = m->key[i - 1];
        m->value[i] = m->value[i - 1];
    }
    m->key[pos] = *key;
    m->value[pos] = value;
    m->len++;
}

static void *model_pop(struct model *m)
{
    void *value = m->value[0];
    m->len--;
    for (size_t i = 0; i < m->len; i++) {
        m->key[i] = m->key[i + 1];
        m->value[i] = m->value[i + 1];
    }
    return value;
}

static void assert_same(const struct mpb_timeline *t, const struct model *m)
{
    assert_int_equal(t->len, m->len);
    for (size_t i = 0; i < m->len; i++) {
        assert_true(fixture_is_same_key(mpb_timeline_key(t, i), &m->key[i]));
        assert_ptr_equal(mpb_timeline_value(t, i), m->value[i]);
    }
}

/* Insert a random key unless it is there; it must be found at the model's place. */
static void insert_random(struct mpb_timeline *t, struct model *m, uint64_t *random)
{
    struct mpb_key key = fixture_random_key(random, 60, 4);
    size_t expected = model_place(m, &key), pos = SIZE_MAX;
    bool is_known = expected < m->len && fixture_is_same_key(&m->key[expected], &key);
    assert_int_equal(mpb_timeline_find(t, &key, &pos), is_known);
    assert_int_equal(pos, expected);
    if (!is_known) {
        void *value = &m->value[fixture_below(random, MODEL_MAX)]; /* any pointer */
        assert_int_equal(mpb_timeline_insert(t, pos, &key, value), MPB_OK);
        model_insert(m, pos, &key, value);
    }
}

/* capacity 1 grows through every doubling; the others wrap around at odd places. */
static void random_steps(size_t cap, unsigned pop_one_in)
{
    static struct model m;
    struct mpb_timeline t = {0};
    uint64_t random = cap * 1000 + pop_one_in;
    int64_t live = fixture_live_bytes();
    m.len = 0;
    assert_int_equal(mpb_timeline_init(&t, cap), MPB_OK);
    for (size_t step = 0; step < 3000; step++) {
        if (m.len > 0 && fixture_below(&random, pop_one_in) == 0) {
            assert_ptr_equal(mpb_timeline_pop_first(&t), model_pop(&m));
        } else {
            insert_random(&t, &m, &random);
        }
        if (step % 7 == 0) {
            assert_same(&t, &m);
        }
    }
    assert_same(&t, &m);
    mpb_timeline_fini(&t);
    assert_int_equal(t.len, 0);
    assert_int_equal(fixture_live_bytes(), live);
}

static void test_random_steps(void **state)
{
    (void)state;
    random_steps(1, 2);
    random_steps(1, 10);
    random_steps(5, 2);
    random_steps(37, 3);
    random_steps(300, 2);
}

static struct mpb_key key_at(int64_t time_ns, uint8_t first, uint8_t last)
{
    struct mpb_key key = {.time_ns = time_ns};
    key.hash[0] = first;
    key.hash[MPB_MSG_HASH_LEN - 1] = last;
    return key;
}

/* Time as a signed number, then the hash as unsigned bytes, first byte first. */
static void test_order(void **state)
{
    (void)state;
    struct mpb_key ascending[] = {
        key_at(INT64_MIN, 0xff, 0xff), key_at(-1, 0, 0),   key_at(0, 0, 0), key_at(0, 0, 1),
        key_at(0, 0x7f, 0xff),         key_at(0, 0x80, 0), key_at(1, 0, 0), key_at(INT64_MAX, 0, 0),
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(ascending); i++) {
        for (size_t k = 0; k < MPB_ARRAY_LEN(ascending); k++) {
            int order = mpb_timeline_compare(&ascending[i], &ascending[k]);
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
    }
}

/* The common case: ever later keys, oldest leaving: the ring must not grow. */
static void test_window_slides(void **state)
{
    (void)state;
    struct mpb_timeline t = {0};
    assert_int_equal(mpb_timeline_init(&t, 10), MPB_OK);
    for (int64_t time = 0; time < 1000; time++) {
        struct mpb_key key = key_at(time, 1, 2);
        size_t pos = 0;
        assert_false(mpb_timeline_find(&t, &key, &pos));
        assert_int_equal(pos, t.len);
        if (t.len == 10) {
            assert_int_equal(mpb_timeline_key(&t, 0)->time_ns, time - 10);
            mpb_timeline_pop_first(&t);
            pos--;
        }
        assert_int_equal(mpb_timeline_insert(&t, pos, &key, NULL), MPB_OK);
    }
    assert_int_equal(t.cap, 10);
    mpb_timeline_fini(&t);
}

static void test_capacity_zero_is_one(void **state)
{
    (void)state;
    struct mpb_timeline t = {0};
    struct mpb_key key = key_at(1, 1, 1);
    size_t pos = 9;
    assert_int_equal(mpb_timeline_init(&t, 0), MPB_OK);
    assert_int_equal(t.cap, 1);
    assert_false(mpb_timeline_find(&t, &key, &pos));
    assert_int_equal(pos, 0);
    mpb_timeline_fini(&t);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct mpb_timeline t = {0};
    struct mpb_key first = key_at(1, 1, 1), second = key_at(2, 1, 1);
    size_t wraps = SIZE_MAX / sizeof(struct mpb_timeline_slot) + 2; /* to a few bytes */
    int64_t live = fixture_live_bytes();
    assert_int_equal(mpb_timeline_init(&t, wraps), MPB_E_NOMEM);
    failing_heap_at(1);
    assert_int_equal(mpb_timeline_init(&t, 1), MPB_E_NOMEM);
    failing_heap_at(0);
    assert_null(t.slot);
    assert_int_equal(mpb_timeline_init(&t, 1), MPB_OK);
    assert_int_equal(mpb_timeline_insert(&t, 0, &first, NULL), MPB_OK);
    failing_heap_at(1);
    assert_int_equal(mpb_timeline_insert(&t, 1, &second, NULL), MPB_E_NOMEM);
    failing_heap_at(0);
    assert_int_equal(t.len, 1); /* unchanged, and usable */
    assert_true(fixture_is_same_key(mpb_timeline_key(&t, 0), &first));
    assert_int_equal(mpb_timeline_insert(&t, 1, &second, NULL), MPB_OK);
    assert_true(fixture_is_same_key(mpb_timeline_key(&t, 1), &second));
    mpb_timeline_fini(&t);
    assert_int_equal(fixture_live_bytes(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_steps),  cmocka_unit_test(test_order),
        cmocka_unit_test(test_window_slides), cmocka_unit_test(test_capacity_zero_is_one),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
