/* test_owned.c: the materialising decoder: agreement with the scan, memory, failing allocations.
 * The test is linked with malloc and free wrapped, so each allocation can be made to fail. */
#include "core/owned.h"

#include "core/scan.h"
#include "core/tests/codec_vectors.h"
#include "instrument/probe.h"

void *__real_malloc(size_t n_bytes);
void *__wrap_malloc(size_t n_bytes);
void __real_free(void *ptr);
void __wrap_free(void *ptr);

static struct {
    size_t n_allocs, n_live, requested_bytes;
    size_t fail_at; /* which allocation fails, counted from 1; 0: none */
} heap;

void *__wrap_malloc(size_t n_bytes)
{
    if (++heap.n_allocs == heap.fail_at) {
        return NULL;
    }
    heap.n_live++;
    heap.requested_bytes += n_bytes;
    return __real_malloc(n_bytes);
}

void __wrap_free(void *ptr)
{
    heap.n_live -= ptr != NULL;
    __real_free(ptr);
}

static void heap_restart(size_t fail_at)
{
    heap.n_allocs = heap.n_live = heap.requested_bytes = 0;
    heap.fail_at = fail_at;
}

static const char *const plain =
    "0a0350fe50 120143 1802 508090fca3f4efc4d72e 5a014d aa010152 f80101";
/* The same message, with repeated, mistyped and unknown fields and field number 0 strewn in. */
static const char *const dirty =
    "0001 0a0151 120144 1807 2a020102 0801 0a0350fe50 120143 1a00 1802 5007 508090fca3f4efc4d72e "
    "5a014d aa010152 f80100 f80101 8a808080100151 2501020304";

static void check_decodes_as_scanned(const char *hex)
{
    struct vector wire = vector_from_hex(hex);
    struct mpb_msg scanned;
    bool has_skipped;
    struct mpb_owned *owned = NULL;
    assert_int_equal(mpb_scan_wire(vector_view(wire), &scanned, &has_skipped), MPB_OK);
    assert_int_equal(mpb_owned_decode(vector_view(wire), &owned), MPB_OK);
    assert_true(mpb_msg_is_equal(&scanned, mpb_owned_msg(owned)));
    memset(wire.data, 0, wire.len); /* the decoded message has its own memory */
    assert_int_equal(mpb_owned_msg(owned)->payload.data[1], 0xfe);
    assert_int_equal(mpb_owned_msg(owned)->version, 2);
    mpb_owned_free(owned);
    vector_free(wire);
}

static void test_decodes_as_scanned(void **state)
{
    (void)state;
    check_decodes_as_scanned(plain);
    check_decodes_as_scanned(dirty);
}

static void test_refuses_as_scanned(void **state)
{
    (void)state;
    struct vector wire = vector_from_hex("0a0150 1201");
    struct mpb_owned *owned = NULL;
    heap_restart(0);
    assert_int_equal(mpb_owned_decode(vector_view(wire), &owned), MPB_E_TRUNCATED);
    assert_null(owned);
    assert_int_equal(heap.n_allocs, 0);
    vector_free(wire);
}

/* Fail the k-th allocation for k = 1, 2, ... until the decode succeeds: no leak, no crash. */
static size_t sweep(const char *hex)
{
    struct vector wire = vector_from_hex(hex);
    struct mpb_owned *owned = NULL;
    enum mpb_status status = MPB_E_NOMEM;
    size_t fail_at = 0;
    while (status == MPB_E_NOMEM) {
        heap_restart(++fail_at);
        status = mpb_owned_decode(vector_view(wire), &owned);
        if (status == MPB_E_NOMEM) {
            assert_null(owned);
            assert_int_equal(heap.n_live, 0);
        }
    }
    assert_int_equal(status, MPB_OK);
    mpb_owned_free(owned);
    assert_int_equal(heap.n_live, 0);
    heap_restart(0);
    vector_free(wire);
    return fail_at - 1;
}

static void test_allocation_failures(void **state)
{
    (void)state;
    /* ours, protobuf-c's message, four bytes fields; the dirty one has the cleaned buffer too */
    assert_int_equal(sweep(plain), 6);
    assert_int_equal(sweep(dirty), 7);
}

/* 64 kB of the shortest hostile fields, behind an ordinary message of a dozen bytes. */
static size_t requested_for(const char *field_hex)
{
    struct vector field = vector_from_hex(field_hex), head = vector_from_hex("0a0150 120143");
    size_t n_bytes = 65536 - 65536 % field.len;
    struct vector wire = {__real_malloc(head.len + n_bytes), head.len + n_bytes};
    struct mpb_owned *owned = NULL;
    memcpy(wire.data, head.data, head.len);
    for (size_t at = 0; at < n_bytes; at += field.len) {
        memcpy(wire.data + head.len + at, field.data, field.len);
    }
    heap_restart(0);
    assert_int_equal(mpb_owned_decode(vector_view(wire), &owned), MPB_OK);
    size_t requested_bytes = heap.requested_bytes;
    mpb_owned_free(owned);
    __real_free(wire.data);
    vector_free(field);
    vector_free(head);
    return requested_bytes;
}

static void test_hostile_wires_cost_no_memory(void **state)
{
    (void)state;
    assert_true(requested_for("2001") < 1024);   /* unknown varints */
    assert_true(requested_for("0001") < 1024);   /* field number 0 */
    assert_true(requested_for("0801") < 1024);   /* a mistyped field */
    assert_true(requested_for("1801") < 1024);   /* a repeated scalar */
    assert_true(requested_for("0a0151") < 1024); /* a repeated payload */
    assert_true(requested_for("220101") < 1024); /* unknown bytes */
}

static void test_counts(void **state)
{
    (void)state;
    struct vector good = vector_from_hex(dirty), bad = vector_from_hex("0a0150 1201");
    struct mpb_owned *owned = NULL;
    struct mpb_probe_counts counts;
    mpb_probe_reset();
    assert_int_equal(mpb_owned_decode(vector_view(bad), &owned), MPB_E_TRUNCATED);
    assert_int_equal(mpb_owned_decode(vector_view(good), &owned), MPB_OK);
    mpb_owned_free(owned);
    mpb_owned_free(NULL);
    mpb_probe_read(&counts);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_DECODES), 2);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_DECODED_BYTES), good.len + bad.len);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_ENCODES), 0);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_ALLOCS), 7);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_FREES), 7);
    vector_free(good);
    vector_free(bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decodes_as_scanned),
        cmocka_unit_test(test_refuses_as_scanned),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_hostile_wires_cost_no_memory),
        cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
