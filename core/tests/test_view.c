/* test_view.c: the zero-copy decoder: what it borrows, what it counts. */
#include "core/view.h"

#include "core/tests/codec_vectors.h"
#include "instrument/probe.h"

static void test_borrows(void **state)
{
    (void)state;
    struct vector wire = vector_from_hex("0a0150 120143 1802 5002 5a014d aa010152 f80101");
    struct mpb_msg msg;
    assert_int_equal(mpb_view_decode(vector_view(wire), &msg), MPB_OK);
    assert_ptr_equal(msg.payload.data, wire.data + 2);
    assert_int_equal(msg.payload.len, 1);
    assert_ptr_equal(msg.proof.data, wire.data + wire.len - 4);
    assert_int_equal(msg.version, 2);
    assert_true(msg.timestamp_ns == 1);
    assert_true(msg.ephemeral);
    vector_free(wire);
}

static void test_counts_failures_too(void **state)
{
    (void)state;
    struct vector good = vector_from_hex("0a0150 120143");
    struct vector bad = vector_from_hex("0a0150 1201");
    struct mpb_msg msg = {.version = 77};
    struct mpb_probe_counts counts;
    mpb_probe_reset();
    assert_int_equal(mpb_view_decode(vector_view(bad), &msg), MPB_E_TRUNCATED);
    assert_int_equal(msg.version, 77);
    assert_int_equal(mpb_view_decode(vector_view(good), &msg), MPB_OK);
    mpb_probe_read(&counts);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_DECODES), 2);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_DECODED_BYTES), good.len + bad.len);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_ALLOCS), 0);
    vector_free(good);
    vector_free(bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_borrows),
        cmocka_unit_test(test_counts_failures_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
