/* test_peer.c: frames in: however the bytes arrive, what must be refused, and who closes how. */
#include "core/peer.h"

#include "core/tests/failing_heap.h"
#include "core/tests/socket_fixture.h"

struct stream {
    uint8_t *bytes;
    size_t len;
    size_t lens[300], n_frames; /* the RPCs' lengths */
};

/* Bytes of frame i: any, but each frame's its own. */
static const uint8_t *frame_bytes(size_t i)
{
    return fixture_pool() + 64 * i;
}

/* The frames with RPCs of these lengths, one behind the other. */
static struct stream stream_of(const size_t *lens, size_t n_frames)
{
    struct stream stream = {.n_frames = n_frames};
    size_t cap = 0;
    for (size_t i = 0; i < n_frames; i++) {
        cap += lens[i] + MPB_RPC_LENGTH_MAX;
    }
    stream.bytes = test_malloc(cap);
    for (size_t i = 0; i < n_frames; i++) {
        size_t len = stream.lens[i] = lens[i];
        for (; len >= 0x80; len >>= 7) {
            stream.bytes[stream.len++] = (uint8_t)(len | 0x80);
        }
        stream.bytes[stream.len++] = (uint8_t)len;
        memcpy(stream.bytes + stream.len, frame_bytes(i), lens[i]);
        stream.len += lens[i];
    }
    return stream;
}

static void check_inbox(struct inbox *inbox, const struct stream *stream)
{
    assert_int_equal(inbox->n_frames, stream->n_frames);
    for (size_t i = 0; i < inbox->n_frames; i++) {
        assert_int_equal(inbox->frames[i]->len, stream->lens[i]);
        assert_memory_equal(inbox->frames[i]->data, frame_bytes(i), stream->lens[i]);
    }
    inbox_clear(inbox);
}

static const size_t mixed[] = {0, 1, 5, 127, 128, 0, 0, 300, 1030, 2};

/* Cut in two at every byte, and into pieces of every length. */
static void test_every_cut(void **state)
{
    (void)state;
    struct stream stream = stream_of(mixed, MPB_ARRAY_LEN(mixed));
    struct inbox inbox = {.n_frames = 0};
    struct mpb_peer *peer = NULL;
    int far = socket_peer(false, MPB_RPC_FRAME_MAX, &peer);
    for (size_t cut = 1; cut < stream.len; cut++) {
        socket_write(far, (struct mpb_bytes){stream.bytes, cut});
        assert_int_equal(inbox_read(&inbox, peer, NULL), MPB_OK);
        socket_write(far, (struct mpb_bytes){stream.bytes + cut, stream.len - cut});
        assert_int_equal(inbox_read(&inbox, peer, NULL), MPB_OK);
        check_inbox(&inbox, &stream);
    }
    for (size_t piece = 1; piece < stream.len; piece += piece < 140 ? 1 : 97) {
        for (size_t at = 0; at < stream.len; at += piece) {
            size_t n = stream.len - at < piece ? stream.len - at : piece;
            socket_write(far, (struct mpb_bytes){stream.bytes + at, n});
            assert_int_equal(inbox_read(&inbox, peer, NULL), MPB_OK);
        }
        check_inbox(&inbox, &stream);
        assert_int_equal(mpb_peer_partial_in(peer), 0);
    }
    assert_int_equal(mpb_peer_stats(peer)->bytes_in % stream.len, 0);
    assert_int_equal(mpb_peer_stats(peer)->frames_in,
                     mpb_peer_stats(peer)->bytes_in / stream.len * stream.n_frames);
    mpb_peer_free(peer);
    close(far);
    test_free(stream.bytes);
}

static void test_large_frames(void **state)
{
    (void)state;
    static const size_t lens[] = {MPB_RPC_FRAME_MAX, 65000, 10, 65536, MPB_RPC_FRAME_MAX, 0, 1025};
    struct stream stream = stream_of(lens, MPB_ARRAY_LEN(lens));
    struct inbox inbox = {.n_frames = 0};
    struct mpb_peer *peer = NULL;
    for (int is_tcp = 0; is_tcp <= 1; is_tcp++) {
        int far = socket_peer(is_tcp, MPB_RPC_FRAME_MAX, &peer);
        for (size_t at = 0; at < stream.len || inbox.n_frames < stream.n_frames;) {
            ssize_t n = send(far, stream.bytes + at, stream.len - at, MSG_NOSIGNAL);
            at += n > 0 ? (size_t)n : 0;
            socket_await(mpb_peer_fd(peer));
            assert_int_equal(inbox_read(&inbox, peer, NULL), MPB_OK);
        }
        assert_int_equal(mpb_peer_stats(peer)->bytes_in, stream.len);
        check_inbox(&inbox, &stream);
        mpb_peer_free(peer);
        close(far);
    }
    test_free(stream.bytes);
}

/* One frame a call, as many calls as frames; only then blocked. */
static void test_max_frames(void **state)
{
    (void)state;
    struct stream stream = stream_of(mixed, MPB_ARRAY_LEN(mixed));
    struct inbox inbox = {.n_frames = 0};
    struct mpb_peer *peer = NULL;
    int far = socket_peer(false, MPB_RPC_FRAME_MAX, &peer);
    bool blocked = true;
    socket_write(far, (struct mpb_bytes){stream.bytes, stream.len});
    assert_int_equal(mpb_peer_read(peer, 0, inbox_take, &inbox, &blocked, NULL), MPB_OK);
    assert_false(blocked);
    for (size_t i = 0; i < stream.n_frames; i++) {
        assert_int_equal(mpb_peer_read(peer, 1, inbox_take, &inbox, &blocked, NULL), MPB_OK);
        assert_false(blocked);
        assert_int_equal(inbox.n_frames, i + 1);
    }
    assert_int_equal(mpb_peer_read(peer, 1, inbox_take, &inbox, &blocked, NULL), MPB_OK);
    assert_true(blocked);
    check_inbox(&inbox, &stream);
    mpb_peer_free(peer);
    close(far);
    test_free(stream.bytes);
}

static void check_refused(const char *prefix, size_t len, size_t frame_max,
                          enum mpb_status expected)
{
    struct inbox inbox = {.n_frames = 0};
    struct mpb_peer *peer = NULL;
    struct mpb_error err = {0};
    int far = socket_peer(false, frame_max, &peer);
    int64_t live = fixture_live_bytes();
    socket_write(far, MPB_BYTES_OF("\x03one"));
    socket_write(far, (struct mpb_bytes){(const uint8_t *)prefix, len});
    for (size_t i = 0; i < 3; i++) { /* and so it stays */
        assert_int_equal(inbox_read(&inbox, peer, &err), expected);
        assert_int_equal(err.status, expected);
        assert_int_equal(inbox.n_frames, 1);
        socket_write(far, MPB_BYTES_OF("\x03two"));
    }
    inbox_clear(&inbox);
    assert_int_equal(fixture_live_bytes(), live);
    mpb_peer_free(peer);
    close(far);
}

static void test_bad_lengths(void **state)
{
    (void)state;
    check_refused("\x81\xb0\x09", 3, MPB_RPC_FRAME_MAX, MPB_E_VARINT_RANGE);
    check_refused("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10, MPB_RPC_FRAME_MAX,
                  MPB_E_VARINT_RANGE);
    check_refused("\xff\xff\xff", 3, MPB_RPC_FRAME_MAX, MPB_E_VARINT_RANGE);
    check_refused("\x83\x00", 2, MPB_RPC_FRAME_MAX, MPB_E_OVERLONG_VARINT);
    check_refused("\x83\x80\x00", 3, MPB_RPC_FRAME_MAX, MPB_E_OVERLONG_VARINT);
    check_refused("\x65", 1, 100, MPB_E_VARINT_RANGE);
    check_refused("\x80\x01", 2, 100, MPB_E_VARINT_RANGE);
}

static void test_frame_max_itself(void **state)
{
    (void)state;
    static const size_t lens[] = {100, 99};
    struct stream stream = stream_of(lens, 2);
    struct inbox inbox = {.n_frames = 0};
    struct mpb_peer *peer = NULL;
    int far = socket_peer(false, 100, &peer);
    socket_write(far, (struct mpb_bytes){stream.bytes, stream.len});
    assert_int_equal(inbox_read(&inbox, peer, NULL), MPB_OK);
    check_inbox(&inbox, &stream);
    mpb_peer_free(peer);
    close(far);
    test_free(stream.bytes);
}

/* Closed after every byte of two frames: what was whole came, the rest is said and given back. */
static void test_closes(void **state)
{
    (void)state;
    static const size_t lens[] = {200, 150};
    struct stream stream = stream_of(lens, 2);
    int64_t live = fixture_live_bytes();
    for (size_t len = 0; len <= stream.len; len++) {
        struct inbox inbox = {.n_frames = 0};
        struct mpb_peer *peer = NULL;
        struct mpb_error err = {0};
        int far = socket_peer(false, MPB_RPC_FRAME_MAX, &peer);
        size_t n_whole = len >= stream.len ? 2 : len >= 202;
        socket_write(far, (struct mpb_bytes){stream.bytes, len});
        close(far);
        while (inbox_read(&inbox, peer, &err) == MPB_OK) {
        }
        assert_int_equal(err.status, MPB_E_INCOMPLETE);
        assert_int_equal(inbox.n_frames, n_whole);
        assert_int_equal(mpb_peer_partial_in(peer), len - n_whole * 202 + (n_whole == 2 ? 50 : 0));
        assert_int_equal(strstr(err.text, "middle") != NULL, mpb_peer_partial_in(peer) > 0);
        assert_int_equal(mpb_peer_stats(peer)->bytes_in, len);
        mpb_peer_free(peer);
        inbox_clear(&inbox);
        assert_int_equal(fixture_live_bytes(), live);
    }
    test_free(stream.bytes);
}

static void test_reset(void **state)
{
    (void)state;
    struct inbox inbox = {.n_frames = 0};
    struct mpb_peer *peer = NULL;
    struct mpb_error err = {0};
    const struct linger at_once = {.l_onoff = 1};
    int far = socket_peer(true, MPB_RPC_FRAME_MAX, &peer);
    socket_write(far, MPB_BYTES_OF("\x05on"));
    socket_await(mpb_peer_fd(peer));
    assert_int_equal(inbox_read(&inbox, peer, &err), MPB_OK);
    assert_int_equal(mpb_peer_partial_in(peer), 3);
    assert_int_equal(setsockopt(far, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), 0);
    close(far);
    socket_await(mpb_peer_fd(peer));
    assert_int_equal(inbox_read(&inbox, peer, &err), MPB_E_IO);
    assert_int_equal(err.sys_errno, ECONNRESET);
    mpb_peer_free(peer);
}

/* What the handler returns is returned; reading goes on behind that frame. */
static void test_handler_stops(void **state)
{
    (void)state;
    struct stream stream = stream_of(mixed, MPB_ARRAY_LEN(mixed));
    struct inbox inbox = {.status = MPB_E_REJECTED};
    struct mpb_peer *peer = NULL;
    int far = socket_peer(false, MPB_RPC_FRAME_MAX, &peer);
    socket_write(far, (struct mpb_bytes){stream.bytes, stream.len});
    for (size_t i = 0; i < stream.n_frames; i++) {
        assert_int_equal(inbox_read(&inbox, peer, NULL), MPB_E_REJECTED);
    }
    assert_int_equal(inbox_read(&inbox, peer, NULL), MPB_OK);
    check_inbox(&inbox, &stream);
    mpb_peer_free(peer);
    close(far);
    test_free(stream.bytes);
}

/* Each frame is one allocation of its own length, at the transport's site, whatever site the
 * handler left behind. */
static void test_memory(void **state)
{
    (void)state;
    struct stream stream = stream_of(mixed, MPB_ARRAY_LEN(mixed));
    struct inbox inbox = {.n_frames = 0};
    struct mpb_peer *peer = NULL;
    struct mpb_probe_counts counts;
    size_t bytes = 0;
    int64_t live = fixture_live_bytes();
    int far = socket_peer(false, MPB_RPC_FRAME_MAX, &peer);
    for (size_t i = 0; i < MPB_ARRAY_LEN(mixed); i++) {
        bytes += mixed[i] + sizeof(struct mpb_buffer);
    }
    socket_write(far, (struct mpb_bytes){stream.bytes, stream.len});
    MPB_PROBE_SITE(MPB_SITE_APP);
    mpb_probe_reset();
    assert_int_equal(inbox_read(&inbox, peer, NULL), MPB_OK);
    mpb_probe_read(&counts);
    assert_int_equal(counts.at[MPB_SITE_TRANSPORT][MPB_METRIC_ALLOCS], stream.n_frames);
    assert_int_equal(counts.at[MPB_SITE_TRANSPORT][MPB_METRIC_REQUESTED_BYTES], bytes);
    assert_int_equal(mpb_probe_total(&counts, MPB_METRIC_ALLOCS), stream.n_frames);
    check_inbox(&inbox, &stream);
    mpb_peer_free(peer);
    assert_int_equal(fixture_live_bytes(), live);
    close(far);
    test_free(stream.bytes);
}

/* Fail each allocation once: nothing is lost, reading again goes on where it was. */
static void test_no_memory(void **state)
{
    (void)state;
    struct stream stream = stream_of(mixed, MPB_ARRAY_LEN(mixed));
    struct inbox inbox = {.n_frames = 0};
    struct mpb_peer *peer = NULL;
    struct mpb_error err = {0};
    failing_heap_at(1);
    assert_int_equal(mpb_peer_new(0, MPB_RPC_FRAME_MAX, &peer), MPB_E_NOMEM);
    failing_heap_at(0);
    assert_null(peer);
    int far = socket_peer(false, MPB_RPC_FRAME_MAX, &peer);
    socket_write(far, (struct mpb_bytes){stream.bytes, stream.len});
    for (size_t i = 0; i < stream.n_frames; i++) {
        bool blocked = true;
        failing_heap_at(1);
        assert_int_equal(inbox_read(&inbox, peer, &err), MPB_E_NOMEM);
        failing_heap_at(0);
        assert_int_equal(err.status, MPB_E_NOMEM);
        assert_int_equal(inbox.n_frames, i);
        assert_int_equal(mpb_peer_read(peer, 1, inbox_take, &inbox, &blocked, NULL), MPB_OK);
    }
    check_inbox(&inbox, &stream);
    mpb_peer_free(peer);
    mpb_peer_free(NULL);
    close(far);
    test_free(stream.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_large_frames),
        cmocka_unit_test(test_max_frames),
        cmocka_unit_test(test_bad_lengths),
        cmocka_unit_test(test_frame_max_itself),
        cmocka_unit_test(test_closes),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_handler_stops),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
