/* test_rpc.c: the gossipsub RPC, its frames and its faults. What a parse reports is written down
 * as text and compared. */
#include "core/rpc.h"

#include "core/tests/codec_vectors.h"

#define TOPIC MPB_BYTES_OF("/waku/2/rs/0/0")

struct trace {
    char text[2048];
    size_t len, n_events;
    size_t stop_at; /* which event (counted from 1) refuses; 0: none */
};

static const char *hex_of(struct mpb_bytes bytes, char out[256])
{
    size_t n = bytes.len < 64 ? bytes.len : 64;
    out[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        snprintf(out + 2 * i, 3, "%02x", bytes.data[i]);
    }
    return out;
}

static enum mpb_status note(struct trace *t, const char *what, struct mpb_bytes a,
                            struct mpb_bytes b)
{
    char a_hex[256], b_hex[256];
    int n = snprintf(t->text + t->len, sizeof(t->text) - t->len, "%s(%s:%s) ", what,
                     hex_of(a, a_hex), hex_of(b, b_hex));
    t->len += (size_t)n < sizeof(t->text) - t->len ? (size_t)n : 0;
    return ++t->n_events == t->stop_at ? MPB_E_REJECTED : MPB_OK;
}

static enum mpb_status see_subscription(void *ctx, bool subscribe, struct mpb_bytes topic)
{
    return note(ctx, subscribe ? "join" : "leave", topic, (struct mpb_bytes){0});
}

static enum mpb_status see_message(void *ctx, struct mpb_bytes data, struct mpb_bytes topic,
                                   unsigned forbidden)
{
    char what[32];
    snprintf(what, sizeof(what), forbidden == 0 ? "msg" : "msg!%x", forbidden);
    return note(ctx, what, data, topic);
}

static enum mpb_status see_control(void *ctx, enum mpb_rpc_control kind, struct mpb_bytes topic,
                                   struct mpb_bytes id)
{
    static const char *const names[] = {"ihave", "iwant", "graft", "prune", "idontwant"};
    return note(ctx, names[kind], topic, id);
}

static enum mpb_status parse(struct mpb_bytes rpc, struct trace *trace)
{
    struct mpb_rpc_sink sink = {trace, see_subscription, see_message, see_control};
    return mpb_rpc_parse(rpc, &sink);
}

/* name,hex,status,reported. 12 len { 12 len data, 22 len topic } is a publish, 0a len { 08 flag,
 * 12 len topic } a subscription, 1a len { kind len { ... } } control. Nobody listening makes no
 * difference to the status. */
static void check_row(struct csv_row *row)
{
    struct vector rpc = vector_from_hex(row->column[1]);
    struct trace trace = {0};
    const struct mpb_rpc_sink nobody = {0};
    enum mpb_status status = parse(vector_view(rpc), &trace);
    trace.text[trace.len > 0 ? trace.len - 1 : 0] = '\0'; /* the last blank */
    if (strcmp(mpb_status_name(status), row->column[2]) != 0 ||
        strcmp(trace.text, row->column[3]) != 0) {
        fail_msg("%s: %s, %s", row->column[0], mpb_status_name(status), trace.text);
    }
    assert_int_equal(mpb_rpc_parse(vector_view(rpc), &nobody), status);
    vector_free(rpc);
}

static void test_rows(void **state)
{
    (void)state;
    assert_true(csv_each("rpc_rules.csv", 4, check_row) > 70);
}

static const char *const full =
    "0a05 0801 120174 1206 120164 220174 1a1b 0a0a 0a0174 120131 12023233"
    "1203 0a0134 1a03 0a0174 2203 0a0174";

static void test_every_prefix(void **state)
{
    (void)state;
    struct vector rpc = vector_from_hex(full);
    for (size_t len = 0; len <= rpc.len; len++) {
        struct vector prefix = vector_from_bytes((struct mpb_bytes){rpc.data, len});
        struct trace trace = {0};
        bool is_whole = len == 0 || len == 7 || len == 15 || len == rpc.len;
        assert_int_equal(parse(vector_view(prefix), &trace), is_whole ? MPB_OK : MPB_E_TRUNCATED);
        vector_free(prefix);
    }
    vector_free(rpc);
}

static void test_sink_stops(void **state)
{
    (void)state;
    struct vector rpc = vector_from_hex(full);
    struct trace whole = {0};
    assert_int_equal(parse(vector_view(rpc), &whole), MPB_OK);
    assert_int_equal(whole.n_events, 7);
    for (size_t stop_at = 1; stop_at <= whole.n_events; stop_at++) {
        struct trace trace = {.stop_at = stop_at};
        assert_int_equal(parse(vector_view(rpc), &trace), MPB_E_REJECTED);
        assert_int_equal(trace.n_events, stop_at);
        assert_memory_equal(trace.text, whole.text, trace.len);
    }
    vector_free(rpc);
}

static enum mpb_status count(void *ctx, enum mpb_rpc_control kind, struct mpb_bytes topic,
                             struct mpb_bytes id)
{
    (void)kind;
    (void)topic;
    (void)id;
    ++*(size_t *)ctx;
    return MPB_OK;
}

/* The longest RPC, made of the shortest ids there are: each is reported once. */
static void test_many_ids(void **state)
{
    (void)state;
    struct vector rpc = {malloc(MPB_RPC_FRAME_MAX), MPB_RPC_FRAME_MAX};
    struct vector heads = vector_from_hex("1a fcaf09 12 f8af09"); /* 153 596, 153 592 */
    size_t n_ids = 0;
    struct mpb_rpc_sink sink = {.ctx = &n_ids, .control = count};
    memcpy(rpc.data, heads.data, heads.len);
    for (size_t i = heads.len; i < rpc.len; i += 2) {
        rpc.data[i] = 0x0a;
        rpc.data[i + 1] = 0;
    }
    assert_int_equal(mpb_rpc_parse(vector_view(rpc), &sink), MPB_OK);
    assert_int_equal(n_ids, (MPB_RPC_FRAME_MAX - 8) / 2);
    memset(rpc.data, 0xff, rpc.len); /* endless */
    assert_int_equal(mpb_rpc_parse(vector_view(rpc), &sink), MPB_E_VARINT_RANGE);
    vector_free(heads);
    vector_free(rpc);
}

/* A frame as a node puts it on the wire, byte by byte: length prefix, publish { data, topic }. */
static const char *const golden_frame =
    "55125312410a0c010203045445535405060708121d2f77616b752f322f64656661756c742d636f6e74656e742f"
    "70726f746f1802508090fca3f4efc4d72e5a00aa0100f80100220e2f77616b752f322f72732f302f30";
enum { GOLDEN_DATA_AT = 5, GOLDEN_DATA_LEN = 65 };

static void test_golden_frame(void **state)
{
    (void)state;
    struct vector frame = vector_from_hex(golden_frame);
    struct mpb_bytes data = {frame.data + GOLDEN_DATA_AT, GOLDEN_DATA_LEN};
    uint8_t out[256], trailer[MPB_RPC_TOPIC_MAX + 4];
    size_t trailer_len = 0, rpc_len = 0, prefix_len = 0;
    size_t len = mpb_rpc_publish(data.len, TOPIC, out, trailer, &trailer_len);
    assert_int_equal(len, GOLDEN_DATA_AT);
    memcpy(out + len, data.data, data.len);
    memcpy(out + len + data.len, trailer, trailer_len);
    assert_int_equal(len + data.len + trailer_len, frame.len);
    assert_memory_equal(out, frame.data, frame.len);

    struct trace trace = {0};
    char expected[512], data_hex[256];
    assert_int_equal(mpb_rpc_frame_len(vector_view(frame), &rpc_len, &prefix_len), MPB_OK);
    assert_int_equal(prefix_len, 1);
    assert_int_equal(rpc_len, frame.len - 1);
    assert_int_equal(parse((struct mpb_bytes){frame.data + 1, rpc_len}, &trace), MPB_OK);
    snprintf(expected, sizeof(expected), "msg(%s:2f77616b752f322f72732f302f30) ",
             hex_of(data, data_hex));
    assert_string_equal(trace.text, expected);
    vector_free(frame);
}

/* Encoded message, publish, RPC, frame: what a payload of 10, 50 and 150 kB comes to. */
static void test_frame_arithmetic(void **state)
{
    (void)state;
    static const struct {
        size_t data, publish, rpc, frame;
    } sizes[] = {
        {10054, 10073, 10076, 10078},
        {50055, 50075, 50079, 50082},
        {150055, 150075, 150079, 150082},
        {153576, 153596, 153600, 153603}, /* the longest */
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(sizes); i++) {
        uint8_t header[MPB_RPC_HEADER_MAX], trailer[MPB_RPC_TOPIC_MAX + 4];
        size_t trailer_len = 0, rpc_len = 0, prefix_len = 0;
        size_t len = mpb_rpc_publish(sizes[i].data, TOPIC, header, trailer, &trailer_len);
        assert_int_equal(len + sizes[i].data + trailer_len, sizes[i].frame);
        assert_int_equal(trailer_len, 2 + 14);
        assert_int_equal(mpb_rpc_frame_len((struct mpb_bytes){header, len}, &rpc_len, &prefix_len),
                         MPB_OK);
        assert_int_equal(rpc_len, sizes[i].rpc);
        assert_int_equal(prefix_len + rpc_len, sizes[i].frame);
        struct vector inner = {header + prefix_len + 1, len - prefix_len - 1};
        assert_int_equal(mpb_rpc_frame_len(vector_view(inner), &rpc_len, &prefix_len), MPB_OK);
        assert_int_equal(rpc_len, sizes[i].publish);
    }
}

static void test_publish_limits(void **state)
{
    (void)state;
    uint8_t header[MPB_RPC_HEADER_MAX], trailer[MPB_RPC_TOPIC_MAX + 4], long_topic[300] = {0};
    size_t trailer_len = 7;
    static const size_t too_long[] = {153577, 153600, 153601, SIZE_MAX - 20, SIZE_MAX};
    for (size_t i = 0; i < MPB_ARRAY_LEN(too_long); i++) {
        assert_int_equal(mpb_rpc_publish(too_long[i], TOPIC, header, trailer, &trailer_len), 0);
    }
    struct mpb_bytes topic = {long_topic, MPB_RPC_TOPIC_MAX + 1};
    assert_int_equal(mpb_rpc_publish(10, topic, header, trailer, &trailer_len), 0);
    topic.len = SIZE_MAX;
    assert_int_equal(mpb_rpc_publish(10, topic, header, trailer, &trailer_len), 0);
    assert_int_equal(trailer_len, 7);
    topic.len = MPB_RPC_TOPIC_MAX;
    assert_int_equal(mpb_rpc_publish(10, topic, header, trailer, &trailer_len), 2 + 3 + 2);
    assert_int_equal(trailer_len, MPB_RPC_TOPIC_MAX + 3);
    assert_int_equal(mpb_rpc_publish(0, MPB_BYTES_OF(""), header, trailer, &trailer_len), 5);
    assert_memory_equal(header, "\x06\x12\x04\x12\x00", 5);
    assert_memory_equal(trailer, "\x22\x00", 2);
}

static void test_subscribe(void **state)
{
    (void)state;
    uint8_t out[512], long_topic[300] = {0};
    static const char joined[] = "\x14\x0a\x12\x08\x01\x12\x0e/waku/2/rs/0/0";
    size_t len = sizeof(joined) - 1;
    assert_int_equal(mpb_rpc_subscribe(true, TOPIC, out, len), len);
    assert_memory_equal(out, joined, len);
    assert_int_equal(mpb_rpc_subscribe(true, TOPIC, out, len - 1), 0);
    assert_int_equal(mpb_rpc_subscribe(false, TOPIC, out, sizeof(out)), len);
    assert_int_equal(out[4], 0);
    struct mpb_bytes topic = {long_topic, MPB_RPC_TOPIC_MAX};
    assert_int_equal(mpb_rpc_subscribe(true, topic, out, sizeof(out)), 2 + 3 + 2 + 3 + 256);
    topic.len++;
    assert_int_equal(mpb_rpc_subscribe(true, topic, out, sizeof(out)), 0);
}

static void test_control(void **state)
{
    (void)state;
    static const uint8_t ids[2][32] = {"one-of-thirty-two-bytes-exactly", "two"};
    static const struct {
        struct mpb_rpc_control_msg msg;
        const char *hex; /* up to the first id */
        size_t len;
    } frames[] = {
        {{MPB_RPC_IHAVE, {(const uint8_t *)"t", 1}, ids, 2, 0}, "4b 1a49 0a47 0a0174 1220", 76},
        {{MPB_RPC_IWANT, {0}, ids, 1, 0}, "26 1a24 1222 0a20", 39},
        {{MPB_RPC_GRAFT, {(const uint8_t *)"t", 1}, ids, 0, 0}, "07 1a05 1a03 0a0174", 8},
        {{MPB_RPC_GRAFT, {(const uint8_t *)"t", 1}, ids, 2, 9}, "07 1a05 1a03 0a0174", 8},
        {{MPB_RPC_PRUNE, {(const uint8_t *)"t", 1}, NULL, 0, 60}, "09 1a07 2205 0a0174 183c", 10},
        {{MPB_RPC_PRUNE, {0}, NULL, 0, UINT64_MAX}, "11 1a0f 220d 0a00 18ffffffffffffffffff01", 18},
        {{MPB_RPC_IDONTWANT, {0}, ids, 2, 0}, "48 1a46 2a44 0a20", 73},
        {{MPB_RPC_IWANT, {0}, ids, 0, 0}, "04 1a02 1200", 5},
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(frames); i++) {
        uint8_t out[128];
        struct trace trace = {0};
        struct vector begins = vector_from_hex(frames[i].hex);
        size_t len = frames[i].len;
        assert_int_equal(mpb_rpc_control(&frames[i].msg, out, len), len);
        assert_memory_equal(out, begins.data, begins.len);
        assert_int_equal(mpb_rpc_control(&frames[i].msg, out, len - 1), 0);
        assert_int_equal(parse((struct mpb_bytes){out + 1, len - 1}, &trace), MPB_OK);
        size_t n_ids = frames[i].msg.kind == MPB_RPC_GRAFT ? 1 : frames[i].msg.n_ids;
        assert_int_equal(trace.n_events, frames[i].msg.kind == MPB_RPC_PRUNE ? 1 : n_ids);
        vector_free(begins);
    }
}

static void test_control_ids_and_limits(void **state)
{
    (void)state;
    enum { N_IDS = 4600 };
    uint8_t(*ids)[32] = calloc(N_IDS, sizeof(*ids));
    struct vector out = {malloc(200000), 200000};
    struct mpb_rpc_control_msg msg = {MPB_RPC_IHAVE, TOPIC, (const uint8_t(*)[32])ids, 4516, 0};
    size_t len = mpb_rpc_control(&msg, out.data, out.len), rpc_len = 0, prefix_len = 0, n_ids = 0;
    struct mpb_rpc_sink sink = {.ctx = &n_ids, .control = count};
    assert_int_equal(len, 3 + 4 + 4 + 16 + 4516 * 34);
    out.len = len;
    assert_int_equal(mpb_rpc_frame_len(vector_view(out), &rpc_len, &prefix_len), MPB_OK);
    assert_int_equal(rpc_len + prefix_len, len);
    assert_int_equal(mpb_rpc_parse((struct mpb_bytes){out.data + prefix_len, rpc_len}, &sink),
                     MPB_OK);
    assert_int_equal(n_ids, 4516);
    msg.n_ids = 4517; /* 153 636 bytes */
    assert_int_equal(mpb_rpc_control(&msg, out.data, 200000), 0);
    msg.n_ids = SIZE_MAX / 34 + 2; /* wraps round to a few bytes */
    assert_int_equal(mpb_rpc_control(&msg, out.data, 200000), 0);
    msg.n_ids = 1;
    msg.topic.len = MPB_RPC_TOPIC_MAX + 1;
    assert_int_equal(mpb_rpc_control(&msg, out.data, 200000), 0);
    free(ids);
    vector_free(out);
}

static void test_frame_len(void **state)
{
    (void)state;
    static const struct {
        const char *hex;
        enum mpb_status status;
        size_t rpc_len, prefix_len;
    } frames[] = {
        {"", MPB_E_TRUNCATED, 0, 0},
        {"00", MPB_OK, 0, 1},
        {"7f", MPB_OK, 127, 1},
        {"80", MPB_E_TRUNCATED, 0, 0},
        {"ff", MPB_E_TRUNCATED, 0, 0},
        {"8001", MPB_OK, 128, 2},
        {"ff7f", MPB_OK, 16383, 2},
        {"8000", MPB_E_OVERLONG_VARINT, 0, 0},
        {"ffff", MPB_E_TRUNCATED, 0, 0},
        {"808001", MPB_OK, 16384, 3},
        {"80b009", MPB_OK, 153600, 3},
        {"81b009", MPB_E_VARINT_RANGE, 0, 0},
        {"808000", MPB_E_OVERLONG_VARINT, 0, 0},
        {"ffff7f", MPB_E_VARINT_RANGE, 0, 0},
        {"808080", MPB_E_VARINT_RANGE, 0, 0}, /* a fourth byte is not waited for */
        {"80808000", MPB_E_VARINT_RANGE, 0, 0},
        {"ffffffffffffffffffff", MPB_E_VARINT_RANGE, 0, 0},
        {"05 ffffffff", MPB_OK, 5, 1}, /* what follows is not looked at */
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(frames); i++) {
        struct vector bytes = vector_from_hex(frames[i].hex);
        size_t rpc_len = 0, prefix_len = 0;
        assert_int_equal(mpb_rpc_frame_len(vector_view(bytes), &rpc_len, &prefix_len),
                         frames[i].status);
        assert_int_equal(rpc_len, frames[i].rpc_len);
        assert_int_equal(prefix_len, frames[i].prefix_len);
        vector_free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),           cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_sink_stops),     cmocka_unit_test(test_many_ids),
        cmocka_unit_test(test_golden_frame),   cmocka_unit_test(test_frame_arithmetic),
        cmocka_unit_test(test_publish_limits), cmocka_unit_test(test_subscribe),
        cmocka_unit_test(test_control),        cmocka_unit_test(test_control_ids_and_limits),
        cmocka_unit_test(test_frame_len),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
