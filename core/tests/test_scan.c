/* test_scan.c: every row of the acceptance rules with its expected status. */
#include "core/scan.h"

#include "core/tests/codec_vectors.h"

struct row {
    const char *name, *hex;
    enum mpb_status status;
    bool has_skipped;
};

/* 0a0150 is payload "P", 120143 content topic "C": what every accepted message has. */
/* clang-format off */
static const struct row rows[] = {
    {"empty buffer", "", MPB_E_MISSING_FIELD, false},
    {"both required fields", "0a0150 120143", MPB_OK, false},
    {"any order", "120143 0a0150", MPB_OK, false},
    {"payload absent", "120143", MPB_E_MISSING_FIELD, false},
    {"payload empty", "0a00 120143", MPB_OK, false},
    {"content topic absent", "0a0150", MPB_E_MISSING_FIELD, false},
    {"content topic empty", "0a0150 1200", MPB_OK, false},
    {"content topic not UTF-8, with a NUL", "0a0150 1204ff00c080", MPB_OK, false},
    {"all seven fields", "0a0150 120143 1802 5002 5a014d aa010152 f80101", MPB_OK, false},
    {"all seven, empty", "0a00 1200 1800 5000 5a00 aa0100 f80100", MPB_OK, false},

    {"version 2^32 - 1", "0a0150 120143 18ffffffff0f", MPB_OK, false},
    {"version 2^32", "0a0150 120143 188080808010", MPB_E_VARINT_RANGE, false},
    {"version 2^64 - 1", "0a0150 120143 18ffffffffffffffffff01", MPB_E_VARINT_RANGE, false},
    {"version 2^32, then 1", "0a0150 120143 188080808010 1801", MPB_E_VARINT_RANGE, false},
    {"timestamp 10 bytes", "0a0150 120143 50feffffffffffffffff01", MPB_OK, false},
    {"timestamp above 64 bits", "0a0150 120143 50ffffffffffffffffff02", MPB_E_VARINT_RANGE, false},
    {"timestamp of 11 bytes", "0a0150 120143 508080808080808080808001", MPB_E_VARINT_RANGE, false},
    {"ephemeral 2", "0a0150 120143 f80102", MPB_OK, false},
    {"ephemeral 2^32 - 1", "0a0150 120143 f801ffffffff0f", MPB_OK, false},
    {"ephemeral 2^32", "0a0150 120143 f8018080808010", MPB_E_VARINT_RANGE, false},
    {"ephemeral 2^32, then 0", "0a0150 120143 f8018080808010 f80100", MPB_E_VARINT_RANGE, false},

    {"payload twice", "0a0150 120143 0a0151", MPB_OK, true},
    {"version twice", "0a0150 120143 1801 1802", MPB_OK, true},
    {"all seven twice", "0a0150 120143 1802 5002 5a014d aa010152 f80101"
                        "0a0150 120143 1802 5002 5a014d aa010152 f80101", MPB_OK, true},

    {"payload as varint", "0801 120143", MPB_E_MISSING_FIELD, true},
    {"payload as varint beside the payload", "0801 0a0150 120143", MPB_OK, true},
    {"payload as fixed32", "0a0150 120143 0d01020304", MPB_OK, true},
    {"content topic as fixed64", "0a0150 11 0102030405060708", MPB_E_MISSING_FIELD, true},
    {"version as bytes", "0a0150 120143 1a0101", MPB_OK, true},
    {"version as fixed32", "0a0150 120143 1d01020304", MPB_OK, true},
    {"timestamp as fixed64", "0a0150 120143 51 0102030405060708", MPB_OK, true},
    {"meta as varint", "0a0150 120143 5801", MPB_OK, true},
    {"proof as varint", "0a0150 120143 a80101", MPB_OK, true},
    {"ephemeral as bytes", "0a0150 120143 fa010101", MPB_OK, true},
    {"version as a varint above 32 bits, mistyped field 1", "0a0150 120143 088080808010", MPB_OK, true},

    {"unknown varint", "0a0150 120143 2001", MPB_OK, true},
    {"unknown fixed64", "0a0150 120143 21 0102030405060708", MPB_OK, true},
    {"unknown bytes", "0a0150 120143 220101", MPB_OK, true},
    {"unknown fixed32", "0a0150 120143 2501020304", MPB_OK, true},
    {"unknown varint of 64 bits", "0a0150 120143 20ffffffffffffffffff01", MPB_OK, true},
    {"unknown varint above 64 bits", "0a0150 120143 20ffffffffffffffffff7f", MPB_E_VARINT_RANGE, true},
    {"field number 0, varint", "0a0150 120143 0001", MPB_OK, true},
    {"field number 0, fixed64", "0a0150 120143 01 0102030405060708", MPB_OK, true},
    {"field number 0, bytes", "0a0150 120143 020101", MPB_OK, true},
    {"field number 0, fixed32", "0a0150 120143 0501020304", MPB_OK, true},
    {"field number 0 first", "0001 0a0150 120143", MPB_OK, true},
    {"tag above 32 bits, low bits payload", "0a0150 120143 8a808080100151", MPB_OK, true},
    {"tag of 64 bits", "0a0150 120143 faffffffffffffffff01 00", MPB_OK, true},
    {"tag above 64 bits", "0a0150 120143 faffffffffffffffff02 00", MPB_E_VARINT_RANGE, false},

    {"start group", "0a0150 120143 23", MPB_E_WIRE_TYPE, true},
    {"end group", "0a0150 120143 24", MPB_E_WIRE_TYPE, true},
    {"start group of field 1", "0b 0a0150 120143", MPB_E_WIRE_TYPE, true},
    {"wire type 6", "0a0150 120143 26", MPB_E_WIRE_TYPE, true},
    {"wire type 7", "0a0150 120143 27", MPB_E_WIRE_TYPE, true},
    {"wire type 7 of field 0", "07 0a0150 120143", MPB_E_WIRE_TYPE, true},

    {"payload cut", "120143 0a0250", MPB_E_TRUNCATED, false},
    {"payload length 2^64 - 1", "120143 0affffffffffffffffff01 50", MPB_E_TRUNCATED, false},
    {"length 2^31 of unknown bytes", "0a0150 120143 228080808008 50", MPB_E_TRUNCATED, true},
    {"unknown bytes cut", "0a0150 120143 220250", MPB_E_TRUNCATED, true},
    {"fixed32 cut", "0a0150 120143 25010203", MPB_E_TRUNCATED, true},
    {"fixed64 cut", "0a0150 120143 21 01020304050607", MPB_E_TRUNCATED, true},
    {"tag cut", "0a0150 120143 aa", MPB_E_TRUNCATED, false},
    {"length cut", "0a0150 120143 5a80", MPB_E_TRUNCATED, false},
    {"length missing", "0a0150 120143 5a", MPB_E_TRUNCATED, false},
    {"varint cut", "0a0150 120143 1880", MPB_E_TRUNCATED, false},
    {"varint missing", "0a0150 120143 18", MPB_E_TRUNCATED, false},
    {"unknown varint cut", "0a0150 120143 2080", MPB_E_TRUNCATED, true},
    {"nine continued bytes, cut", "0a0150 120143 50808080808080808080", MPB_E_TRUNCATED, false},
    {"ten continued bytes, cut", "0a0150 120143 5080808080808080808080", MPB_E_VARINT_RANGE, false},
    {"trailing ff", "0a0150 120143 ff", MPB_E_TRUNCATED, false},
    {"trailing 00", "0a0150 120143 00", MPB_E_TRUNCATED, true},

    {"overlong tag", "8a000150 120143", MPB_E_OVERLONG_VARINT, false},
    {"overlong unknown tag", "0a0150 120143 a00001", MPB_E_OVERLONG_VARINT, false},
    {"overlong tag of an unassigned wire type", "0a0150 120143 a600", MPB_E_OVERLONG_VARINT, false},
    {"overlong length", "0a810050 120143", MPB_E_OVERLONG_VARINT, false},
    {"overlong zero length", "0a8000 120143", MPB_E_OVERLONG_VARINT, false},
    {"overlong unknown length", "0a0150 120143 22810050", MPB_E_OVERLONG_VARINT, true},
    {"overlong version", "0a0150 120143 188200", MPB_E_OVERLONG_VARINT, false},
    {"overlong timestamp of 10 bytes", "0a0150 120143 5080808080808080808000", MPB_E_OVERLONG_VARINT, false},
    {"overlong ephemeral", "0a0150 120143 f8018100", MPB_E_OVERLONG_VARINT, false},
    {"overlong unknown varint", "0a0150 120143 20818000", MPB_E_OVERLONG_VARINT, true},
    {"overlong mistyped varint", "0a0150 120143 088100", MPB_E_OVERLONG_VARINT, true},

    {"wire faults come before missing fields", "0a0150 26", MPB_E_WIRE_TYPE, true},
    {"missing fields come before ranges", "0a0150 188080808010", MPB_E_MISSING_FIELD, false},
};
/* clang-format on */

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPB_ARRAY_LEN(rows); i++) {
        struct vector wire = vector_from_hex(rows[i].hex);
        struct mpb_msg msg;
        bool has_skipped = !rows[i].has_skipped;
        enum mpb_status status = mpb_scan_wire(vector_view(wire), &msg, &has_skipped);
        if (status != rows[i].status ||
            (status == MPB_OK && has_skipped != rows[i].has_skipped)) {
            fail_msg("%s: %s, has_skipped %d", rows[i].name, mpb_status_name(status),
                     has_skipped);
        }
        vector_free(wire);
    }
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

    struct mpb_scan before, after;
    memset(&before, 0xa5, sizeof(before));
    memset(&after, 0xa5, sizeof(after));
    wire.len--;
    assert_int_equal(mpb_scan_wire(vector_view(wire), &after), MPB_E_TRUNCATED);
    assert_memory_equal(&before, &after, sizeof(before));
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
