/* test_node.c: what one message costs at each site, in every variant, with and without filter
 * peers and archive, against tables written down here; where copies live and die; observers. */
#include "core/node.h"

#include "core/gate.h"
#include "core/push.h"
#include "core/tests/path_fixture.h"

enum { N_MESSAGES = 3, PAYLOAD_LEN = 1000, PEERS_MAX = 20 };
enum { HASHED_LEN = PAYLOAD_LEN + 5, COPIED_LEN = PAYLOAD_LEN + 29 + 5 + 7 };

/* When a row of the cost tables applies. */
enum when { ALWAYS, WITH_ARCHIVE, WITH_PEERS, EACH_PEER };

struct cost {
    enum mpb_site site;
    enum when when;
    unsigned decodes, hashes, encodes, copies;
};

static const struct cost before[] = {
    {MPB_SITE_VALIDATOR, ALWAYS, 1, 0, 0, 2},     {MPB_SITE_TOPIC_HANDLER, ALWAYS, 1, 0, 0, 3},
    {MPB_SITE_TRACE, ALWAYS, 0, 0, 0, 1},         {MPB_SITE_FILTER, ALWAYS, 0, 0, 0, 1},
    {MPB_SITE_FILTER, WITH_PEERS, 0, 1, 0, 0},    {MPB_SITE_PUSH, WITH_PEERS, 0, 1, 1, 0},
    {MPB_SITE_PUSH, EACH_PEER, 0, 0, 0, 1},       {MPB_SITE_ARCHIVE, ALWAYS, 0, 0, 0, 1},
    {MPB_SITE_ARCHIVE, WITH_ARCHIVE, 0, 1, 0, 2}, {MPB_SITE_STORE_SYNC, ALWAYS, 0, 1, 0, 1},
    {MPB_SITE_EVENT, ALWAYS, 0, 0, 0, 2},         {MPB_SITE_APP, ALWAYS, 0, 0, 0, 2},
};
static const struct cost before_orc[] = {
    {MPB_SITE_VALIDATOR, ALWAYS, 1, 0, 0, 0},     {MPB_SITE_TOPIC_HANDLER, ALWAYS, 1, 0, 0, 0},
    {MPB_SITE_FILTER, WITH_PEERS, 0, 1, 0, 0},    {MPB_SITE_PUSH, WITH_PEERS, 0, 1, 1, 0},
    {MPB_SITE_ARCHIVE, WITH_ARCHIVE, 0, 1, 0, 1}, {MPB_SITE_STORE_SYNC, ALWAYS, 0, 1, 0, 0},
    {MPB_SITE_EVENT, ALWAYS, 0, 0, 0, 1},
};
static const struct cost after[] = {
    {MPB_SITE_VALIDATOR, ALWAYS, 1, 0, 0, 0},
    {MPB_SITE_TOPIC_HANDLER, ALWAYS, 1, 1, 0, 0},
    {MPB_SITE_PUSH, WITH_PEERS, 0, 0, 1, 0},
};
static const struct cost floor_[] = {
    {MPB_SITE_VALIDATOR, ALWAYS, 1, 0, 0, 0},
    {MPB_SITE_TOPIC_HANDLER, ALWAYS, 0, 1, 0, 0},
};

/* A variant's rows, its transient copies, and decodes, hashes, copies of a message: for F = 0, 1
 * and 20, each with and without archive. */
/* clang-format off */
#define ALWAYS_THE_SAME(decodes, hashes, copies) \
    {{decodes, hashes, copies}, {decodes, hashes, copies}, {decodes, hashes, copies}, \
     {decodes, hashes, copies}, {decodes, hashes, copies}, {decodes, hashes, copies}}
static const struct expected {
    const char *variant;
    const struct cost *cost;
    size_t n_costs;
    unsigned churn;
    unsigned total[6][3];
} expectations[] = {
    {"before", before, MPB_ARRAY_LEN(before), 0,
     {{2, 2, 15}, {2, 1, 13}, {2, 4, 16}, {2, 3, 14}, {2, 4, 35}, {2, 3, 33}}},
    {"before-orc", before_orc, MPB_ARRAY_LEN(before_orc), 0,
     {{2, 2, 2}, {2, 1, 1}, {2, 4, 2}, {2, 3, 1}, {2, 4, 2}, {2, 3, 1}}},
    {"after", after, MPB_ARRAY_LEN(after), 0, ALWAYS_THE_SAME(2, 1, 0)},
    {"after-orc", after, MPB_ARRAY_LEN(after), 0, ALWAYS_THE_SAME(2, 1, 0)},
    {"floor", floor_, MPB_ARRAY_LEN(floor_), 0, ALWAYS_THE_SAME(1, 1, 0)},
    {"churn2", after, MPB_ARRAY_LEN(after), 2, ALWAYS_THE_SAME(2, 1, 2)},
    {"churn4", after, MPB_ARRAY_LEN(after), 4, ALWAYS_THE_SAME(2, 1, 4)},
    {"churn8", after, MPB_ARRAY_LEN(after), 8, ALWAYS_THE_SAME(2, 1, 8)},
    {"churn16", after, MPB_ARRAY_LEN(after), 16, ALWAYS_THE_SAME(2, 1, 16)},
};
/* clang-format on */

static const struct expected *expected_of(const char *variant)
{
    for (size_t i = 0; i < MPB_ARRAY_LEN(expectations); i++) {
        if (strcmp(expectations[i].variant, variant) == 0) {
            return &expectations[i];
        }
    }
    fail_msg("variant %s has no row in this test", variant);
    return NULL;
}

/* What the callbacks see. */
struct seen {
    struct mpb_msg msg; /* what should arrive */
    struct mpb_buffer *inbound;
    bool is_by_value, is_view;
    size_t n_delivered, n_pushed;
    int64_t live_at_start;
    long payloads_at_app, payloads_at_push;
};

/* Live objects as large as the payload, above the start of the message. Size classes round up by
 * less than an eighth, so up to three objects fit; more are rounded to the nearest. */
static long live_payloads(const struct seen *s)
{
    int64_t bytes = fixture_live_bytes() - s->live_at_start;
    int64_t one = (int64_t)s->msg.payload.len;
    return (long)((bytes + (bytes > 0 ? one : -one) / 2) / one);
}

static void app(void *ctx, const struct mpb_delivery *delivery)
{
    struct seen *s = ctx;
    const uint8_t *bytes = delivery->msg->payload.data;
    bool is_within = bytes >= s->inbound->data && bytes < s->inbound->data + s->inbound->len;
    s->payloads_at_app = live_payloads(s);
    assert_true(mpb_msg_is_equal(delivery->msg, &s->msg));
    assert_ptr_equal(delivery->inbound->buffer, s->inbound);
    assert_int_equal(delivery->envelope == NULL, s->is_by_value);
    assert_int_equal(delivery->hash == NULL, s->is_by_value);
    assert_int_equal(is_within, s->is_view);
    s->n_delivered++;
}

static void push(void *ctx, uint32_t peer, const struct mpb_parts *given)
{
    struct seen *s = ctx;
    s->payloads_at_push = live_payloads(s);
    assert_int_equal(peer, 100 + s->n_pushed % PEERS_MAX);
    assert_int_equal(given->head.len > 0, s->is_view);
    assert_int_equal(given->tail.len > 0, s->is_view);
    assert_true(given->data.len > s->msg.payload.len);
    assert_non_null(given->buffer);
    s->n_pushed++;
}

/* n peers that want the messages, and two that want others. */
static struct mpb_filter *make_filter(uint32_t n)
{
    struct mpb_filter *filter = mpb_filter_new();
    assert_int_equal(mpb_filter_subscribe(filter, 1, FIXTURE_PUBSUB_TOPIC, MPB_BYTES_OF("/x")),
                     MPB_OK);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(
            mpb_filter_subscribe(filter, 100 + i, FIXTURE_PUBSUB_TOPIC, FIXTURE_CONTENT_TOPIC),
            MPB_OK);
    }
    assert_int_equal(mpb_filter_subscribe(filter, 2, MPB_BYTES_OF("/x"), FIXTURE_CONTENT_TOPIC),
                     MPB_OK);
    return filter;
}

static struct mpb_node *make_node(const struct mpb_variant *variant, uint32_t n_peers,
                                  size_t archive_capacity, struct seen *seen)
{
    struct mpb_node *node = NULL;
    struct mpb_node_cfg cfg = {
        .variant = variant,
        .pubsub_topic = FIXTURE_PUBSUB_TOPIC,
        .archive_capacity = archive_capacity,
        .filter = n_peers > 0 ? make_filter(n_peers) : NULL,
        .app = app,
        .app_ctx = seen,
        .push = push,
        .push_ctx = seen,
    };
    seen->is_by_value = variant->path->by_value;
    seen->is_view = strcmp(variant->name, "floor") == 0;
    assert_int_equal(mpb_node_new(&cfg, &node, NULL), MPB_OK);
    return node;
}

static void receive(struct mpb_node *node, struct seen *seen, size_t idx, size_t payload_len)
{
    seen->msg = fixture_msg(idx, payload_len);
    seen->inbound = fixture_arrive(&seen->msg);
    seen->live_at_start = fixture_live_bytes();
    assert_int_equal(mpb_node_receive(node, seen->inbound, seen->msg.timestamp_ns), MPB_OK);
}

static unsigned times(enum when when, uint32_t n_peers, bool has_archive)
{
    switch (when) {
    case WITH_ARCHIVE:
        return has_archive ? 1 : 0;
    case WITH_PEERS:
        return n_peers > 0 ? 1 : 0;
    case EACH_PEER:
        return n_peers;
    case ALWAYS:
    default:
        return 1;
    }
}

/* The counters of one site, for N_MESSAGES. */
static void assert_site(const struct mpb_probe_counts *counts, enum mpb_site site,
                        const struct expected *e, uint32_t n_peers, bool has_archive)
{
    struct mpb_msg msg = fixture_msg(1, PAYLOAD_LEN);
    uint64_t push_len = mpb_push_encoded_len(&msg, FIXTURE_PUBSUB_TOPIC);
    uint64_t decodes = 0, hashes = 0, encodes = 0;
    uint64_t copies = site == MPB_SITE_TOPIC_HANDLER ? e->churn * N_MESSAGES : 0;
    for (size_t i = 0; i < e->n_costs; i++) {
        const struct cost *c = &e->cost[i];
        uint64_t n = c->site == site ? times(c->when, n_peers, has_archive) * N_MESSAGES : 0;
        decodes += n * c->decodes;
        hashes += n * c->hashes;
        encodes += n * c->encodes;
        copies += n * c->copies;
    }
    const uint64_t *at = counts->at[site];
    assert_int_equal(at[MPB_METRIC_DECODES], decodes);
    assert_int_equal(at[MPB_METRIC_DECODED_BYTES], decodes * mpb_msg_encoded_len(&msg));
    assert_int_equal(at[MPB_METRIC_HASHES], hashes);
    assert_int_equal(at[MPB_METRIC_HASHED_BYTES], hashes * HASHED_LEN);
    assert_int_equal(at[MPB_METRIC_ENCODES], encodes);
    assert_int_equal(at[MPB_METRIC_ENCODED_BYTES], encodes * push_len);
    assert_int_equal(at[MPB_METRIC_COPIES], copies);
    assert_int_equal(at[MPB_METRIC_COPIED_BYTES],
                     copies * (site == MPB_SITE_PUSH ? push_len : COPIED_LEN));
    assert_int_equal(at[MPB_METRIC_ID_HASHES], 0);
    assert_int_equal(at[MPB_METRIC_REALLOCS], 0);
}

/* Copies at the gates of the path that mpb_node_receive() takes. */
static uint64_t gate_copies(const struct mpb_variant *variant, uint32_t n_peers, bool has_archive)
{
    uint64_t sum = 0;
    for (size_t i = MPB_GATE_VALIDATOR_BIND; i < MPB_GATE__COUNT; i++) {
        bool is_put = i == MPB_GATE_ARCHIVE_PUT || i == MPB_GATE_ARCHIVE_STORED;
        uint64_t n = i == MPB_GATE_ON_VALIDATED_BIND ? 0
                     : is_put                        ? has_archive
                     : i == MPB_GATE_PUSH_BUFFER     ? n_peers
                                                     : 1;
        sum += n * mpb_gate_copies(variant, (enum mpb_gate_id)i);
    }
    return sum;
}

static void assert_totals(const struct mpb_probe_counts *counts, const struct mpb_variant *variant,
                          uint32_t n_peers, bool has_archive)
{
    const struct expected *e = expected_of(variant->name);
    size_t column = n_peers == 0 ? 0 : n_peers == 1 ? 2 : 4;
    const unsigned *total = e->total[column + (has_archive ? 0 : 1)];
    uint64_t copies = mpb_probe_total(counts, MPB_METRIC_COPIES);
    assert_int_equal(mpb_probe_total(counts, MPB_METRIC_DECODES), N_MESSAGES * total[0]);
    assert_int_equal(mpb_probe_total(counts, MPB_METRIC_HASHES), N_MESSAGES * total[1]);
    assert_int_equal(copies, N_MESSAGES * total[2]);
    assert_int_equal(copies, N_MESSAGES * (gate_copies(variant, n_peers, has_archive) + e->churn));
}

static void check_costs(const struct mpb_variant *variant, uint32_t n_peers, bool has_archive)
{
    struct seen seen = {0};
    struct mpb_probe_counts counts;
    int64_t live = fixture_live_bytes();
    struct mpb_node *node = make_node(variant, n_peers, has_archive ? 2 : 0, &seen);
    struct mpb_buffer *wire[N_MESSAGES];
    receive(node, &seen, 0, PAYLOAD_LEN);
    for (size_t i = 0; i < N_MESSAGES; i++) {
        struct mpb_msg msg = fixture_msg(1 + i, PAYLOAD_LEN);
        wire[i] = fixture_arrive(&msg);
    }
    seen.n_pushed = 0;
    mpb_probe_reset();
    for (size_t i = 0; i < N_MESSAGES; i++) {
        seen.msg = fixture_msg(1 + i, PAYLOAD_LEN);
        seen.inbound = wire[i];
        assert_int_equal(mpb_node_receive(node, wire[i], seen.msg.timestamp_ns), MPB_OK);
        seen.n_pushed += PEERS_MAX - n_peers; /* the next message starts at the first peer */
    }
    mpb_probe_read(&counts);
    for (size_t site = 0; site < MPB_SITE__COUNT; site++) {
        assert_site(&counts, (enum mpb_site)site, expected_of(variant->name), n_peers, has_archive);
    }
    assert_totals(&counts, variant, n_peers, has_archive);
    assert_int_equal(seen.n_delivered, 1 + N_MESSAGES);
    assert_int_equal(mpb_node_stats(node)->traced, 1 + N_MESSAGES);
    assert_int_equal(mpb_node_stats(node)->traced_bytes, (1 + N_MESSAGES) * PAYLOAD_LEN);
    assert_int_equal(mpb_node_stats(node)->events, 1 + N_MESSAGES);
    assert_int_equal(mpb_node_stats(node)->pushed, (1 + N_MESSAGES) * n_peers);
    assert_int_equal(mpb_node_stats(node)->archived, has_archive ? 1 + N_MESSAGES : 0);
    mpb_node_free(node);
    assert_int_equal(fixture_live_bytes(), live);
}

static void test_costs(void **state)
{
    (void)state;
    static const uint32_t n_peers[] = {0, 1, PEERS_MAX};
    size_t n = 0;
    const struct mpb_variant *all = mpb_variant_all(&n);
    assert_int_equal(n, MPB_ARRAY_LEN(expectations));
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < MPB_ARRAY_LEN(n_peers); k++) {
            check_costs(&all[i], n_peers[k], true);
            check_costs(&all[i], n_peers[k], false);
        }
    }
}

/* Objects of the payload's size alive while the application and a push look on, and afterwards:
 * the copies live as long as the closures they stand for. */
static void test_lifetimes(void **state)
{
    (void)state;
    static const struct {
        const char *variant;
        long at_push, at_app;
    } expected[] = {
        /* decode, 2 binds, capture; then the filter's capture, the push and the peer's own copy; or
         * the stored value, event object, the application's capture and hand-off */
        {"before", 1 + 3 + 3, 1 + 3 + 4},
        {"before-orc", 2, 3}, /* decode, push | decode, stored value, event object */
        {"after", 2, 1},      /* decode, push | decode */
        {"churn16", 2, 1},
        {"floor", 0, 0},
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(expected); i++) {
        for (size_t capacity = 0; capacity < 10; capacity += 9) {
            struct seen seen = {0};
            const struct mpb_variant *variant = mpb_variant_find(expected[i].variant);
            struct mpb_node *node = make_node(variant, PEERS_MAX, capacity, &seen);
            long not_stored = capacity == 0 && variant->path->by_value ? 1 : 0;
            receive(node, &seen, 0, 110000);
            receive(node, &seen, 1, 110000);
            assert_int_equal(seen.payloads_at_push, expected[i].at_push);
            assert_int_equal(seen.payloads_at_app, expected[i].at_app - not_stored);
            /* the inbound buffer leaves; a copy, a decode or the buffer itself stays archived */
            assert_int_equal(live_payloads(&seen), capacity > 0 ? 0 : -1);
            mpb_node_free(node);
        }
    }
}

/* What a handler allocates for itself is freed at its site, so that per-site balances close. */
static void test_sites_balance(void **state)
{
    (void)state;
    static const enum mpb_site balanced[] = {MPB_SITE_VALIDATOR,  MPB_SITE_TRACE,
                                             MPB_SITE_FILTER,     MPB_SITE_PUSH,
                                             MPB_SITE_STORE_SYNC, MPB_SITE_APP};
    struct seen seen = {0};
    struct mpb_probe_counts counts;
    struct mpb_node *node = make_node(mpb_variant_find("before"), PEERS_MAX, 9, &seen);
    receive(node, &seen, 0, PAYLOAD_LEN);
    seen.n_pushed = 0;
    mpb_probe_reset();
    receive(node, &seen, 1, PAYLOAD_LEN);
    mpb_probe_read(&counts);
    for (size_t i = 0; i < MPB_ARRAY_LEN(balanced); i++) {
        const uint64_t *at = counts.at[balanced[i]];
        assert_true(at[MPB_METRIC_ALLOCS] > 0);
        assert_int_equal(at[MPB_METRIC_ALLOCS], at[MPB_METRIC_FREES]);
        assert_int_equal(at[MPB_METRIC_USABLE_BYTES], at[MPB_METRIC_FREED_BYTES]);
    }
    assert_int_equal(counts.at[MPB_SITE_OTHER][MPB_METRIC_ALLOCS], 0);
    mpb_node_free(node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_lifetimes),
        cmocka_unit_test(test_sites_balance),
    };
    fixture_wake_libcrypto();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
