/* test_node_observe.c: what observing sites cost, whom they call, and that they are gated off. */
#include "core/node.h"

#include "core/tests/path_fixture.h"

/* The calls, in order: first or second observer, with a hash or without. */
struct trail {
    struct mpb_msg msg; /* what should be seen */
    struct mpb_key key;
    struct {
        char who;
        bool has_hash;
    } call[8];
    size_t n;
};

static void note(struct trail *t, char who, const struct mpb_msg *msg, const uint8_t *hash)
{
    assert_true(t->n < MPB_ARRAY_LEN(t->call));
    assert_true(mpb_msg_is_equal(msg, &t->msg));
    if (hash != NULL) {
        assert_memory_equal(hash, t->key.hash, MPB_MSG_HASH_LEN);
    }
    t->call[t->n].who = who;
    t->call[t->n++].has_hash = hash != NULL;
}

static void see_first(void *ctx, const struct mpb_msg *msg, const uint8_t *hash)
{
    note(ctx, '1', msg, hash);
}

static void see_second(void *ctx, const struct mpb_msg *msg, const uint8_t *hash)
{
    note(ctx, '2', msg, hash);
}

/* Observers of one site, and one of another, which must not be called. */
static struct mpb_node *make_node(const struct mpb_variant *variant, enum mpb_site site,
                                  struct mpb_observer observers[3], struct trail *trail)
{
    struct mpb_node *node = NULL;
    enum mpb_site other = site == MPB_SITE_ON_RECV ? MPB_SITE_ON_SEND : MPB_SITE_ON_RECV;
    observers[0] = (struct mpb_observer){other, see_first, trail};
    observers[1] = (struct mpb_observer){site, see_second, trail};
    observers[2] = (struct mpb_observer){site, see_first, trail};
    struct mpb_node_cfg cfg = {
        .variant = variant,
        .pubsub_topic = FIXTURE_PUBSUB_TOPIC,
        .observers = observers,
        .n_observers = 3,
    };
    assert_int_equal(mpb_node_new(&cfg, &node, NULL), MPB_OK);
    return node;
}

static void assert_calls(const struct trail *trail, bool is_open, bool has_hash)
{
    assert_int_equal(trail->n, is_open ? 2 : 0);
    for (size_t i = 0; i < trail->n; i++) {
        assert_int_equal(trail->call[i].who, i == 0 ? '2' : '1');
        assert_int_equal(trail->call[i].has_hash, has_hash);
    }
}

/* before: on_recv D, on_validated D + H, on_send D + H, 2 copies each; else nothing at all. */
static void check(const struct mpb_variant *variant, enum mpb_site site, unsigned hashes)
{
    bool is_open = strncmp(variant->name, "before", 6) == 0;
    unsigned copies = strcmp(variant->name, "before") == 0 ? 2 : 0;
    struct trail trail = {.msg = fixture_msg(1, 500)};
    struct mpb_observer observers[3];
    struct mpb_probe_counts counts;
    trail.key = fixture_key(&trail.msg);
    int64_t live = fixture_live_bytes();
    struct mpb_node *node = make_node(variant, site, observers, &trail);
    struct mpb_buffer *wire = fixture_arrive(&trail.msg);
    /* once before: libcrypto keeps a context until the next hash */
    assert_int_equal(mpb_node_observe(node, site, mpb_buffer_view(wire)), MPB_OK);
    trail.n = 0;
    mpb_probe_reset();
    assert_int_equal(mpb_node_observe(node, site, mpb_buffer_view(wire)), MPB_OK);
    mpb_probe_read(&counts);
    const uint64_t *at = counts.at[site];
    assert_int_equal(at[MPB_METRIC_DECODES], is_open ? 1 : 0); /* one for both observers */
    assert_int_equal(at[MPB_METRIC_DECODED_BYTES], is_open ? wire->len : 0);
    assert_int_equal(at[MPB_METRIC_HASHES], is_open ? hashes : 0);
    assert_int_equal(at[MPB_METRIC_HASHED_BYTES], is_open ? hashes * (500 + 5) : 0);
    assert_int_equal(at[MPB_METRIC_COPIES], copies);
    assert_int_equal(at[MPB_METRIC_COPIED_BYTES], copies * (500 + 29 + 5 + 7));
    assert_int_equal(at[MPB_METRIC_ALLOCS], at[MPB_METRIC_FREES]);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_DECODES), at[MPB_METRIC_DECODES]);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_ALLOCS), at[MPB_METRIC_ALLOCS]);
    assert_calls(&trail, is_open, hashes > 0);
    mpb_buffer_unref(wire);
    mpb_node_free(node);
    assert_int_equal(fixture_live_bytes(), live);
}

static void test_costs(void **state)
{
    (void)state;
    size_t n = 0;
    const struct mpb_variant *all = mpb_variant_all(&n);
    for (size_t i = 0; i < n; i++) {
        check(&all[i], MPB_SITE_ON_RECV, 0);
        check(&all[i], MPB_SITE_ON_VALIDATED, 1);
        check(&all[i], MPB_SITE_ON_SEND, 1);
    }
}

/* Bad bytes reach no observer and no statistic: the validator is where they are counted. */
static void test_bad_bytes(void **state)
{
    (void)state;
    static const enum mpb_site sites[] = {MPB_SITE_ON_RECV, MPB_SITE_ON_VALIDATED,
                                          MPB_SITE_ON_SEND};
    for (size_t i = 0; i < MPB_ARRAY_LEN(sites); i++) {
        struct trail trail = {.n = 0};
        struct mpb_observer observers[3];
        struct mpb_node *node = make_node(mpb_variant_find("before"), sites[i], observers, &trail);
        int64_t live = fixture_live_bytes();
        assert_int_equal(mpb_node_observe(node, sites[i], MPB_BYTES_OF("\012\005")), MPB_OK);
        assert_int_equal(trail.n, 0);
        for (size_t k = 0; k < MPB_STATUS__COUNT; k++) {
            assert_int_equal(mpb_node_stats(node)->rejected_by_codec[k], 0);
        }
        assert_int_equal(fixture_live_bytes(), live);
        mpb_node_free(node);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_bad_bytes),
    };
    fixture_wake_libcrypto();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
