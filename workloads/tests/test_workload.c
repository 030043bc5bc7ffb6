/* test_workload.c: the generator: its encoding is the codec's, its messages are unique, its bytes
 * depend on seed, mix and counts alone. */
#include "workloads/workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/view.h"
#include "instrument/probe.h"

static struct mpb_workload *make(const char *mix_text, uint64_t seed, size_t n_warmup, size_t n,
                                 size_t n_runs)
{
    struct mpb_mix mix;
    struct mpb_workload *workload = NULL;
    assert_int_equal(mpb_mix_parse(mix_text, "--mix", &mix, NULL), MPB_OK);
    struct mpb_workload_cfg cfg = {seed, &mix, n_warmup, n, n_runs, 0};
    assert_int_equal(mpb_workload_new(&cfg, &workload, NULL), MPB_OK);
    assert_int_equal(mpb_workload_len(workload), n_warmup + n * n_runs);
    return workload;
}

/* Encode into exactly encoded_len bytes with guards on both sides. */
static uint8_t *encode(const struct mpb_workload *workload, size_t idx, size_t *len)
{
    const size_t guard = 16;
    *len = mpb_workload_encoded_len(workload, idx);
    uint8_t *guarded = malloc(*len + 2 * guard);
    assert_non_null(guarded);
    memset(guarded, 0xa5, *len + 2 * guard);
    mpb_workload_encode(workload, idx, guarded + guard);
    for (size_t i = 0; i < guard; i++) {
        assert_int_equal(guarded[i], 0xa5);
        assert_int_equal(guarded[guard + *len + i], 0xa5);
    }
    memmove(guarded, guarded + guard, *len);
    return guarded;
}

/* Decode what the generator wrote, and let the codec write it again. */
static void check_message(const struct mpb_workload *workload, size_t idx)
{
    struct mpb_msg msg;
    size_t len = 0;
    uint8_t *wire = encode(workload, idx, &len), *again = malloc(len);
    assert_int_equal(mpb_view_decode((struct mpb_bytes){wire, len}, &msg), MPB_OK);
    assert_int_equal(mpb_msg_encode(&msg, again, len), len);
    assert_memory_equal(wire, again, len);
    assert_true(len <= mpb_workload_max_encoded_len(workload));
    assert_true(mpb_workload_is_message(workload, idx, &msg));
    assert_int_equal(msg.payload.len, mpb_workload_payload_len(workload, idx));
    uint64_t prefix = 0;
    for (size_t i = 0; i < 8; i++) {
        prefix |= (uint64_t)msg.payload.data[i] << (8 * i);
    }
    assert_int_equal(prefix, idx);
    assert_int_equal(msg.timestamp_ns, INT64_C(1681964442000000000) + (int64_t)idx * 1000000);
    assert_int_equal(msg.timestamp_ns, mpb_workload_timestamp_ns(workload, idx));
    assert_int_equal(msg.content_topic.len, 29);
    assert_memory_equal(msg.content_topic.data, "/waku/2/default-content/proto", 29);
    assert_int_equal(msg.version, 2);
    assert_int_equal(msg.meta.len + msg.proof.len, 0);
    assert_false(msg.ephemeral);
    free(wire);
    free(again);
}

static void test_encoding_is_the_codecs(void **state)
{
    (void)state;
    static const char *const mixes[] = {"8:1,9:1,100:1", "8-300:1", "boundary", "seed", "fleet"};
    for (size_t i = 0; i < MPB_ARRAY_LEN(mixes); i++) {
        struct mpb_workload *workload = make(mixes[i], i, 5, 40, 2);
        for (size_t idx = 0; idx < 85; idx++) {
            check_message(workload, idx);
        }
        mpb_workload_free(workload);
    }
    mpb_workload_free(NULL);
}

static void test_encoded_sum(void **state)
{
    (void)state;
    struct mpb_workload *workload = make("seed", 42, 100, 1000, 2);
    for (size_t run = 0; run < 2; run++) {
        size_t encoded = 0, payload = 0;
        for (size_t i = 0; i < 1000; i++) {
            encoded += mpb_workload_encoded_len(workload, 100 + run * 1000 + i);
            payload += mpb_workload_payload_len(workload, 100 + run * 1000 + i);
        }
        assert_int_equal(payload, 65000000);
        assert_int_equal(encoded, 65054750);
    }
    assert_int_equal(mpb_workload_max_encoded_len(workload), 150055);
    mpb_workload_free(workload);
}

/* The runs are dealt apart: their orders differ. */
static void test_runs_have_orders_of_their_own(void **state)
{
    (void)state;
    struct mpb_workload *workload = make("seed", 42, 0, 200, 2);
    size_t n_different = 0;
    for (size_t i = 0; i < 200; i++) {
        n_different +=
            mpb_workload_payload_len(workload, i) != mpb_workload_payload_len(workload, 200 + i)
                ? 1
                : 0;
    }
    assert_true(n_different > 60);
    mpb_workload_free(workload);
}

static bool is_same_stream(const struct mpb_workload *a, const struct mpb_workload *b)
{
    bool is_same = mpb_workload_len(a) == mpb_workload_len(b);
    for (size_t idx = 0; idx < mpb_workload_len(a) && is_same; idx++) {
        size_t len_a = 0, len_b = 0;
        uint8_t *wire_a = encode(a, idx, &len_a), *wire_b = encode(b, idx, &len_b);
        is_same = len_a == len_b && memcmp(wire_a, wire_b, len_a) == 0;
        free(wire_a);
        free(wire_b);
    }
    return is_same;
}

static void test_seeds(void **state)
{
    (void)state;
    struct mpb_workload *a = make("1k:1", 42, 3, 20, 2), *b = make("1k:1", 42, 3, 20, 2);
    struct mpb_workload *c = make("1k:1", 43, 3, 20, 2);
    struct mpb_msg msg;
    size_t len = 0;
    uint8_t *wire = encode(a, 7, &len);
    assert_true(is_same_stream(a, b));
    assert_false(is_same_stream(a, c));
    assert_int_equal(mpb_view_decode((struct mpb_bytes){wire, len}, &msg), MPB_OK);
    assert_true(mpb_workload_is_message(b, 7, &msg));
    assert_false(mpb_workload_is_message(c, 7, &msg)); /* the same length, other bytes */
    free(wire);
    mpb_workload_free(a);
    mpb_workload_free(b);
    mpb_workload_free(c);
}

/* Bodies differ too, not only the prefixes. */
static void test_bodies_differ(void **state)
{
    (void)state;
    struct mpb_workload *workload = make("64:1", 42, 0, 200, 1);
    uint8_t body[200][56];
    for (size_t idx = 0; idx < 200; idx++) {
        size_t len = 0;
        uint8_t *wire = encode(workload, idx, &len);
        memcpy(body[idx], wire + 2 + 8, 56); /* tag, length, prefix */
        free(wire);
        for (size_t k = 0; k < idx; k++) {
            assert_memory_not_equal(body[idx], body[k], 56);
        }
    }
    mpb_workload_free(workload);
}

/* Every bit of the wire: what still decodes is the message only if it encodes to its bytes (a
 * spoilt tag can make an empty field an absent one, which is the same). */
static void test_is_message_sees_each_bit(void **state)
{
    (void)state;
    struct mpb_workload *workload = make("16:1", 42, 0, 4, 1);
    size_t len = 0, n_other = 0;
    uint8_t *wire = encode(workload, 2, &len), *right = encode(workload, 2, &len), again[256];
    for (size_t bit = 0; bit < len * 8; bit++) {
        struct mpb_msg msg;
        wire[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (mpb_view_decode((struct mpb_bytes){wire, len}, &msg) == MPB_OK) {
            size_t n = mpb_msg_encode(&msg, again, sizeof(again));
            bool is_same = n == len && memcmp(again, right, len) == 0;
            assert_int_equal(mpb_workload_is_message(workload, 2, &msg), is_same);
            n_other += is_same ? 0 : 1;
        }
        wire[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_true(n_other > 8 * (size_t)(16 + 29)); /* at the least each bit of payload and topic */
    free(wire);
    free(right);
    mpb_workload_free(workload);
}

/* Preparing bytes counts nothing and stays out of the measured heap. */
static void test_counts_nothing(void **state)
{
    (void)state;
    struct mpb_probe_counts counts;
    mpb_probe_reset();
    struct mpb_workload *workload = make("seed", 42, 1, 10, 2);
    size_t len = 0;
    free(encode(workload, 3, &len));
    mpb_workload_free(workload);
    mpb_probe_read(&counts);
    for (size_t i = 0; i < MPB_METRIC__COUNT; i++) {
        assert_int_equal(mpb_probe_total(&counts, (enum mpb_metric)i), 0);
    }
}

/* With a rate the virtual time follows it, without rounding that adds up. */
static void test_rate(void **state)
{
    (void)state;
    struct mpb_mix mix;
    struct mpb_workload *workload = NULL;
    assert_int_equal(mpb_mix_parse("8:1", "--mix", &mix, NULL), MPB_OK);
    struct mpb_workload_cfg cfg = {42, &mix, 1, 3, 1, 3};
    assert_int_equal(mpb_workload_new(&cfg, &workload, NULL), MPB_OK);
    static const int64_t since_ns[] = {0, 333333333, 666666666, 1000000000};
    for (size_t idx = 0; idx < MPB_ARRAY_LEN(since_ns); idx++) {
        uint8_t payload[8];
        struct mpb_msg msg = mpb_workload_message(workload, idx, payload);
        assert_int_equal(mpb_workload_timestamp_ns(workload, idx),
                         MPB_WORKLOAD_BASE_NS + since_ns[idx]);
        assert_int_equal(msg.timestamp_ns, MPB_WORKLOAD_BASE_NS + since_ns[idx]);
    }
    mpb_workload_free(workload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_encoding_is_the_codecs),
        cmocka_unit_test(test_encoded_sum),
        cmocka_unit_test(test_runs_have_orders_of_their_own),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_bodies_differ),
        cmocka_unit_test(test_is_message_sees_each_bit),
        cmocka_unit_test(test_counts_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
