/* test_copy.c: deep copies: every byte, in memory of their own, counted exactly. */
#include "core/copy.h"

#include "core/tests/failing_heap.h"
#include "core/tests/path_fixture.h"

static bool lies_within(struct mpb_bytes bytes, const struct mpb_copy *copy, size_t n_bytes)
{
    const uint8_t *start = (const uint8_t *)(copy + 1);
    return bytes.data >= start && bytes.data + bytes.len <= start + n_bytes;
}

static void test_is_deep(void **state)
{
    (void)state;
    uint8_t payload[40], topic[7], meta[64], proof[9];
    memset(payload, 1, sizeof(payload));
    memset(topic, 2, sizeof(topic));
    memset(meta, 3, sizeof(meta));
    memset(proof, 4, sizeof(proof));
    struct mpb_msg msg = {
        .payload = {payload, sizeof(payload)},
        .content_topic = {topic, sizeof(topic)},
        .meta = {meta, sizeof(meta)},
        .proof = {proof, sizeof(proof)},
        .timestamp_ns = -3,
        .version = UINT32_MAX,
        .ephemeral = true,
    };
    size_t n_bytes = sizeof(payload) + sizeof(topic) + sizeof(meta) + sizeof(proof);
    struct mpb_copy *copy = mpb_copy_new(&msg);
    assert_true(mpb_msg_is_equal(&copy->msg, &msg));
    assert_true(lies_within(copy->msg.payload, copy, n_bytes));
    assert_true(lies_within(copy->msg.content_topic, copy, n_bytes));
    assert_true(lies_within(copy->msg.meta, copy, n_bytes));
    assert_true(lies_within(copy->msg.proof, copy, n_bytes));
    memset(payload, 9, sizeof(payload)); /* the original goes away */
    memset(topic, 9, sizeof(topic));
    memset(meta, 9, sizeof(meta));
    memset(proof, 9, sizeof(proof));
    assert_int_equal(copy->msg.payload.data[39], 1);
    assert_int_equal(copy->msg.content_topic.data[6], 2);
    assert_int_equal(copy->msg.meta.data[63], 3);
    assert_int_equal(copy->msg.proof.data[8], 4);
    mpb_copy_free(copy);
}

static void test_counts(void **state)
{
    (void)state;
    struct mpb_msg msg = fixture_msg(1, 1000);
    int64_t live = fixture_live_bytes();
    mpb_probe_reset();
    struct mpb_copy *copy = mpb_copy_new(&msg);
    assert_int_equal(fixture_total(MPB_METRIC_COPIES), 1);
    assert_int_equal(fixture_total(MPB_METRIC_COPIED_BYTES), 1000 + 29 + 5 + 7);
    assert_int_equal(fixture_total(MPB_METRIC_ALLOCS), 1);
    assert_int_equal(fixture_total(MPB_METRIC_REQUESTED_BYTES),
                     sizeof(struct mpb_copy) + 1000 + 29 + 5 + 7);
    struct mpb_buffer *bytes = mpb_copy_bytes(msg.payload);
    assert_memory_equal(bytes->data, msg.payload.data, 1000);
    assert_int_equal(bytes->len, 1000);
    assert_int_equal(fixture_total(MPB_METRIC_COPIES), 2);
    assert_int_equal(fixture_total(MPB_METRIC_COPIED_BYTES), 1000 + 1041);
    assert_int_equal(fixture_total(MPB_METRIC_REQUESTED_BYTES),
                     sizeof(struct mpb_copy) + sizeof(struct mpb_buffer) + 1000 + 1041);
    mpb_buffer_unref(bytes);
    mpb_copy_free(copy);
    mpb_buffer_unref(NULL);
    mpb_copy_free(NULL);
    assert_int_equal(fixture_live_bytes(), live);
}

static void test_empty(void **state)
{
    (void)state;
    struct mpb_msg msg = {0}; /* its bytes are NULL */
    struct mpb_copy *copy = mpb_copy_new(&msg);
    assert_non_null(copy);
    assert_true(mpb_msg_is_equal(&copy->msg, &msg));
    struct mpb_buffer *bytes = mpb_copy_bytes(msg.payload);
    mpb_buffer_unref(bytes);
    mpb_copy_free(copy);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct mpb_msg msg = fixture_msg(1, 1000);
    mpb_probe_reset();
    failing_heap_at(1);
    struct mpb_copy *copy = mpb_copy_new(&msg);
    failing_heap_at(1);
    struct mpb_buffer *bytes = mpb_copy_bytes(msg.payload);
    failing_heap_at(0);
    assert_null(copy);
    assert_null(bytes);
    assert_int_equal(fixture_total(MPB_METRIC_COPIES), 0);
    assert_int_equal(fixture_total(MPB_METRIC_COPIED_BYTES), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_deep),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
