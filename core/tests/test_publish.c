/* test_publish.c: what publishing a message to one peer, and receiving it there, costs at each
 * site, in every variant, against tables written down here; and the bytes on the wire. */
#include "core/gossip.h"

#include "core/push.h"
#include "core/tests/gossip_fixture.h"

enum { N_MESSAGES = 3, PAYLOAD_LEN = 1000 };

/* Per message, at a site; sites that are not in a table cost nothing of this. */
struct cost {
    enum mpb_site site;
    unsigned decodes, hashes, encodes, copies, ids;
};

static const struct cost publish_before[] = {
    {MPB_SITE_PUBLISH, 0, 1, 1, 2, 0},       {MPB_SITE_SELF_DELIVER, 1, 0, 0, 2, 0},
    {MPB_SITE_TOPIC_HANDLER, 0, 0, 0, 1, 0}, {MPB_SITE_TRACE, 0, 0, 0, 1, 0},
    {MPB_SITE_FILTER, 0, 0, 0, 1, 0},        {MPB_SITE_ARCHIVE, 0, 0, 0, 1, 0},
    {MPB_SITE_STORE_SYNC, 0, 0, 0, 1, 0},    {MPB_SITE_EVENT, 0, 0, 0, 2, 0},
    {MPB_SITE_APP, 0, 0, 0, 2, 0},           {MPB_SITE_SEEN_CACHE, 0, 0, 0, 0, 1},
    {MPB_SITE_ON_SEND, 1, 1, 0, 2, 1},
};
static const struct cost publish_before_orc[] = {
    {MPB_SITE_PUBLISH, 0, 1, 1, 1, 0}, {MPB_SITE_SELF_DELIVER, 1, 0, 0, 0, 0},
    {MPB_SITE_EVENT, 0, 0, 0, 1, 0},   {MPB_SITE_SEEN_CACHE, 0, 0, 0, 0, 1},
    {MPB_SITE_ON_SEND, 1, 1, 0, 0, 1},
};
static const struct cost publish_after[] = {
    {MPB_SITE_PUBLISH, 0, 1, 1, 0, 0},
    {MPB_SITE_SELF_DELIVER, 1, 1, 0, 0, 0},
    {MPB_SITE_SEEN_CACHE, 0, 0, 0, 0, 1},
};
static const struct cost publish_floor[] = {
    {MPB_SITE_PUBLISH, 0, 1, 0, 0, 0},
    {MPB_SITE_SEEN_CACHE, 0, 0, 0, 0, 1},
};
static const struct cost receive_before[] = {
    {MPB_SITE_ON_RECV, 1, 0, 0, 2, 1},       {MPB_SITE_SEEN_CACHE, 0, 0, 0, 0, 1},
    {MPB_SITE_VALIDATOR, 1, 0, 0, 2, 0},     {MPB_SITE_ON_VALIDATED, 1, 1, 0, 2, 0},
    {MPB_SITE_TOPIC_HANDLER, 1, 0, 0, 3, 0}, {MPB_SITE_TRACE, 0, 0, 0, 1, 0},
    {MPB_SITE_FILTER, 0, 0, 0, 1, 0},        {MPB_SITE_ARCHIVE, 0, 1, 0, 3, 0},
    {MPB_SITE_STORE_SYNC, 0, 1, 0, 1, 0},    {MPB_SITE_EVENT, 0, 0, 0, 2, 0},
    {MPB_SITE_APP, 0, 0, 0, 2, 0},
};
static const struct cost receive_before_orc[] = {
    {MPB_SITE_ON_RECV, 1, 0, 0, 0, 1},       {MPB_SITE_SEEN_CACHE, 0, 0, 0, 0, 1},
    {MPB_SITE_VALIDATOR, 1, 0, 0, 0, 0},     {MPB_SITE_ON_VALIDATED, 1, 1, 0, 0, 0},
    {MPB_SITE_TOPIC_HANDLER, 1, 0, 0, 0, 0}, {MPB_SITE_ARCHIVE, 0, 1, 0, 1, 0},
    {MPB_SITE_STORE_SYNC, 0, 1, 0, 0, 0},    {MPB_SITE_EVENT, 0, 0, 0, 1, 0},
};
static const struct cost receive_after[] = {
    {MPB_SITE_SEEN_CACHE, 0, 0, 0, 0, 1},
    {MPB_SITE_VALIDATOR, 1, 0, 0, 0, 0},
    {MPB_SITE_TOPIC_HANDLER, 1, 1, 0, 0, 0},
};
static const struct cost receive_floor[] = {
    {MPB_SITE_SEEN_CACHE, 0, 0, 0, 0, 1},
    {MPB_SITE_VALIDATOR, 1, 0, 0, 0, 0},
    {MPB_SITE_TOPIC_HANDLER, 0, 1, 0, 0, 0},
};

/* A variant's tables, its transient copies at either node, and decodes, hashes, encodes, copies and
 * id hashes of a message in all. */
#define COSTS(name) \
    publish_##name, MPB_ARRAY_LEN(publish_##name), receive_##name, MPB_ARRAY_LEN(receive_##name)
static const struct expected {
    const char *variant;
    const struct cost *publish;
    size_t n_publish;
    const struct cost *receive;
    size_t n_receive;
    unsigned churn;
    unsigned publish_total[5], receive_total[5];
} expectations[] = {
    {"before", COSTS(before), 0, {2, 2, 1, 15, 2}, {4, 3, 0, 19, 2}},
    {"before-orc", COSTS(before_orc), 0, {2, 2, 1, 2, 2}, {4, 3, 0, 2, 2}},
    {"after", COSTS(after), 0, {1, 2, 1, 0, 1}, {2, 1, 0, 0, 1}},
    {"after-orc", COSTS(after), 0, {1, 2, 1, 0, 1}, {2, 1, 0, 0, 1}},
    {"floor", COSTS(floor), 0, {0, 1, 0, 0, 1}, {1, 1, 0, 0, 1}},
    {"churn2", COSTS(after), 2, {1, 2, 1, 2, 1}, {2, 1, 0, 2, 1}},
    {"churn4", COSTS(after), 4, {1, 2, 1, 4, 1}, {2, 1, 0, 4, 1}},
    {"churn8", COSTS(after), 8, {1, 2, 1, 8, 1}, {2, 1, 0, 8, 1}},
    {"churn16", COSTS(after), 16, {1, 2, 1, 16, 1}, {2, 1, 0, 16, 1}},
};

static const enum mpb_metric metrics[5] = {MPB_METRIC_DECODES, MPB_METRIC_HASHES,
                                           MPB_METRIC_ENCODES, MPB_METRIC_COPIES,
                                           MPB_METRIC_ID_HASHES};
static const enum mpb_metric byte_metrics[5] = {MPB_METRIC_DECODED_BYTES, MPB_METRIC_HASHED_BYTES,
                                                MPB_METRIC_ENCODED_BYTES, MPB_METRIC_COPIED_BYTES,
                                                MPB_METRIC_ID_HASHED_BYTES};

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

/* The counters of every site, for N_MESSAGES, and their sums. */
static void assert_counts(const struct mpb_probe_counts *counts, const struct cost *cost, size_t n,
                          enum mpb_site churn_site, unsigned churn, const unsigned total[5])
{
    struct mpb_msg msg = fixture_msg(0, PAYLOAD_LEN);
    const size_t encoded_len = mpb_msg_encoded_len(&msg);
    const size_t each[5] = {encoded_len, PAYLOAD_LEN + 5, encoded_len, PAYLOAD_LEN + 29 + 5 + 7,
                            encoded_len};
    for (size_t site = 0; site < MPB_SITE__COUNT; site++) {
        uint64_t expected[5] = {0, 0, 0, site == churn_site ? churn : 0, 0};
        for (size_t i = 0; i < n; i++) {
            const struct cost *c = &cost[i];
            const unsigned at[5] = {c->decodes, c->hashes, c->encodes, c->copies, c->ids};
            for (size_t m = 0; m < 5 && c->site == site; m++) {
                expected[m] += at[m];
            }
        }
        for (size_t m = 0; m < 5; m++) {
            assert_int_equal(counts->at[site][metrics[m]], N_MESSAGES * expected[m]);
            assert_int_equal(counts->at[site][byte_metrics[m]], N_MESSAGES * expected[m] * each[m]);
        }
        assert_int_equal(counts->at[site][MPB_METRIC_REALLOCS], 0);
    }
    for (size_t m = 0; m < 5; m++) {
        assert_int_equal(mpb_probe_total(counts, metrics[m]), N_MESSAGES * total[m]);
    }
}

/* A publisher and a receiver, in the mesh. The first message, of which libcrypto keeps a context,
 * is through. */
static void open_pair(const struct mpb_variant *variant, struct party *a, struct party *b)
{
    struct party *const both[] = {a, b};
    party_open(a, variant, false);
    party_open(b, variant, true);
    party_link(a, b);
    party_settle(both, 2);
    party_publish(a, fixture_msg(0, PAYLOAD_LEN));
    party_settle(both, 2);
}

/* One node at a time: all messages are on their way when the receiver begins. */
static void check_costs(const struct mpb_variant *variant)
{
    const struct expected *e = expected_of(variant->name);
    struct mpb_probe_counts counts;
    struct party a, b;
    open_pair(variant, &a, &b);
    mpb_probe_reset();
    for (size_t i = 1; i <= N_MESSAGES; i++) {
        party_publish(&a, fixture_msg(i, PAYLOAD_LEN));
    }
    mpb_probe_read(&counts);
    assert_counts(&counts, e->publish, e->n_publish, MPB_SITE_SELF_DELIVER, e->churn,
                  e->publish_total);
    assert_int_equal(counts.at[MPB_SITE_TRANSPORT][MPB_METRIC_ALLOCS], N_MESSAGES);
    /* joined into one buffer, or header and trailer alone */
    assert_int_equal(counts.at[MPB_SITE_TRANSPORT][MPB_METRIC_REQUESTED_BYTES] >
                         N_MESSAGES * PAYLOAD_LEN,
                     strcmp(variant->name, "floor") != 0);
    assert_int_equal(counts.at[MPB_SITE_MESSAGE_CACHE][MPB_METRIC_ALLOCS], N_MESSAGES);
    mpb_probe_reset();
    assert_false(party_serve(&b, 0));
    mpb_probe_read(&counts);
    assert_counts(&counts, e->receive, e->n_receive, MPB_SITE_TOPIC_HANDLER, e->churn,
                  e->receive_total);
    assert_int_equal(counts.at[MPB_SITE_TRANSPORT][MPB_METRIC_ALLOCS], N_MESSAGES);
    assert_int_equal(a.n_delivered, 1 + N_MESSAGES);
    assert_int_equal(b.n_delivered, 1 + N_MESSAGES);
    assert_int_equal(mpb_node_stats(b.node)->archived, 1 + N_MESSAGES);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(b.n_observed[i], variant->path->by_value ? 1 + N_MESSAGES : 0);
    }
    assert_int_equal(a.n_observed[2], variant->path->by_value ? 1 + N_MESSAGES : 0);
    party_close(&a);
    party_close(&b);
}

static void test_costs(void **state)
{
    (void)state;
    size_t n = 0;
    mpb_variant_all(&n);
    assert_int_equal(n, MPB_ARRAY_LEN(expectations));
    for_each_variant(check_costs);
}

static size_t largest_payload(void)
{
    uint8_t header[MPB_RPC_HEADER_MAX], trailer[MPB_RPC_TOPIC_MAX + 4];
    size_t trailer_len = 0, len = MPB_RPC_FRAME_MAX;
    struct mpb_msg msg;
    do {
        msg = fixture_msg(0, --len);
    } while (mpb_rpc_publish(mpb_msg_encoded_len(&msg), FIXTURE_PUBSUB_TOPIC, header, trailer,
                             &trailer_len) == 0);
    return len;
}

/* Whatever the variant, a peer gets the one encoding, in one frame. */
static void check_wire(const struct mpb_variant *variant)
{
    const size_t lens[] = {0, 1, 127, 128, 16383, 65536, largest_payload()};
    struct party a;
    size_t at = 0;
    party_open(&a, variant, false);
    struct far far = far_join(&a, &at);
    for (size_t i = 0; i < MPB_ARRAY_LEN(lens); i++) {
        a.expected = fixture_msg(i, lens[i]);
        party_publish(&a, a.expected);
        far_take(&far);
        far_settle(&far, &a, at);
        far_expect_msg(&far, &a.expected);
        assert_int_equal(a.n_delivered, 1 + i);
    }
    assert_int_equal(party_stats(&a)->sent, MPB_ARRAY_LEN(lens));
    party_close(&a);
    far_close(&far);
}

static void test_wire(void **state)
{
    (void)state;
    for_each_variant(check_wire);
}

/* One byte more than a frame takes: refused before anything is done. */
static void check_too_long(const struct mpb_variant *variant)
{
    struct party a;
    struct mpb_error err = {.status = MPB_OK};
    size_t at = 0;
    party_open(&a, variant, false);
    struct far far = far_join(&a, &at);
    struct mpb_msg msg = fixture_msg(0, largest_payload() + 1);
    struct mpb_buffer *buffer = party_compose(&msg);
    assert_int_equal(mpb_gossip_publish(a.gossip, &msg, buffer, &err), MPB_E_USAGE);
    assert_int_equal(err.status, MPB_E_USAGE);
    assert_int_equal(buffer->n_refs, 1);
    mpb_buffer_unref(buffer);
    far_settle(&far, &a, at);
    far_expect(&far, NULL, 0);
    assert_int_equal(a.n_delivered + party_stats(&a)->published, 0);
    party_close(&a);
    far_close(&far);
}

static void test_too_long(void **state)
{
    (void)state;
    for_each_variant(check_too_long);
}

/* What a send callback and the publisher's own filter peers get. */
struct outlet {
    uint8_t sent[4096], pushed[4096];
    size_t n_sent, n_pushed, n_delivered;
    uint8_t id[MPB_MSG_HASH_LEN];
    struct mpb_key key;     /* what the application should see, if it sees a hash */
    enum mpb_status status; /* what to return */
};

static size_t join(const struct mpb_parts *parts, uint8_t *out)
{
    const struct mpb_bytes all[] = {parts->head, parts->data, parts->tail};
    size_t len = 0;
    for (size_t i = 0; i < MPB_ARRAY_LEN(all); i++) {
        if (all[i].len > 0) {
            memcpy(out + len, all[i].data, all[i].len);
        }
        len += all[i].len;
    }
    return len;
}

static enum mpb_status outlet_send(void *ctx, const struct mpb_outbound *message)
{
    struct outlet *o = ctx;
    assert_int_equal(o->n_delivered, 1); /* to itself first */
    o->n_sent = join(&message->parts, o->sent);
    memcpy(o->id, message->id, sizeof(o->id));
    return o->status;
}

static void outlet_push(void *ctx, uint32_t peer, const struct mpb_parts *push)
{
    struct outlet *o = ctx;
    assert_int_equal(peer, 7);
    o->n_pushed = join(push, o->pushed);
}

static void outlet_app(void *ctx, const struct mpb_delivery *delivery)
{
    struct outlet *o = ctx;
    if (delivery->hash != NULL) {
        assert_memory_equal(delivery->hash, o->key.hash, MPB_MSG_HASH_LEN);
    }
    o->n_delivered++;
}

static struct mpb_node *outlet_node(const struct mpb_variant *variant, struct outlet *outlet)
{
    struct mpb_node *node = NULL;
    struct mpb_filter *filter = mpb_filter_new();
    assert_int_equal(mpb_filter_subscribe(filter, 7, FIXTURE_PUBSUB_TOPIC, FIXTURE_CONTENT_TOPIC),
                     MPB_OK);
    struct mpb_node_cfg cfg = {
        .variant = variant,
        .pubsub_topic = FIXTURE_PUBSUB_TOPIC,
        .archive_capacity = 2,
        .filter = filter,
        .app = outlet_app,
        .app_ctx = outlet,
        .push = outlet_push,
        .push_ctx = outlet,
    };
    assert_int_equal(mpb_node_new(&cfg, &node, NULL), MPB_OK);
    return node;
}

/* The node alone: encoding and id; a publisher with filter peers serves them too; what send returns
 * is returned. */
static void check_alone(const struct mpb_variant *variant)
{
    struct outlet outlet = {.status = MPB_E_IO};
    struct mpb_node *node = outlet_node(variant, &outlet);
    struct mpb_msg msg = fixture_msg(1, PAYLOAD_LEN);
    outlet.key = fixture_key(&msg);
    struct mpb_buffer *encoded = fixture_arrive(&msg);
    struct mpb_buffer *buffer = party_compose(&msg);
    uint8_t push[4096], id[MPB_MSG_HASH_LEN];
    size_t push_len = mpb_push_encode(&msg, FIXTURE_PUBSUB_TOPIC, push, sizeof(push));
    assert_int_equal(mpb_node_publish(node, &msg, buffer, msg.timestamp_ns, outlet_send, &outlet),
                     MPB_E_IO);
    assert_int_equal(outlet.n_sent, encoded->len);
    assert_memory_equal(outlet.sent, encoded->data, encoded->len);
    assert_int_equal(outlet.n_pushed, push_len);
    assert_memory_equal(outlet.pushed, push, push_len);
    id_of_msg(&msg, id);
    assert_memory_equal(outlet.id, id, sizeof(id));
    mpb_buffer_unref(encoded);
    mpb_buffer_unref(buffer);
    assert_int_equal(mpb_archive_len(mpb_node_archive(node)), 1);
    assert_true(fixture_is_same_key(mpb_archive_key(mpb_node_archive(node), 0), &outlet.key));
    assert_true(mpb_msg_is_equal(mpb_archive_msg(mpb_node_archive(node), 0),
                                 &(struct mpb_msg){.payload = {fixture_pool() + 8, PAYLOAD_LEN},
                                                   .content_topic = msg.content_topic,
                                                   .meta = msg.meta,
                                                   .proof = msg.proof,
                                                   .timestamp_ns = msg.timestamp_ns,
                                                   .version = msg.version}));
    mpb_node_free(node);
}

static void test_alone(void **state)
{
    (void)state;
    for_each_variant(check_alone);
}

/* A scattered encoding has room for so much behind the payload; one byte more is refused. */
static void test_tail_max(void **state)
{
    (void)state;
    struct mpb_msg msg = fixture_msg(1, 100);
    const size_t rest = mpb_msg_encoded_len(&msg) - 102 - msg.proof.len;
    for (size_t over = 0; over <= 1; over++) {
        int64_t live = fixture_live_bytes();
        struct outlet outlet = {.status = MPB_OK};
        struct mpb_node *node = outlet_node(mpb_variant_find("floor"), &outlet);
        /* its length is a byte longer than the short proof's */
        msg.proof = (struct mpb_bytes){fixture_pool(), MPB_NODE_TAIL_MAX - rest - 1 + over};
        struct mpb_buffer *buffer = fixture_arrive_bytes(msg.payload);
        struct mpb_msg own = msg;
        outlet.key = fixture_key(&msg);
        own.payload = mpb_buffer_view(buffer);
        assert_int_equal(
            mpb_node_publish(node, &own, buffer, own.timestamp_ns, outlet_send, &outlet),
            over ? MPB_E_USAGE : MPB_OK);
        assert_int_equal(outlet.n_sent, over ? 0 : mpb_msg_encoded_len(&msg));
        mpb_buffer_unref(buffer);
        mpb_node_free(node);
        assert_int_equal(fixture_live_bytes(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs),    cmocka_unit_test(test_wire),
        cmocka_unit_test(test_too_long), cmocka_unit_test(test_alone),
        cmocka_unit_test(test_tail_max),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
