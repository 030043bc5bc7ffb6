/* test_node_sqlite.c: what a message costs a node that archives in a database, and what the node
 * says when it cannot. */
#include "core/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/tests/file_limit.h"
#include "core/tests/path_fixture.h"

static void app(void *ctx, const struct mpb_delivery *delivery)
{
    (void)ctx, (void)delivery;
}

static void push(void *ctx, uint32_t peer, const struct mpb_parts *parts)
{
    (void)ctx, (void)peer, (void)parts;
}

static struct mpb_node *make_node(const char *variant, uint32_t n_peers, const char *db)
{
    struct mpb_node *node = NULL;
    struct mpb_node_cfg cfg = {
        .variant = mpb_variant_find(variant),
        .pubsub_topic = FIXTURE_PUBSUB_TOPIC,
        .archive_capacity = 9,
        .archive_db = db,
        .filter = n_peers > 0 ? mpb_filter_new() : NULL,
        .app = app,
        .push = push,
    };
    for (uint32_t peer = 0; peer < n_peers; peer++) {
        assert_int_equal(
            mpb_filter_subscribe(cfg.filter, peer, FIXTURE_PUBSUB_TOPIC, FIXTURE_CONTENT_TOPIC),
            MPB_OK);
    }
    assert_int_equal(mpb_node_new(&cfg, &node, NULL), MPB_OK);
    return node;
}

static enum mpb_status receive(struct mpb_node *node, size_t idx, size_t payload_len)
{
    struct mpb_msg msg = fixture_msg(idx, payload_len);
    return mpb_node_receive(node, fixture_arrive(&msg), msg.timestamp_ns);
}

/* 14 + F copies where the memory archive makes 15 + F: the put's is there, the stored value's is
 * not, and hashes are as ever. What the database allocates is counted at the archive's site. */
static void test_costs(void **state)
{
    (void)state;
    static const struct {
        const char *variant;
        uint32_t n_peers;
        unsigned copies, at_archive, hashes;
    } expected[] = {
        {"before", 0, 14, 2, 2},    {"before", 1, 15, 2, 4},     {"before", 20, 34, 2, 4},
        {"before-orc", 0, 1, 0, 2}, {"before-orc", 20, 1, 0, 4}, {"after", 0, 0, 0, 1},
        {"after-orc", 20, 0, 0, 1}, {"floor", 0, 0, 0, 1},       {"churn4", 0, 4, 0, 1},
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(expected); i++) {
        struct mpb_probe_counts counts;
        int64_t live = fixture_live_bytes();
        struct mpb_node *node =
            make_node(expected[i].variant, expected[i].n_peers, MPB_ARCHIVE_DB_MEMORY);
        assert_int_equal(receive(node, 0, 1000), MPB_OK);
        mpb_probe_reset();
        assert_int_equal(receive(node, 1, 1000), MPB_OK);
        assert_int_equal(receive(node, 2, 1000), MPB_OK);
        mpb_probe_read(&counts);
        const uint64_t *at_archive = counts.at[MPB_SITE_ARCHIVE];
        assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_COPIES), 2 * expected[i].copies);
        assert_int_equal(at_archive[MPB_METRIC_COPIES], 2 * expected[i].at_archive);
        assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_HASHES), 2 * expected[i].hashes);
        assert_true(at_archive[MPB_METRIC_ALLOCS] > at_archive[MPB_METRIC_COPIES]);
        assert_int_equal(counts.at[MPB_SITE_OTHER][MPB_METRIC_ALLOCS], 0);
        assert_int_equal(mpb_node_stats(node)->archived, 3);
        assert_int_equal(mpb_archive_len(mpb_node_archive(node)), 3);
        mpb_node_free(node);
        assert_int_equal(fixture_live_bytes(), live);
    }
}

/* A message that comes again is refused, and passes no stored value's gate either way. */
static void test_duplicates_refused(void **state)
{
    (void)state;
    struct mpb_node *node = make_node("before", 0, MPB_ARCHIVE_DB_MEMORY);
    assert_int_equal(receive(node, 0, 1000), MPB_OK);
    assert_int_equal(receive(node, 0, 1000), MPB_OK);
    assert_int_equal(mpb_node_stats(node)->archived, 1);
    assert_int_equal(mpb_node_stats(node)->refused[MPB_REFUSAL_DUPLICATE], 1);
    mpb_node_free(node);
}

static void test_says_why(void **state)
{
    (void)state;
    char folder[] = "/tmp/mpb-test-XXXXXX", path[sizeof(folder) + 8];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/a.db", folder);
    struct mpb_node *node = make_node("after", 0, path);
    assert_int_equal(receive(node, 0, 1000), MPB_OK);
    assert_false(mpb_node_has_failed(node));
    file_limit_set(50000);
    enum mpb_status status = receive(node, 1, 100000);
    file_limit_lift();
    assert_int_equal(status, MPB_E_IO);
    assert_true(mpb_node_has_failed(node));
    assert_non_null(strstr(mpb_node_reason(node, status), "SQLite cannot "));
    assert_string_equal(mpb_node_reason(node, MPB_E_NOMEM), mpb_status_text(MPB_E_NOMEM));
    assert_int_equal(mpb_node_stats(node)->archived, 1);
    mpb_node_free(node);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_duplicates_refused),
        cmocka_unit_test(test_says_why),
    };
    fixture_wake_libcrypto();
    fixture_wake_sqlite();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
