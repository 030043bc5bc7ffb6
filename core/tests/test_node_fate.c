/* test_node_fate.c: what becomes of messages: validators, rejections, refusals, pushes;
 * every one counted, none leaking, in every variant. */
#include "core/node.h"

#include "core/push.h"
#include "core/tests/path_fixture.h"

/* Called by the path, in order. */
struct call {
    const char *who;
    const uint8_t *hash;
};

struct trail {
    struct call call[64];
    size_t n;
    struct mpb_msg msg; /* what should arrive */
    struct mpb_key key;
    uint8_t push[4096];
    size_t push_len, n_pushed;
};

static void note(struct trail *t, const char *who, const uint8_t *hash)
{
    assert_true(t->n < MPB_ARRAY_LEN(t->call));
    t->call[t->n++] = (struct call){who, hash};
    if (hash != NULL) {
        assert_memory_equal(hash, t->key.hash, MPB_MSG_HASH_LEN);
    }
}

static enum mpb_status accept(void *ctx, const struct mpb_msg *msg, struct mpb_bytes wire)
{
    struct trail *t = ctx;
    assert_true(mpb_msg_is_equal(msg, &t->msg));
    assert_int_equal(wire.len, mpb_msg_encoded_len(&t->msg));
    note(t, "accept", NULL);
    return MPB_OK;
}

static enum mpb_status reject(void *ctx, const struct mpb_msg *msg, struct mpb_bytes wire)
{
    (void)msg, (void)wire;
    note(ctx, "reject", NULL);
    return MPB_E_REJECTED;
}

static void app(void *ctx, const struct mpb_delivery *delivery)
{
    struct trail *t = ctx;
    assert_true(mpb_msg_is_equal(delivery->msg, &t->msg));
    note(t, "app", delivery->hash);
}

static void push(void *ctx, uint32_t peer, const struct mpb_parts *given)
{
    const struct mpb_bytes parts[] = {given->head, given->data, given->tail};
    const size_t n_parts = MPB_ARRAY_LEN(parts);
    struct trail *t = ctx;
    uint8_t joined[4096];
    size_t len = 0;
    for (size_t i = 0; i < n_parts; i++) {
        if (parts[i].len > 0) {
            memcpy(joined + len, parts[i].data, parts[i].len);
        }
        len += parts[i].len;
    }
    assert_int_equal(peer, t->n_pushed++);
    assert_int_equal(len, t->push_len);
    assert_memory_equal(joined, t->push, len);
}

static void expect(struct trail *t, const struct mpb_msg *msg)
{
    t->n = t->n_pushed = 0;
    t->msg = *msg;
    t->key = fixture_key(msg);
    t->push_len = mpb_push_encode(msg, FIXTURE_PUBSUB_TOPIC, t->push, sizeof(t->push));
    assert_true(t->push_len > 0);
}

static struct mpb_node *make_node(const struct mpb_variant *variant, struct trail *trail,
                                  const struct mpb_node_cfg *more)
{
    struct mpb_node *node = NULL;
    struct mpb_node_cfg cfg = *more;
    cfg.variant = variant;
    cfg.pubsub_topic = FIXTURE_PUBSUB_TOPIC;
    cfg.app = app;
    cfg.app_ctx = trail;
    cfg.push = push;
    cfg.push_ctx = trail;
    assert_int_equal(mpb_node_new(&cfg, &node, NULL), MPB_OK);
    return node;
}

static void receive_at(struct mpb_node *node, struct trail *trail, const struct mpb_msg *msg,
                       int64_t now_ns)
{
    expect(trail, msg);
    assert_int_equal(mpb_node_receive(node, fixture_arrive(msg), now_ns), MPB_OK);
}

/* Run a check with a node of each variant; all of its memory must come back. */
static void for_each_variant(void (*check)(const struct mpb_variant *variant))
{
    size_t n = 0;
    const struct mpb_variant *all = mpb_variant_all(&n);
    for (size_t i = 0; i < n; i++) {
        int64_t live = fixture_live_bytes();
        check(&all[i]);
        assert_int_equal(fixture_live_bytes(), live);
    }
}

/* In order; the first rejection stops, counts under its own name, and costs one hash. */
static void check_validators(const struct mpb_variant *variant)
{
    struct trail trail = {.n = 0};
    struct mpb_validator validators[] = {{"size", accept, &trail},
                                         {"stamp", accept, &trail},
                                         {"spam", reject, &trail},
                                         {"late", accept, &trail}};
    struct mpb_node_cfg cfg = {.archive_capacity = 4, .validators = validators, .n_validators = 4};
    struct mpb_node *node = make_node(variant, &trail, &cfg);
    struct mpb_msg msg = fixture_msg(1, 500);
    struct mpb_probe_counts counts;
    mpb_probe_reset();
    for (size_t i = 1; i <= 2; i++) {
        receive_at(node, &trail, &msg, msg.timestamp_ns);
        assert_int_equal(trail.n, 3);
        assert_string_equal(trail.call[1].who, "accept");
        assert_string_equal(trail.call[2].who, "reject");
        assert_int_equal(mpb_node_stats(node)->rejected_by_validator[2], i);
    }
    mpb_probe_read(&counts);
    assert_int_equal(counts.at[MPB_SITE_VALIDATOR][MPB_METRIC_DECODES], 2);
    assert_int_equal(counts.at[MPB_SITE_VALIDATOR][MPB_METRIC_HASHES], 2);
    assert_int_equal(counts.at[MPB_SITE_TOPIC_HANDLER][MPB_METRIC_DECODES], 0);
    const struct mpb_node_stats *stats = mpb_node_stats(node);
    assert_int_equal(stats->rejected_by_validator[0] + stats->rejected_by_validator[1] +
                         stats->rejected_by_validator[3],
                     0);
    assert_int_equal(stats->delivered + stats->archived + stats->events + stats->traced, 0);
    assert_int_equal(mpb_archive_len(mpb_node_archive(node)), 0);
    assert_int_equal(mpb_sync_index_len(mpb_node_sync_index(node)), 0);
    mpb_node_free(node);

    cfg.n_validators = 2; /* those that accept: no hash there, and the message goes on */
    node = make_node(variant, &trail, &cfg);
    mpb_probe_reset();
    receive_at(node, &trail, &msg, msg.timestamp_ns);
    mpb_probe_read(&counts);
    assert_int_equal(counts.at[MPB_SITE_VALIDATOR][MPB_METRIC_HASHES], 0);
    assert_int_equal(trail.n, 3);
    assert_string_equal(trail.call[2].who, "app");
    mpb_node_free(node);
}

static void test_validators(void **state)
{
    (void)state;
    for_each_variant(check_validators);
    struct mpb_validator many[MPB_NODE_VALIDATORS_MAX + 1] = {{"one", accept, NULL}};
    struct mpb_node_cfg cfg = {.variant = mpb_variant_find("after"),
                               .validators = many,
                               .n_validators = MPB_ARRAY_LEN(many)};
    struct mpb_node *node = NULL;
    struct mpb_error err = {.status = MPB_OK};
    assert_int_equal(mpb_node_new(&cfg, &node, &err), MPB_E_USAGE);
    assert_null(node);
    assert_string_equal(err.text, "more than 8 validators");
}

/* One wire for each way the codec refuses. */
static const struct {
    const char *wire;
    size_t len;
    enum mpb_status status;
} bad_wires[] = {
    {"\012\005ab", 4, MPB_E_TRUNCATED},
    {"\012\201\000a\022\000", 6, MPB_E_OVERLONG_VARINT},
    {"\012\000\022\000\030\377\377\377\377\037", 10, MPB_E_VARINT_RANGE},
    {"\012\000\022\000\013", 5, MPB_E_WIRE_TYPE},
    {"\022\000", 2, MPB_E_MISSING_FIELD},
    {"", 0, MPB_E_MISSING_FIELD},
    {"\012\000\022\000\132\101-----------------------------------------------------------------",
     71, MPB_E_META_LENGTH},
};

static void check_codec_rejects(const struct mpb_variant *variant)
{
    struct trail trail = {.n = 0};
    struct mpb_node_cfg cfg = {.archive_capacity = 4};
    struct mpb_node *node = make_node(variant, &trail, &cfg);
    uint64_t expected[MPB_STATUS__COUNT] = {0};
    mpb_probe_reset();
    for (size_t i = 0; i < MPB_ARRAY_LEN(bad_wires); i++) {
        int64_t live = fixture_live_bytes();
        struct mpb_bytes wire = {(const uint8_t *)bad_wires[i].wire, bad_wires[i].len};
        struct mpb_buffer *buffer = fixture_arrive_bytes(wire);
        assert_int_equal(mpb_node_receive(node, buffer, FIXTURE_BASE_NS), MPB_OK);
        expected[-1 - (int)bad_wires[i].status]++;
        assert_memory_equal(mpb_node_stats(node)->rejected_by_codec, expected, sizeof(expected));
        assert_int_equal(fixture_live_bytes(), live);
    }
    assert_int_equal(fixture_total(MPB_METRIC_DECODES), MPB_ARRAY_LEN(bad_wires));
    assert_int_equal(fixture_total(MPB_METRIC_HASHES) + fixture_total(MPB_METRIC_COPIES), 0);
    assert_int_equal(mpb_node_stats(node)->delivered, 0);
    assert_int_equal(mpb_archive_len(mpb_node_archive(node)), 0);
    assert_int_equal(mpb_sync_index_len(mpb_node_sync_index(node)), 0);
    assert_int_equal(trail.n, 0);
    struct mpb_msg msg = fixture_msg(1, 8); /* and life goes on */
    receive_at(node, &trail, &msg, msg.timestamp_ns);
    assert_int_equal(trail.n, 1);
    mpb_node_free(node);
}

static void test_codec_rejects(void **state)
{
    (void)state;
    for_each_variant(check_codec_rejects);
}

/* Refused messages are delivered all the same, counted, and not archived. */
static void refuse(struct mpb_node *node, struct trail *trail, const struct mpb_msg *msg,
                   int64_t now_ns, enum mpb_refusal refusal)
{
    const struct mpb_node_stats *stats = mpb_node_stats(node);
    uint64_t refused = stats->refused[refusal], delivered = stats->delivered;
    uint64_t archived = stats->archived;
    size_t len = mpb_archive_len(mpb_node_archive(node));
    receive_at(node, trail, msg, now_ns);
    assert_int_equal(stats->refused[refusal], refused + 1);
    assert_int_equal(stats->delivered, delivered + 1);
    assert_int_equal(stats->archived, archived);
    assert_int_equal(mpb_archive_len(mpb_node_archive(node)), len);
    assert_string_equal(trail->call[trail->n - 1].who, "app");
}

static void check_refusals(const struct mpb_variant *variant)
{
    struct trail trail = {.n = 0};
    struct mpb_node_cfg cfg = {.archive_capacity = 2};
    struct mpb_node *node = make_node(variant, &trail, &cfg);
    struct mpb_msg first = fixture_msg(5, 100), second = fixture_msg(6, 100);
    struct mpb_msg ephemeral = fixture_msg(7, 100), old = fixture_msg(4, 100);
    int64_t now = first.timestamp_ns;
    ephemeral.ephemeral = true;
    receive_at(node, &trail, &first, now);
    refuse(node, &trail, &ephemeral, now, MPB_REFUSAL_EPHEMERAL);
    refuse(node, &trail, &first, now, MPB_REFUSAL_DUPLICATE);
    refuse(node, &trail, &second, second.timestamp_ns + INT64_C(20000000001), MPB_REFUSAL_PAST);
    refuse(node, &trail, &second, second.timestamp_ns - INT64_C(20000000001), MPB_REFUSAL_FUTURE);
    receive_at(node, &trail, &second, now);
    assert_int_equal(mpb_node_stats(node)->archived, 2);
    refuse(node, &trail, &old, now, MPB_REFUSAL_TOO_OLD);
    uint64_t sum = 0;
    for (size_t i = 0; i < MPB_REFUSAL__COUNT; i++) {
        sum += mpb_node_stats(node)->refused[i];
    }
    assert_int_equal(sum, 5); /* each counted once, under its own name */
    assert_int_equal(mpb_archive_key(mpb_node_archive(node), 0)->time_ns, first.timestamp_ns);
    assert_int_equal(mpb_archive_key(mpb_node_archive(node), 1)->time_ns, second.timestamp_ns);
    mpb_node_free(node);
}

static void test_refusals(void **state)
{
    (void)state;
    for_each_variant(check_refusals);
}

/* The bytes of a push are the same whether serialised or scattered, for small messages too. */
static void check_pushes(const struct mpb_variant *variant)
{
    static const size_t lens[] = {8, 100, 200, 2000};
    struct trail trail = {.n = 0};
    struct mpb_filter *filter = mpb_filter_new();
    for (uint32_t peer = 0; peer < 3; peer++) {
        assert_int_equal(
            mpb_filter_subscribe(filter, peer, FIXTURE_PUBSUB_TOPIC, FIXTURE_CONTENT_TOPIC),
            MPB_OK);
    }
    struct mpb_node_cfg cfg = {.filter = filter, .archive_capacity = 2};
    struct mpb_node *node = make_node(variant, &trail, &cfg);
    for (size_t i = 0; i < MPB_ARRAY_LEN(lens); i++) {
        struct mpb_msg msg = fixture_msg(i, lens[i]);
        receive_at(node, &trail, &msg, msg.timestamp_ns);
        assert_int_equal(trail.n_pushed, 3);
    }
    struct mpb_msg other = fixture_msg(9, 100);
    other.content_topic = MPB_BYTES_OF("/somebody/else");
    mpb_probe_reset();
    receive_at(node, &trail, &other, other.timestamp_ns);
    assert_int_equal(trail.n_pushed, 0);
    assert_int_equal(mpb_node_stats(node)->pushed, 12);
    mpb_node_free(node);
}

static void test_pushes(void **state)
{
    (void)state;
    for_each_variant(check_pushes);
}

/* floor's topic handler reuses the validator's view: without one it must not run. */
static void test_deliver_needs_validation(void **state)
{
    (void)state;
    struct trail trail = {.n = 0};
    struct mpb_node_cfg cfg = {.archive_capacity = 2};
    struct mpb_node *node = make_node(mpb_variant_find("floor"), &trail, &cfg);
    struct mpb_msg msg = fixture_msg(1, 100);
    struct mpb_buffer *first_buffer = fixture_arrive(&msg), *second_buffer = fixture_arrive(&msg);
    struct mpb_inbound first = {first_buffer, mpb_buffer_view(first_buffer)};
    struct mpb_inbound second = {second_buffer, mpb_buffer_view(second_buffer)};
    bool is_accepted = false;
    expect(&trail, &msg);
    assert_int_equal(mpb_node_deliver(node, &first, msg.timestamp_ns), MPB_E_INTERNAL);
    assert_int_equal(mpb_node_validate(node, &first, &is_accepted), MPB_OK);
    assert_true(is_accepted);
    assert_int_equal(mpb_node_deliver(node, &second, msg.timestamp_ns), MPB_E_INTERNAL);
    assert_int_equal(mpb_node_deliver(node, &first, msg.timestamp_ns), MPB_OK);
    assert_int_equal(trail.n, 1);
    mpb_buffer_unref(first_buffer);
    mpb_buffer_unref(second_buffer);
    mpb_node_free(node);
    mpb_node_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_validators),
        cmocka_unit_test(test_codec_rejects),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_pushes),
        cmocka_unit_test(test_deliver_needs_validation),
    };
    fixture_wake_libcrypto();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
