/* test_push.c: MessagePush whole, and as bytes around an encoded message. */
#include "core/push.h"

#include "core/tests/codec_vectors.h"
#include "instrument/probe.h"

static void test_known_bytes(void **state)
{
    (void)state;
    struct mpb_msg msg = {.payload = MPB_BYTES_OF("P"), .content_topic = MPB_BYTES_OF("C")};
    struct vector expected =
        vector_from_hex("0a12 0a0150 120143 1800 5000 5a00 aa0100 f80100 12022f74");
    uint8_t out[64];
    assert_int_equal(mpb_push_encoded_len(&msg, MPB_BYTES_OF("/t")), expected.len);
    assert_int_equal(mpb_push_encode(&msg, MPB_BYTES_OF("/t"), out, sizeof(out)), expected.len);
    assert_memory_equal(out, expected.data, expected.len);
    assert_int_equal(mpb_push_encode(&msg, MPB_BYTES_OF("/t"), out, expected.len - 1), 0);
    vector_free(expected);
}

/* header | encoded message | trailer is the same push, at each length of its varints. */
static void check_pieces(size_t payload_len, struct mpb_bytes topic)
{
    struct vector payload = {calloc(1, payload_len + 1), payload_len};
    struct mpb_msg msg = {.payload = vector_view(payload), .timestamp_ns = 1780000000000000000};
    size_t len = mpb_push_encoded_len(&msg, topic), at = 0;
    struct vector whole = {malloc(len), len}, pieces = {malloc(len), len};
    uint8_t header[MPB_PUSH_HEADER_MAX];
    assert_int_equal(mpb_push_encode(&msg, topic, whole.data, len), len);

    at = mpb_push_header(mpb_msg_encoded_len(&msg), header);
    memcpy(pieces.data, header, at);
    at += mpb_msg_encode(&msg, pieces.data + at, len - at);
    assert_int_equal(mpb_push_trailer(topic, pieces.data + at, len - at - 1), 0);
    at += mpb_push_trailer(topic, pieces.data + at, len - at);
    assert_int_equal(at, len);
    assert_memory_equal(whole.data, pieces.data, len);
    vector_free(payload);
    vector_free(whole);
    vector_free(pieces);
}

static void test_pieces(void **state)
{
    (void)state;
    static const size_t lens[] = {0, 99, 100, 101, 127, 128, 10000, 50000, 150000};
    for (size_t i = 0; i < MPB_ARRAY_LEN(lens); i++) {
        check_pieces(lens[i], MPB_BYTES_OF("/waku/2/rs/0/0"));
        check_pieces(lens[i], MPB_BYTES_OF(""));
    }
}

static void test_counts_one_encode(void **state)
{
    (void)state;
    struct mpb_msg msg = {.payload = MPB_BYTES_OF("P")};
    struct mpb_probe_counts counts;
    uint8_t out[64];
    mpb_probe_reset();
    size_t len = mpb_push_encode(&msg, MPB_BYTES_OF("/t"), out, sizeof(out));
    mpb_push_header(10, out);
    mpb_push_trailer(MPB_BYTES_OF("/t"), out, sizeof(out));
    mpb_probe_read(&counts);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_ENCODES), 1);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_ENCODED_BYTES), len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_bytes),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_counts_one_encode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
