/* test_peer_out.c: frames out: through sockets that take little at a time, in order of priority,
 * joined or not, and when nobody is there any more. */
#include "core/peer.h"

#include "core/tests/failing_heap.h"
#include "core/tests/socket_fixture.h"

enum { WIRE_MAX = 1 << 21 };

/* What the far end got. */
struct wire {
    uint8_t *bytes;
    size_t len;
};

static void take_all(int far, struct wire *wire)
{
    ssize_t n = 1;
    while (n > 0) {
        assert_true(wire->len < WIRE_MAX);
        n = recv(far, wire->bytes + wire->len, WIRE_MAX - wire->len, 0);
        wire->len += n > 0 ? (size_t)n : 0;
    }
}

/* Flush and take by turns until all is there. Returns how often the socket was full. */
static size_t drain(struct mpb_peer *peer, int far, struct wire *wire)
{
    size_t n_blocked = 0;
    while (mpb_peer_has_output(peer)) {
        bool blocked = false;
        assert_int_equal(mpb_peer_flush(peer, &blocked, NULL), MPB_OK);
        assert_int_equal(blocked, mpb_peer_has_output(peer));
        n_blocked += blocked;
        assert_true(n_blocked < 100000);
        socket_await(far);
        take_all(far, wire);
    }
    while (wire->len < mpb_peer_stats(peer)->bytes_out) {
        socket_await(far);
        take_all(far, wire);
    }
    return n_blocked;
}

static void send_parts(struct mpb_peer *peer, enum mpb_priority priority,
                       const struct mpb_parts *parts, bool join)
{
    bool queued = false;
    assert_int_equal(mpb_peer_send(peer, priority, parts, join, &queued), MPB_OK);
    assert_true(queued);
}

/* A publish of data_len bytes, all of them `mark`. */
static void send_marked(struct mpb_peer *peer, enum mpb_priority priority, size_t data_len,
                        uint8_t mark, bool join)
{
    uint8_t header[MPB_RPC_HEADER_MAX], trailer[MPB_RPC_TOPIC_MAX + 4];
    struct mpb_buffer *buffer = mpb_buffer_new(data_len);
    struct mpb_parts parts = {{header, 0}, mpb_buffer_view(buffer), {trailer, 0}, buffer};
    memset(buffer->data, mark, data_len);
    parts.head.len =
        mpb_rpc_publish(data_len, FIXTURE_PUBSUB_TOPIC, header, trailer, &parts.tail.len);
    assert_true(parts.head.len > 0);
    send_parts(peer, priority, &parts, join);
    mpb_buffer_unref(buffer);
}

/* The first data byte of each frame, in order ('-' without data); the rest is the same byte. */
struct marks {
    uint8_t at[16];
    size_t len;
};

static enum mpb_status note_mark(void *ctx, struct mpb_bytes data, struct mpb_bytes topic,
                                 unsigned forbidden)
{
    struct marks *marks = ctx;
    assert_int_equal(forbidden, 0);
    assert_int_equal(topic.len, 14);
    for (size_t i = 1; i < data.len; i++) {
        assert_int_equal(data.data[i], data.data[0]);
    }
    assert_true(marks->len < sizeof(marks->at));
    marks->at[marks->len++] = data.len > 0 ? data.data[0] : '-';
    return MPB_OK;
}

static void read_marks(const struct wire *wire, struct marks *marks)
{
    const struct mpb_rpc_sink sink = {.ctx = marks, .message = note_mark};
    size_t rpc_len = 0, prefix_len = 0;
    for (size_t at = 0; at < wire->len; at += prefix_len + rpc_len) {
        struct mpb_bytes rest = {wire->bytes + at, wire->len - at};
        assert_int_equal(mpb_rpc_frame_len(rest, &rpc_len, &prefix_len), MPB_OK);
        assert_true(prefix_len + rpc_len <= rest.len);
        struct mpb_bytes rpc = {rest.data + prefix_len, rpc_len};
        assert_int_equal(mpb_rpc_parse(rpc, &sink), MPB_OK);
    }
}

/* A connection whose socket takes as little at a time as the system allows (TCP: a little more, or
 * it waits for timers). */
static int narrow_peer(bool is_tcp, struct mpb_peer **peer)
{
    int far = socket_peer(is_tcp, MPB_RPC_FRAME_MAX, peer), len = is_tcp ? 16384 : 1;
    assert_int_equal(setsockopt(mpb_peer_fd(*peer), SOL_SOCKET, SO_SNDBUF, &len, sizeof(len)), 0);
    return far;
}

/* The same frames, joined or scattered, over a narrow or a wide socket: the same bytes. */
static void test_same_bytes(void **state)
{
    (void)state;
    static const size_t lens[] = {0, 1, 100, 5000, 70000, 150055, 3, 65000};
    struct wire first = {test_malloc(WIRE_MAX), 0}, other = {test_malloc(WIRE_MAX), 0};
    int64_t live = fixture_live_bytes();
    for (unsigned how = 0; how < 8; how++) {
        bool join = how & 1, is_narrow = how & 2, is_tcp = how & 4;
        struct wire *wire = how == 0 ? &first : &other;
        struct mpb_peer *peer = NULL;
        int far =
            is_narrow ? narrow_peer(is_tcp, &peer) : socket_peer(is_tcp, MPB_RPC_FRAME_MAX, &peer);
        wire->len = 0;
        for (size_t i = 0; i < MPB_ARRAY_LEN(lens); i++) {
            send_marked(peer, MPB_PRIORITY_MEDIUM, lens[i], (uint8_t)('a' + i), join);
        }
        size_t queued_bytes = mpb_peer_stats(peer)->queued_bytes;
        size_t n_blocked = drain(peer, far, wire);
        assert_true(!is_narrow || n_blocked > (is_tcp ? 0 : 10));
        assert_int_equal(wire->len, queued_bytes);
        assert_int_equal(mpb_peer_stats(peer)->bytes_out, queued_bytes);
        assert_int_equal(mpb_peer_stats(peer)->frames_out, MPB_ARRAY_LEN(lens));
        assert_int_equal(mpb_peer_stats(peer)->queued_bytes, 0);
        assert_int_equal(mpb_peer_stats(peer)->queued_bytes_max, queued_bytes);
        assert_int_equal(wire->len, first.len);
        assert_memory_equal(wire->bytes, first.bytes, first.len);
        mpb_peer_free(peer);
        close(far);
        assert_int_equal(fixture_live_bytes(), live);
    }
    test_free(first.bytes);
    test_free(other.bytes);
}

static void test_priorities(void **state)
{
    (void)state;
    struct wire wire = {test_malloc(WIRE_MAX), 0};
    struct mpb_peer *peer = NULL;
    struct marks marks = {.len = 0};
    bool blocked = false;
    int far = narrow_peer(false, &peer);
    send_marked(peer, MPB_PRIORITY_LOW, 100000, 'l', false);
    send_marked(peer, MPB_PRIORITY_LOW, 10, 'm', false);
    assert_int_equal(mpb_peer_flush(peer, &blocked, NULL), MPB_OK);
    assert_true(blocked);
    send_marked(peer, MPB_PRIORITY_MEDIUM, 90000, 'x', true);
    send_marked(peer, MPB_PRIORITY_HIGH, 10, 'H', false);
    send_marked(peer, MPB_PRIORITY_HIGH, 20, 'I', true);
    send_marked(peer, MPB_PRIORITY_LOW, 10, 'n', false);
    send_marked(peer, MPB_PRIORITY_MEDIUM, 10, 'y', false);
    drain(peer, far, &wire);
    read_marks(&wire, &marks);
    assert_int_equal(marks.len, 7);
    assert_memory_equal(marks.at, "lHIxymn", 7);
    mpb_peer_free(peer);
    close(far);
    test_free(wire.bytes);
}

static void test_queues_overflow(void **state)
{
    (void)state;
    static const size_t limits[] = {MPB_PEER_QUEUE_HIGH, MPB_PEER_QUEUE_MEDIUM, MPB_PEER_QUEUE_LOW};
    struct wire wire = {test_malloc(WIRE_MAX), 0};
    const struct mpb_parts parts = {.head = MPB_BYTES_OF("\x02hi")};
    struct mpb_peer *peer = NULL;
    int64_t live = fixture_live_bytes();
    int far = socket_peer(false, MPB_RPC_FRAME_MAX, &peer);
    for (size_t p = 0; p < MPB_PRIORITY__COUNT; p++) {
        bool queued = true, is_high = p == MPB_PRIORITY_HIGH;
        for (size_t i = 0; i < limits[p]; i++) {
            send_parts(peer, (enum mpb_priority)p, &parts, false);
        }
        for (size_t i = 1; i <= 3; i++) {
            queued = is_high; /* untouched on failure */
            assert_int_equal(mpb_peer_send(peer, (enum mpb_priority)p, &parts, false, &queued),
                             is_high ? MPB_E_INCOMPLETE : MPB_OK);
            assert_int_equal(queued, is_high);
            assert_int_equal(mpb_peer_stats(peer)->dropped[p], i);
        }
    }
    assert_int_equal(mpb_peer_stats(peer)->queued_bytes, 3 * (256 + 512 + 1024));
    drain(peer, far, &wire);
    assert_int_equal(wire.len, 3 * (256 + 512 + 1024));
    assert_int_equal(mpb_peer_stats(peer)->frames_out, 256 + 512 + 1024);
    for (size_t p = 0; p < MPB_PRIORITY__COUNT; p++) {
        send_parts(peer, (enum mpb_priority)p, &parts, true); /* there is room again */
    }
    mpb_peer_free(peer); /* with frames still queued */
    assert_int_equal(fixture_live_bytes(), live);
    close(far);
    test_free(wire.bytes);
}

/* Nobody there: a status, no signal; what is queued is given back. */
static void check_gone(bool is_reset)
{
    struct mpb_peer *peer = NULL;
    struct mpb_error err = {0};
    const struct linger at_once = {.l_onoff = 1};
    int64_t live = fixture_live_bytes();
    int far = socket_peer(is_reset, MPB_RPC_FRAME_MAX, &peer);
    bool blocked = false;
    enum mpb_status status = MPB_OK;
    if (is_reset) {
        setsockopt(far, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    }
    close(far);
    for (size_t i = 0; status == MPB_OK && i < 10; i++) {
        send_marked(peer, MPB_PRIORITY_LOW, 100000, 'x', false);
        status = mpb_peer_flush(peer, &blocked, &err);
    }
    assert_int_equal(status, MPB_E_IO);
    assert_int_equal(err.status, MPB_E_IO);
    assert_true(err.sys_errno == EPIPE || err.sys_errno == ECONNRESET);
    assert_int_equal(mpb_peer_flush(peer, &blocked, NULL), MPB_E_IO);
    mpb_peer_free(peer);
    assert_int_equal(fixture_live_bytes(), live);
}

static void test_gone(void **state)
{
    (void)state;
    check_gone(false);
    check_gone(true);
}

/* Fail the allocation of a send: nothing queued, nothing counted, and it works the next time. */
static void test_no_memory(void **state)
{
    (void)state;
    struct mpb_peer *peer = NULL;
    struct mpb_buffer *buffer = mpb_buffer_new(100);
    const struct mpb_parts parts = {MPB_BYTES_OF("h"), mpb_buffer_view(buffer), MPB_BYTES_OF("t"),
                                    buffer};
    int far = socket_peer(false, MPB_RPC_FRAME_MAX, &peer);
    for (unsigned how = 0; how < 2 * MPB_PRIORITY__COUNT; how++) {
        enum mpb_priority priority = (enum mpb_priority)(how / 2);
        bool queued = false;
        failing_heap_at(1);
        assert_int_equal(mpb_peer_send(peer, priority, &parts, how & 1, &queued), MPB_E_NOMEM);
        failing_heap_at(0);
        assert_false(queued);
        assert_int_equal(mpb_peer_stats(peer)->queued_bytes, 102 * how);
        assert_int_equal(mpb_peer_stats(peer)->dropped[priority], 0);
        send_parts(peer, priority, &parts, how & 1);
    }
    assert_int_equal(buffer->n_refs, 1 + 3);
    mpb_peer_free(peer);
    assert_int_equal(buffer->n_refs, 1);
    mpb_buffer_unref(buffer);
    close(far);
}

static void test_sites(void **state)
{
    (void)state;
    struct wire wire = {test_malloc(WIRE_MAX), 0};
    struct mpb_peer *peer = NULL;
    struct mpb_probe_counts counts;
    int far = socket_peer(false, MPB_RPC_FRAME_MAX, &peer);
    struct mpb_buffer *buffer = fixture_arrive_bytes((struct mpb_bytes){fixture_pool(), 100});
    const struct mpb_parts parts = {{0}, mpb_buffer_view(buffer), {0}, buffer};
    mpb_probe_reset();
    for (unsigned how = 0; how < 2; how++) {
        MPB_PROBE_SITE(MPB_SITE_APP);
        send_parts(peer, MPB_PRIORITY_LOW, &parts, how & 1);
    }
    MPB_PROBE_SITE(MPB_SITE_APP);
    drain(peer, far, &wire);
    mpb_probe_read(&counts);
    assert_int_equal(counts.at[MPB_SITE_TRANSPORT][MPB_METRIC_ALLOCS], 2);
    assert_int_equal(counts.at[MPB_SITE_TRANSPORT][MPB_METRIC_FREES], 2);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_ALLOCS), 2);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_COPIES), 0);
    mpb_buffer_unref(buffer);
    mpb_peer_free(peer);
    close(far);
    test_free(wire.bytes);
}

/* Two peers, frames of random lengths both ways at once over TCP: all arrive, in order. */
static void test_both_ways(void **state)
{
    (void)state;
    enum { N_FRAMES = 300 };
    static struct inbox inboxes[2];
    struct mpb_peer *peers[2] = {NULL, NULL};
    size_t lens[2][N_FRAMES] = {{0}}, n_sent[2] = {0, 0};
    uint64_t random = 11;
    int fd = socket_peer(true, MPB_RPC_FRAME_MAX, &peers[0]);
    assert_int_equal(mpb_peer_new(fd, MPB_RPC_FRAME_MAX, &peers[1]), MPB_OK);
    while (inboxes[0].n_frames < N_FRAMES || inboxes[1].n_frames < N_FRAMES) {
        for (size_t side = 0; side < 2; side++) {
            bool blocked = false;
            for (size_t k = fixture_below(&random, 6); k > 0 && n_sent[side] < N_FRAMES; k--) {
                size_t is_large = fixture_below(&random, 10) == 0, i = n_sent[side]++;
                lens[side][i] = fixture_below(&random, is_large ? 150000 : 3000);
                send_marked(peers[side], MPB_PRIORITY_LOW, lens[side][i], (uint8_t)i, k & 1);
            }
            assert_int_equal(mpb_peer_flush(peers[side], &blocked, NULL), MPB_OK);
            assert_int_equal(inbox_read(&inboxes[1 - side], peers[1 - side], NULL), MPB_OK);
        }
    }
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < N_FRAMES; i++) {
            struct marks mark = {.len = 0};
            const struct mpb_rpc_sink sink = {.ctx = &mark, .message = note_mark};
            struct mpb_buffer *rpc = inboxes[1 - side].frames[i];
            assert_int_equal(mpb_rpc_parse(mpb_buffer_view(rpc), &sink), MPB_OK);
            assert_int_equal(mark.at[0], lens[side][i] > 0 ? i % 256 : '-');
            assert_true(rpc->len >= lens[side][i] + 20 && rpc->len <= lens[side][i] + 24);
        }
        assert_int_equal(mpb_peer_stats(peers[side])->bytes_out,
                         mpb_peer_stats(peers[1 - side])->bytes_in);
        inbox_clear(&inboxes[1 - side]);
    }
    mpb_peer_free(peers[0]);
    mpb_peer_free(peers[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bytes),      cmocka_unit_test(test_priorities),
        cmocka_unit_test(test_queues_overflow), cmocka_unit_test(test_gone),
        cmocka_unit_test(test_no_memory),       cmocka_unit_test(test_sites),
        cmocka_unit_test(test_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
