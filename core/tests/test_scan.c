/* test_scan.c: every row of the acceptance rules with its expected status. */
#include "core/scan.h"

#include "core/tests/codec_vectors.h"

/* name,hex,status,has_skipped (empty when the status is not ok). 0a0150 is payload "P", 120143
 * content topic "C": what every accepted message has. The fuzzing corpus starts from these rows. */
static void check_row(struct csv_row *row)
{
    struct vector wire = vector_from_hex(row->column[1]);
    bool expects_skipped = strcmp(row->column[3], "1") == 0;
    bool has_skipped = !expects_skipped;
    struct mpb_msg msg;
    enum mpb_status status = mpb_scan_wire(vector_view(wire), &msg, &has_skipped);
    assert_int_equal(row->column[3][0] == '\0', strcmp(row->column[2], "ok") != 0);
    if (strcmp(mpb_status_name(status), row->column[2]) != 0 ||
        (status == MPB_OK && has_skipped != expects_skipped)) {
        fail_msg("%s: %s, has_skipped %d", row->column[0], mpb_status_name(status), has_skipped);
    }
    vector_free(wire);
}

static void test_rows(void **state)
{
    (void)state;
    assert_true(csv_each("wire_rules.csv", 4, check_row) > 90);
}

static struct mpb_msg scan_hex(const char *hex)
{
    struct vector wire = vector_from_hex(hex);
    struct mpb_msg msg;
    bool has_skipped;
    assert_int_equal(mpb_scan_wire(vector_view(wire), &msg, &has_skipped), MPB_OK);
    vector_free(wire);
    return msg; /* lengths and scalars only: the bytes are gone */
}

static void test_scalars(void **state)
{
    (void)state;
    struct mpb_msg msg = scan_hex("0a0150 120143");
    assert_int_equal(msg.version, 0);
    assert_int_equal(msg.timestamp_ns, 0);
    assert_int_equal(msg.meta.len + msg.proof.len, 0);
    assert_false(msg.ephemeral);

    assert_true(scan_hex("0a00 1200 18ffffffff0f").version == UINT32_MAX);
    assert_true(scan_hex("0a00 1200 5001").timestamp_ns == -1);
    assert_true(scan_hex("0a00 1200 5002").timestamp_ns == 1);
    assert_true(scan_hex("0a00 1200 50feffffffffffffffff01").timestamp_ns == INT64_MAX);
    assert_true(scan_hex("0a00 1200 50ffffffffffffffffff01").timestamp_ns == INT64_MIN);
    assert_true(scan_hex("0a00 1200 508090fca3f4efc4d72e").timestamp_ns == 1681964442000000000);
    assert_true(scan_hex("0a00 1200 f80101").ephemeral);
    assert_true(scan_hex("0a00 1200 f801808002").ephemeral);
    assert_false(scan_hex("0a00 1200 f80100").ephemeral);
}

static void test_last_occurrence_wins(void **state)
{
    (void)state;
    struct mpb_msg msg = scan_hex("0a0150 120143 1807 5002 5a014d aa010152 f80101"
                                  "0a025050 1200 1808 5001 5a00 aa01035252 52 f80100");
    assert_int_equal(msg.payload.len, 2);
    assert_int_equal(msg.content_topic.len, 0);
    assert_int_equal(msg.version, 8);
    assert_true(msg.timestamp_ns == -1);
    assert_int_equal(msg.meta.len, 0);
    assert_int_equal(msg.proof.len, 3);
    assert_false(msg.ephemeral);
}

/* "0a00 1200" and a meta field of each given length. */
static enum mpb_status scan_metas(const size_t *lens, size_t n)
{
    uint8_t buffer[512] = {0x0a, 0, 0x12, 0};
    size_t at = 4;
    for (size_t i = 0; i < n; i++) {
        buffer[at] = 0x5a;
        buffer[at + 1] = (uint8_t)lens[i];
        at += 2 + lens[i];
    }
    struct mpb_msg msg;
    bool has_skipped;
    struct vector wire = vector_from_bytes((struct mpb_bytes){buffer, at});
    enum mpb_status status = mpb_scan_wire(vector_view(wire), &msg, &has_skipped);
    vector_free(wire);
    return status;
}

static void test_meta_length(void **state)
{
    (void)state;
    assert_int_equal(scan_metas((size_t[]){64}, 1), MPB_OK);
    assert_int_equal(scan_metas((size_t[]){65}, 1), MPB_E_META_LENGTH);
    assert_int_equal(scan_metas((size_t[]){67}, 1), MPB_E_META_LENGTH);
    assert_int_equal(scan_metas((size_t[]){65, 64}, 2), MPB_OK);
    assert_int_equal(scan_metas((size_t[]){64, 65}, 2), MPB_E_META_LENGTH);
}

static void test_bytes_are_borrowed_and_out_untouched(void **state)
{
    (void)state;
    struct vector wire = vector_from_hex("0a0150 120243c3 5a014d aa0103525354");
    struct mpb_msg msg;
    bool has_skipped;
    assert_int_equal(mpb_scan_wire(vector_view(wire), &msg, &has_skipped), MPB_OK);
    assert_ptr_equal(msg.payload.data, wire.data + 2);
    assert_ptr_equal(msg.content_topic.data, wire.data + 5);
    assert_ptr_equal(msg.meta.data, wire.data + 9);
    assert_ptr_equal(msg.proof.data, wire.data + 13);

    struct mpb_msg before, after;
    memset(&before, 0xa5, sizeof(before));
    memset(&after, 0xa5, sizeof(after));
    has_skipped = true;
    wire.len--;
    assert_int_equal(mpb_scan_wire(vector_view(wire), &after, &has_skipped), MPB_E_TRUNCATED);
    assert_memory_equal(&before, &after, sizeof(before));
    assert_true(has_skipped);
    vector_free(wire);
}

/* Each prefix of a full message is either cut, or ends between fields. */
static void test_every_prefix(void **state)
{
    (void)state;
    struct vector wire = vector_from_hex("0a0350fe50 120143 1802 508090fca3f4efc4d72e 5a014d "
                                         "aa010152 f80101");
    static const size_t boundaries[] = {5, 8, 10, 20, 23, 27, 30};
    for (size_t len = 0, i = 0; len <= wire.len; len++) {
        struct vector prefix = vector_from_bytes((struct mpb_bytes){wire.data, len});
        struct mpb_msg msg;
        bool has_skipped;
        enum mpb_status expected = len < 8 ? MPB_E_MISSING_FIELD : MPB_OK;
        if (len > 0 && len != boundaries[i]) {
            expected = MPB_E_TRUNCATED;
        } else if (len > 0) {
            i++;
        }
        assert_int_equal(mpb_scan_wire(vector_view(prefix), &msg, &has_skipped), expected);
        vector_free(prefix);
    }
    vector_free(wire);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_last_occurrence_wins),
        cmocka_unit_test(test_meta_length),
        cmocka_unit_test(test_bytes_are_borrowed_and_out_untouched),
        cmocka_unit_test(test_every_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
