/* test_seen_cache.c: against a plain list of all sightings, at the edges of time, and when full. */
#include "core/seen_cache.h"

#include "core/tests/failing_heap.h"
#include "core/tests/path_fixture.h"

#define TTL MPB_SEEN_CACHE_TTL_NS

/* An id out of a countable set; sharing most bytes with its neighbours, as digests would not. */
static const uint8_t *id_of(size_t i, uint8_t out[MPB_MSG_HASH_LEN])
{
    memset(out, 0x5a, MPB_MSG_HASH_LEN);
    memcpy(out + 17, &i, sizeof(i));
    return out;
}

static bool see(struct mpb_seen_cache *cache, size_t i, int64_t now_ns)
{
    uint8_t id[MPB_MSG_HASH_LEN];
    bool had = mpb_seen_cache_has(cache, id_of(i, id), now_ns);
    bool seen = mpb_seen_cache_test_and_add(cache, id, now_ns);
    assert_int_equal(had, seen);
    assert_true(mpb_seen_cache_has(cache, id, now_ns));
    return seen;
}

static struct mpb_seen_cache *cache_of(size_t capacity)
{
    struct mpb_seen_cache *cache = NULL;
    assert_int_equal(mpb_seen_cache_new(capacity, &cache), MPB_OK);
    return cache;
}

static void test_two_minutes(void **state)
{
    (void)state;
    struct mpb_seen_cache *cache = cache_of(4);
    assert_false(see(cache, 1, 1000));
    assert_true(see(cache, 1, 1000));
    assert_true(see(cache, 1, 1000 + TTL)); /* does not renew it */
    assert_int_equal(mpb_seen_cache_len(cache), 1);
    assert_false(see(cache, 1, 1001 + TTL));
    assert_true(see(cache, 1, 1001 + 2 * TTL));
    assert_false(see(cache, 2, 1002 + 2 * TTL));
    assert_int_equal(mpb_seen_cache_len(cache), 1); /* 1 has left */
    assert_int_equal(mpb_seen_cache_n_early(cache), 0);
    mpb_seen_cache_free(cache);
    mpb_seen_cache_free(NULL);
}

static void test_clock_never_goes_back(void **state)
{
    (void)state;
    struct mpb_seen_cache *cache = cache_of(4);
    assert_false(see(cache, 1, TTL));
    assert_false(see(cache, 2, 0)); /* as at TTL */
    assert_true(see(cache, 2, 2 * TTL));
    assert_false(see(cache, 2, 2 * TTL + 1));
    mpb_seen_cache_free(cache);

    cache = cache_of(4);
    assert_false(see(cache, 1, INT64_MIN));
    assert_true(see(cache, 1, INT64_MIN + TTL));
    assert_false(see(cache, 2, INT64_MIN + TTL));
    assert_false(see(cache, 3, INT64_MAX));
    assert_int_equal(mpb_seen_cache_len(cache), 1);
    mpb_seen_cache_free(cache);

    cache = cache_of(4); /* nor does it begin at 0 */
    assert_false(see(cache, 1, -TTL - 5));
    assert_false(see(cache, 1, -4));
    mpb_seen_cache_free(cache);
}

static void test_full(void **state)
{
    (void)state;
    struct mpb_seen_cache *cache = cache_of(3);
    for (size_t i = 0; i < 5; i++) {
        assert_false(see(cache, i, (int64_t)i));
    }
    assert_int_equal(mpb_seen_cache_len(cache), 3);
    assert_int_equal(mpb_seen_cache_n_early(cache), 2);
    assert_true(see(cache, 2, 5));
    assert_int_equal(mpb_seen_cache_n_early(cache), 2); /* a known one pushes nobody out */
    assert_false(see(cache, 1, 5));
    assert_false(see(cache, 2, 5));
    mpb_seen_cache_free(cache);

    cache = cache_of(1);
    assert_false(see(cache, 1, 0));
    assert_true(see(cache, 1, 0));
    assert_false(see(cache, 2, 0));
    assert_false(see(cache, 1, 0));
    assert_int_equal(mpb_seen_cache_n_early(cache), 2);
    mpb_seen_cache_free(cache);
}

/* Every sighting that was added and has not left, oldest first. */
struct model {
    size_t ids[4096];
    int64_t times[4096];
    size_t first, end;
    uint64_t n_early;
};

static bool model_see(struct model *model, size_t capacity, size_t id, int64_t now_ns)
{
    while (model->first < model->end && now_ns - model->times[model->first] > TTL) {
        model->first++;
    }
    for (size_t i = model->first; i < model->end; i++) {
        if (model->ids[i] == id) {
            return true;
        }
    }
    if (model->end - model->first == capacity) {
        model->first++;
        model->n_early++;
    }
    model->ids[model->end] = id;
    model->times[model->end++] = now_ns;
    return false;
}

static void check_against_model(uint64_t seed, size_t capacity, size_t n_ids, size_t step_max)
{
    static struct model model;
    struct mpb_seen_cache *cache = cache_of(capacity);
    uint64_t random = seed;
    int64_t now_ns = 0;
    model.first = model.end = 0;
    model.n_early = 0;
    for (size_t i = 0; i < MPB_ARRAY_LEN(model.ids); i++) {
        size_t id = fixture_below(&random, n_ids);
        now_ns += (int64_t)fixture_below(&random, step_max);
        if (see(cache, id, now_ns) != model_see(&model, capacity, id, now_ns)) {
            fail_msg("seed %u, call %zu", (unsigned)seed, i);
        }
        assert_int_equal(mpb_seen_cache_len(cache), model.end - model.first);
        assert_int_equal(mpb_seen_cache_n_early(cache), model.n_early);
    }
    mpb_seen_cache_free(cache);
}

static void test_against_model(void **state)
{
    (void)state;
    static const size_t capacities[] = {1, 2, 3, 7, 32, 33, 100, 1000};
    for (size_t i = 0; i < MPB_ARRAY_LEN(capacities); i++) {
        size_t capacity = capacities[i];
        for (uint64_t seed = 0; seed < 4; seed++) {
            check_against_model(seed, capacity, 2 * capacity + 3, 2 + (size_t)TTL / 8);
            check_against_model(seed, capacity, capacity + 1, 2 + (size_t)TTL / capacity);
            check_against_model(seed, capacity, 3 * capacity, 2);
        }
    }
}

/* A hundred thousand sightings of a full cache: no search gets long. (A table with gravestones, or
 * with a poor hash, would take minutes.) */
static void test_stays_fast(void **state)
{
    (void)state;
    struct mpb_seen_cache *cache = cache_of(20000);
    for (size_t i = 0; i < 100000; i++) {
        assert_false(see(cache, i, (int64_t)i));
        assert_true(see(cache, i, (int64_t)i));
    }
    assert_int_equal(mpb_seen_cache_n_early(cache), 80000);
    mpb_seen_cache_free(cache);
}

static void test_memory(void **state)
{
    (void)state;
    int64_t live = fixture_live_bytes();
    mpb_probe_reset();
    struct mpb_seen_cache *cache = cache_of(1000);
    assert_int_equal(fixture_total(MPB_METRIC_REQUESTED_BYTES), mpb_seen_cache_bytes(cache));
    assert_true(mpb_seen_cache_bytes(cache) >= UINT64_C(1000) * MPB_MSG_HASH_LEN);
    for (size_t i = 0; i < 3000; i++) {
        assert_false(see(cache, i, 0));
    }
    struct mpb_probe_counts counts;
    mpb_probe_read(&counts);
    assert_int_equal(counts.at[MPB_SITE_SEEN_CACHE][MPB_METRIC_ALLOCS], 1);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_ALLOCS), 1);
    mpb_seen_cache_free(cache);
    assert_int_equal(fixture_live_bytes(), live);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct mpb_seen_cache *cache = NULL;
    failing_heap_at(1);
    assert_int_equal(mpb_seen_cache_new(10, &cache), MPB_E_NOMEM);
    failing_heap_at(0);
    assert_int_equal(mpb_seen_cache_new(SIZE_MAX, &cache), MPB_E_NOMEM);
    assert_int_equal(mpb_seen_cache_new(SIZE_MAX / 40, &cache), MPB_E_NOMEM);
    assert_null(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_minutes), cmocka_unit_test(test_clock_never_goes_back),
        cmocka_unit_test(test_full),        cmocka_unit_test(test_against_model),
        cmocka_unit_test(test_stays_fast),  cmocka_unit_test(test_memory),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
