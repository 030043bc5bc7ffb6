/* test_msg.c: encoding: the reference's bytes, its lengths, all seven fields. */
#include "core/msg.h"

#include "core/tests/codec_vectors.h"
#include "core/view.h"
#include "instrument/probe.h"

static struct mpb_bytes bytes_of(const char *text)
{
    struct mpb_bytes bytes = {(const uint8_t *)text, strlen(text)};
    return bytes;
}

/* payload_hex,content_topic,version,timestamp,meta_hex,ephemeral,encoded_hex,id */
static void check_encoding(struct csv_row *row)
{
    struct vector payload = vector_from_hex(row->column[0]), meta = vector_from_hex(row->column[4]);
    struct vector expected = vector_from_hex(row->column[6]);
    struct mpb_msg msg = {
        .payload = vector_view(payload),
        .content_topic = bytes_of(row->column[1]),
        .meta = vector_view(meta),
        .timestamp_ns = strtoll(row->column[3], NULL, 10),
        .version = (uint32_t)strtoul(row->column[2], NULL, 10),
        .ephemeral = strcmp(row->column[5], "1") == 0,
    };
    uint8_t out[4096];
    assert_int_equal(mpb_msg_encoded_len(&msg), expected.len);
    assert_int_equal(mpb_msg_encode(&msg, out, sizeof(out)), expected.len);
    assert_memory_equal(out, expected.data, expected.len);
    vector_free(payload);
    vector_free(meta);
    vector_free(expected);
}

static void test_vectors(void **state)
{
    (void)state;
    assert_int_equal(csv_each("encoding.csv", 8, check_encoding), 1);
}

static void test_empty_message_has_all_fields(void **state)
{
    (void)state;
    struct mpb_msg msg = {0};
    struct vector expected = vector_from_hex("0a00 1200 1800 5000 5a00 aa0100 f80100");
    uint8_t out[64];
    assert_int_equal(mpb_msg_encode(&msg, out, sizeof(out)), expected.len);
    assert_memory_equal(out, expected.data, expected.len);
    vector_free(expected);
}

/* The workload's messages: a 29-byte content topic, version 2, present-day nanoseconds. */
static void check_workload_len(size_t payload_len, size_t expected)
{
    struct vector payload = {calloc(1, payload_len), payload_len}, out;
    struct mpb_msg msg = {
        .payload = vector_view(payload),
        .content_topic = bytes_of("/waku/2/default-content/proto"),
        .timestamp_ns = 1780000000000000000,
        .version = 2,
    };
    assert_int_equal(msg.content_topic.len, 29);
    assert_int_equal(mpb_msg_encoded_len(&msg), expected);
    out = (struct vector){malloc(expected), expected};
    assert_int_equal(mpb_msg_encode(&msg, out.data, out.len), expected);
    assert_int_equal(mpb_msg_encode(&msg, out.data, out.len - 1), 0);
    vector_free(out);
    vector_free(payload);
}

static void test_workload_lengths(void **state)
{
    (void)state;
    check_workload_len(10000, 10054);
    check_workload_len(50000, 50055);
    check_workload_len(150000, 150055);
}

/* Values at the edges of each varint's length come back. */
static void test_edges_come_back(void **state)
{
    (void)state;
    static const int64_t times[] = {0,
                                    -1,
                                    63,
                                    -64,
                                    64,
                                    -65,
                                    INT64_MAX,
                                    INT64_MIN,
                                    1LL << 62,
                                    -(1LL << 62),
                                    1LL << 55,
                                    (1LL << 62) - 1,
                                    -(1LL << 62) - 1};
    static const uint32_t versions[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX};
    uint8_t out[128];
    for (size_t i = 0; i < MPB_ARRAY_LEN(times) * MPB_ARRAY_LEN(versions); i++) {
        struct mpb_msg back, msg = {
                                 .content_topic = bytes_of("topic"),
                                 .proof = bytes_of("proof"),
                                 .timestamp_ns = times[i % MPB_ARRAY_LEN(times)],
                                 .version = versions[i / MPB_ARRAY_LEN(times)],
                                 .ephemeral = i % 2 == 1,
                             };
        size_t len = mpb_msg_encode(&msg, out, sizeof(out));
        assert_int_equal(len, mpb_msg_encoded_len(&msg));
        assert_int_equal(mpb_view_decode((struct mpb_bytes){out, len}, &back), MPB_OK);
        assert_true(mpb_msg_is_equal(&msg, &back));
    }
}

static void test_is_equal_sees_each_field(void **state)
{
    (void)state;
    struct mpb_msg base = {.payload = bytes_of("p"),
                           .content_topic = bytes_of("c"),
                           .meta = bytes_of("m"),
                           .proof = bytes_of("r"),
                           .timestamp_ns = 1,
                           .version = 1,
                           .ephemeral = true};
    struct mpb_msg other[7];
    for (size_t i = 0; i < 7; i++) {
        other[i] = base;
    }
    assert_true(mpb_msg_is_equal(&base, &other[0]));
    other[0].payload = bytes_of("P");
    other[1].content_topic = bytes_of("");
    other[2].meta = bytes_of("mm");
    other[3].proof = bytes_of("s");
    other[4].timestamp_ns = 2;
    other[5].version = 2;
    other[6].ephemeral = false;
    for (size_t i = 0; i < 7; i++) {
        assert_false(mpb_msg_is_equal(&base, &other[i]));
    }
}

static void test_counts(void **state)
{
    (void)state;
    struct mpb_msg msg = {.payload = bytes_of("p")};
    struct mpb_probe_counts counts;
    uint8_t out[64];
    mpb_probe_reset();
    size_t len = mpb_msg_encode(&msg, out, sizeof(out));
    mpb_probe_read(&counts);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_ENCODES), 1);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_ENCODED_BYTES), len);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_ALLOCS), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_empty_message_has_all_fields),
        cmocka_unit_test(test_workload_lengths),
        cmocka_unit_test(test_edges_come_back),
        cmocka_unit_test(test_is_equal_sees_each_field),
        cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
