/* test_hasher.c: the message hash against published vectors, and the message id. */
#include "core/hasher.h"

#include "core/tests/codec_vectors.h"
#include "instrument/probe.h"

static struct mpb_hasher *hasher_new(void)
{
    struct mpb_hasher *hasher = NULL;
    struct mpb_error err;
    assert_int_equal(mpb_hasher_new(&hasher, &err), MPB_OK);
    return hasher;
}

static struct mpb_bytes bytes_of(const char *text)
{
    struct mpb_bytes bytes = {(const uint8_t *)text, strlen(text)};
    return bytes;
}

/* source,pubsub_topic,payload_hex,content_topic,meta_hex,timestamp_be_hex,message_hash. In the
 * `jsonly` row no timestamp was hashed; we hash eight zero bytes there and must differ. */
static void check_hash(struct csv_row *row)
{
    struct mpb_hasher *hasher = hasher_new();
    struct vector payload = vector_from_hex(row->column[2]), meta = vector_from_hex(row->column[4]);
    struct vector expected = vector_from_hex(row->column[6]);
    struct mpb_msg msg = {
        .payload = vector_view(payload),
        .content_topic = bytes_of(row->column[3]),
        .meta = vector_view(meta),
        .timestamp_ns = (int64_t)strtoull(row->column[5], NULL, 16),
        .version = 9, /* not part of the hash, nor the next two */
        .proof = bytes_of("proof"),
        .ephemeral = true,
    };
    uint8_t hash[MPB_MSG_HASH_LEN];
    bool is_divergent = strcmp(row->column[0], "jsonly") == 0;
    assert_int_equal(is_divergent, row->column[5][0] == '\0');
    assert_int_equal(mpb_hasher_message(hasher, bytes_of(row->column[1]), &msg, hash), MPB_OK);
    assert_int_equal(memcmp(hash, expected.data, sizeof(hash)) != 0, is_divergent);
    vector_free(payload);
    vector_free(meta);
    vector_free(expected);
    mpb_hasher_free(hasher);
}

static void test_vectors(void **state)
{
    (void)state;
    assert_int_equal(csv_each("message_hash.csv", 7, check_hash), 6);
}

/* The js-only row's message hashes to what Go publishes for the same message with time 0. */
static void test_absent_timestamp_is_eight_zero_bytes(void **state)
{
    (void)state;
    struct mpb_hasher *hasher = hasher_new();
    struct mpb_msg msg = {.content_topic = bytes_of("/waku/2/default-content/proto"),
                          .meta = bytes_of("super-secret")};
    struct vector expected =
        vector_from_hex("58e2fc032a82c4adeb967a8b87086d0d6fb304912f120d4404e6236add8f1f56");
    uint8_t hash[MPB_MSG_HASH_LEN];
    assert_int_equal(mpb_hasher_message(hasher, bytes_of("/waku/2/default-waku/proto"), &msg, hash),
                     MPB_OK);
    assert_memory_equal(hash, expected.data, sizeof(hash));
    vector_free(expected);
    mpb_hasher_free(hasher);
}

static void check_id(struct csv_row *row)
{
    struct mpb_hasher *hasher = hasher_new();
    struct vector encoded = vector_from_hex(row->column[6]);
    struct vector expected = vector_from_hex(row->column[7]);
    uint8_t id[MPB_MSG_HASH_LEN];
    assert_int_equal(mpb_hasher_id(hasher, vector_view(encoded), id), MPB_OK);
    assert_memory_equal(id, expected.data, sizeof(id));
    vector_free(encoded);
    vector_free(expected);
    mpb_hasher_free(hasher);
}

static void test_message_id(void **state)
{
    (void)state;
    assert_int_equal(csv_each("encoding.csv", 8, check_id), 1);
}

/* Plain SHA-256 of "Hello World", by both functions; the context is reused in between. */
static void test_plain_sha256(void **state)
{
    (void)state;
    struct mpb_hasher *hasher = hasher_new();
    struct vector expected =
        vector_from_hex("a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e");
    uint8_t hash[MPB_MSG_HASH_LEN];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(mpb_hasher_id(hasher, bytes_of("Hello World"), hash), MPB_OK);
        assert_memory_equal(hash, expected.data, sizeof(hash));
    }
    /* As a message: topic "Hel", payload "lo", content topic " W", timestamp "orld....". */
    struct mpb_msg msg = {.payload = bytes_of("lo"),
                          .content_topic = bytes_of(" W"),
                          .timestamp_ns = 0x6f726c6400000000};
    uint8_t whole[MPB_MSG_HASH_LEN];
    assert_int_equal(mpb_hasher_message(hasher, bytes_of("Hel"), &msg, hash), MPB_OK);
    assert_int_equal(mpb_hasher_id(hasher, MPB_BYTES_OF("Hello World\0\0\0\0"), whole), MPB_OK);
    assert_memory_equal(hash, whole, sizeof(hash));
    vector_free(expected);
    mpb_hasher_free(hasher);
}

/* Content topics and metas around the size of the gathered tail: same hash as the concatenation. */
static void check_concatenation(struct mpb_hasher *hasher, size_t topic_len, size_t meta_len)
{
    uint8_t joined[1024];
    for (size_t i = 0; i < sizeof(joined); i++) {
        joined[i] = (uint8_t)(i * 7);
    }
    struct mpb_msg msg = {.payload = {joined + 5, 100},
                          .content_topic = {joined + 105, topic_len},
                          .meta = {joined + 105 + topic_len, meta_len},
                          .timestamp_ns = -2};
    size_t n = 105 + topic_len + meta_len;
    memset(joined + n, 0xff, 7);
    joined[n + 7] = 0xfe;
    uint8_t hash[MPB_MSG_HASH_LEN], expected[MPB_MSG_HASH_LEN];
    assert_int_equal(mpb_hasher_message(hasher, (struct mpb_bytes){joined, 5}, &msg, hash), MPB_OK);
    assert_int_equal(mpb_hasher_id(hasher, (struct mpb_bytes){joined, n + 8}, expected), MPB_OK);
    assert_memory_equal(hash, expected, sizeof(hash));
}

static void test_tail_sizes(void **state)
{
    (void)state;
    struct mpb_hasher *hasher = hasher_new();
    static const size_t topics[] = {0, 1, 29, 183, 184, 185, 255, 256, 257, 500};
    static const size_t metas[] = {0, 1, 63, 64, 65, 200};
    for (size_t i = 0; i < MPB_ARRAY_LEN(topics) * MPB_ARRAY_LEN(metas); i++) {
        check_concatenation(hasher, topics[i / MPB_ARRAY_LEN(metas)],
                            metas[i % MPB_ARRAY_LEN(metas)]);
    }
    mpb_hasher_free(hasher);
}

/* Each pubsub topic's hash comes back after any other, of any length around what is kept. */
static void test_topics_in_turn(void **state)
{
    (void)state;
    struct mpb_hasher *kept = hasher_new();
    static const size_t lens[] = {14, 14, 0, 127, 128, 129, 14, 300, 0, 300, 128, 14};
    uint8_t topic[300], hash[MPB_MSG_HASH_LEN], expected[MPB_MSG_HASH_LEN];
    struct mpb_msg msg = {.payload = bytes_of("payload")};
    for (size_t i = 0; i < MPB_ARRAY_LEN(lens); i++) {
        struct mpb_hasher *fresh = hasher_new();
        struct mpb_bytes view = {topic, lens[i]};
        memset(topic, 'a' + (int)(i % 3), sizeof(topic));
        assert_int_equal(mpb_hasher_message(kept, view, &msg, hash), MPB_OK);
        assert_int_equal(mpb_hasher_message(fresh, view, &msg, expected), MPB_OK);
        assert_memory_equal(hash, expected, sizeof(hash));
        assert_int_equal(mpb_hasher_id(kept, view, hash), MPB_OK);
        mpb_hasher_free(fresh);
    }
    mpb_hasher_free(kept);
}

static void test_counts(void **state)
{
    (void)state;
    struct mpb_hasher *hasher = hasher_new();
    struct mpb_msg msg = {
        .payload = bytes_of("12345"), .content_topic = bytes_of("topic"), .meta = bytes_of("123")};
    struct mpb_probe_counts counts;
    uint8_t hash[MPB_MSG_HASH_LEN];
    mpb_probe_reset();
    assert_int_equal(mpb_hasher_message(hasher, bytes_of("/t"), &msg, hash), MPB_OK);
    assert_int_equal(mpb_hasher_id(hasher, bytes_of("1234567"), hash), MPB_OK);
    mpb_probe_read(&counts);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_HASHES), 1);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_HASHED_BYTES), 8);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_ID_HASHES), 1);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_ID_HASHED_BYTES), 7);
    mpb_hasher_free(hasher);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_absent_timestamp_is_eight_zero_bytes),
        cmocka_unit_test(test_message_id),
        cmocka_unit_test(test_plain_sha256),
        cmocka_unit_test(test_tail_sizes),
        cmocka_unit_test(test_topics_in_turn),
        cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
