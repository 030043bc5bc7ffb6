/* test_outbox.c: which bytes leave, in which order, however few at a time. */
#include "core/outbox.h"

#include "core/tests/failing_heap.h"
#include "core/tests/path_fixture.h"

enum { IOV_MAX_LEN = 64, STREAM_MAX = 8192 };

struct stream {
    uint8_t bytes[STREAM_MAX];
    size_t len;
};

static void append(struct stream *stream, struct mpb_bytes bytes)
{
    assert_true(stream->len + bytes.len <= STREAM_MAX);
    if (bytes.len > 0) {
        memcpy(stream->bytes + stream->len, bytes.data, bytes.len);
    }
    stream->len += bytes.len;
}

/* A frame of the given parts' lengths, cut from the pool at i. */
static void push(struct mpb_outbox *outbox, enum mpb_priority priority, const size_t lens[3],
                 size_t i, bool join)
{
    const uint8_t *pool = fixture_pool() + i;
    struct mpb_buffer *buffer = NULL;
    struct mpb_parts parts = {{pool, lens[0]}, {0}, {pool + 1000, lens[2]}, NULL};
    if (lens[1] > 0) {
        buffer = fixture_arrive_bytes((struct mpb_bytes){pool + 500, lens[1]});
        parts.data = mpb_buffer_view(buffer);
        parts.buffer = buffer;
    }
    assert_int_equal(mpb_outbox_push(outbox, priority, &parts, join), MPB_OK);
    mpb_buffer_unref(buffer);
}

static void expect(struct stream *stream, const size_t lens[3], size_t i)
{
    const uint8_t *pool = fixture_pool() + i;
    append(stream, (struct mpb_bytes){pool, lens[0]});
    append(stream, (struct mpb_bytes){pool + 500, lens[1]});
    append(stream, (struct mpb_bytes){pool + 1000, lens[2]});
}

/* Send at most n_bytes into the stream; returns the frames that finished. */
static size_t leave(struct mpb_outbox *outbox, size_t n_bytes, size_t iov_cap,
                    struct stream *stream)
{
    struct iovec iov[IOV_MAX_LEN];
    size_t n_iov = mpb_outbox_peek(outbox, iov, iov_cap), n_sent = 0;
    assert_true(n_iov <= iov_cap);
    for (size_t i = 0; i < n_iov && n_sent < n_bytes; i++) {
        assert_true(iov[i].iov_len > 0);
        size_t n = iov[i].iov_len < n_bytes - n_sent ? iov[i].iov_len : n_bytes - n_sent;
        append(stream, (struct mpb_bytes){iov[i].iov_base, n});
        n_sent += n;
    }
    return mpb_outbox_advance(outbox, n_sent);
}

/* Frames with and without each part, in the order in which they leave. */
static const struct {
    enum mpb_priority priority;
    size_t lens[3];
} frames[] = {
    {MPB_PRIORITY_HIGH, {3, 0, 0}},   {MPB_PRIORITY_HIGH, {0, 0, 2}},
    {MPB_PRIORITY_HIGH, {3, 20, 4}},  {MPB_PRIORITY_MEDIUM, {1, 0, 1}},
    {MPB_PRIORITY_MEDIUM, {0, 9, 0}}, {MPB_PRIORITY_MEDIUM, {5, 1, 0}},
    {MPB_PRIORITY_LOW, {0, 3, 7}},    {MPB_PRIORITY_LOW, {11, 16, 5}},
};

static void check_leaves(size_t n_bytes, size_t iov_cap, bool join)
{
    struct mpb_outbox outbox = {0};
    static struct stream expected, sent;
    size_t n_finished = 0;
    expected.len = sent.len = 0;
    assert_true(mpb_outbox_is_empty(&outbox));
    for (size_t f = 0; f < MPB_ARRAY_LEN(frames); f++) {
        expect(&expected, frames[f].lens, f);
    }
    for (size_t p = MPB_PRIORITY__COUNT; p > 0; p--) { /* low priority is queued first */
        for (size_t f = 0; f < MPB_ARRAY_LEN(frames); f++) {
            if (frames[f].priority == p - 1) {
                push(&outbox, frames[f].priority, frames[f].lens, f, join);
            }
        }
    }
    assert_int_equal(outbox.bytes, expected.len);
    for (size_t calls = 0; !mpb_outbox_is_empty(&outbox); calls++) {
        assert_true(calls < 200);
        n_finished += leave(&outbox, n_bytes, iov_cap, &sent);
    }
    assert_int_equal(n_finished, MPB_ARRAY_LEN(frames));
    assert_int_equal(sent.len, expected.len);
    assert_memory_equal(sent.bytes, expected.bytes, sent.len);
    mpb_outbox_fini(&outbox);
}

static void test_every_piece(void **state)
{
    (void)state;
    int64_t live = fixture_live_bytes();
    for (size_t n_bytes = 1; n_bytes <= 100; n_bytes++) {
        for (size_t iov_cap = 3; iov_cap <= IOV_MAX_LEN; iov_cap++) {
            check_leaves(n_bytes, iov_cap, false);
            check_leaves(n_bytes, iov_cap, true);
        }
    }
    assert_int_equal(fixture_live_bytes(), live);
}

/* Whatever part of a low frame has left, high frames that come then wait for its rest only. */
static void test_no_frame_within_a_frame(void **state)
{
    (void)state;
    static const size_t low[3] = {4, 30, 6}, high[3] = {2, 10, 0}, medium[3] = {7, 0, 0};
    for (size_t n_gone = 0; n_gone <= 40; n_gone++) {
        struct mpb_outbox outbox = {0};
        struct stream expected = {.len = 0}, sent = {.len = 0};
        bool is_begun = n_gone > 0 && n_gone < 40;
        push(&outbox, MPB_PRIORITY_LOW, low, 1, false);
        push(&outbox, MPB_PRIORITY_LOW, low, 2, false);
        assert_int_equal(leave(&outbox, n_gone, IOV_MAX_LEN, &sent), n_gone == 40);
        assert_int_equal(outbox.queues[MPB_PRIORITY_LOW].len, n_gone == 0 ? 2 : 1);
        assert_int_equal(outbox.bytes, n_gone == 40 ? 40 : 80);
        push(&outbox, MPB_PRIORITY_MEDIUM, medium, 3, false);
        push(&outbox, MPB_PRIORITY_HIGH, high, 4, false);
        if (is_begun || n_gone == 40) {
            expect(&expected, low, 1);
        }
        expect(&expected, high, 4);
        expect(&expected, medium, 3);
        if (n_gone == 0) {
            expect(&expected, low, 1);
        }
        expect(&expected, low, 2);
        while (!mpb_outbox_is_empty(&outbox)) {
            leave(&outbox, 11, 5, &sent);
        }
        assert_int_equal(sent.len, expected.len);
        assert_memory_equal(sent.bytes, expected.bytes, sent.len);
    }
}

static void test_limits(void **state)
{
    (void)state;
    static const size_t limits[] = {256, 512, 1024}, lens[3] = {5, 0, 0};
    struct mpb_outbox outbox = {0};
    static struct stream sent;
    sent.len = 0;
    for (size_t p = 0; p < MPB_PRIORITY__COUNT; p++) {
        for (size_t i = 0; i < limits[p]; i++) {
            assert_false(mpb_outbox_is_full(&outbox, (enum mpb_priority)p));
            push(&outbox, (enum mpb_priority)p, lens, i, true);
        }
        assert_true(mpb_outbox_is_full(&outbox, (enum mpb_priority)p));
    }
    assert_int_equal(leave(&outbox, 1, IOV_MAX_LEN, &sent), 0);
    assert_false(mpb_outbox_is_full(&outbox, MPB_PRIORITY_HIGH)); /* that one is on its way */
    assert_true(mpb_outbox_is_full(&outbox, MPB_PRIORITY_MEDIUM));
    mpb_outbox_fini(&outbox);
}

/* Scattered: a reference, until the frame has left; joined: none. One allocation either way. */
static void test_references(void **state)
{
    (void)state;
    struct mpb_outbox outbox = {0};
    struct mpb_buffer *buffer = fixture_arrive_bytes((struct mpb_bytes){fixture_pool(), 50});
    struct mpb_parts parts = {MPB_BYTES_OF("head"), mpb_buffer_view(buffer), MPB_BYTES_OF("tail"),
                              buffer};
    static struct stream sent;
    sent.len = 0;
    mpb_probe_reset();
    assert_int_equal(mpb_outbox_push(&outbox, MPB_PRIORITY_LOW, &parts, false), MPB_OK);
    assert_int_equal(buffer->n_refs, 2);
    assert_int_equal(mpb_outbox_push(&outbox, MPB_PRIORITY_LOW, &parts, true), MPB_OK);
    assert_int_equal(buffer->n_refs, 2);
    assert_int_equal(fixture_total(MPB_METRIC_ALLOCS), 2);
    assert_int_equal(fixture_total(MPB_METRIC_COPIES) + fixture_total(MPB_METRIC_ENCODES), 0);
    assert_int_equal(leave(&outbox, 57, IOV_MAX_LEN, &sent), 0);
    assert_int_equal(buffer->n_refs, 2);
    assert_int_equal(leave(&outbox, 1, IOV_MAX_LEN, &sent), 1);
    assert_int_equal(buffer->n_refs, 1);
    memset(buffer->data, 0, buffer->len); /* the joined one has its own bytes */
    assert_int_equal(leave(&outbox, 58, IOV_MAX_LEN, &sent), 1);
    assert_memory_equal(sent.bytes, sent.bytes + 58, 58);
    assert_int_equal(fixture_total(MPB_METRIC_FREES), 2);
    assert_int_equal(mpb_outbox_push(&outbox, MPB_PRIORITY_LOW, &parts, false), MPB_OK);
    mpb_outbox_fini(&outbox);
    assert_int_equal(buffer->n_refs, 1);
    mpb_buffer_unref(buffer);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct mpb_outbox outbox = {0};
    struct mpb_buffer *buffer = mpb_buffer_new(50);
    struct mpb_parts parts = {{0}, mpb_buffer_view(buffer), {0}, buffer};
    for (int join = 0; join <= 1; join++) {
        failing_heap_at(1);
        assert_int_equal(mpb_outbox_push(&outbox, MPB_PRIORITY_LOW, &parts, join), MPB_E_NOMEM);
        failing_heap_at(0);
        assert_true(mpb_outbox_is_empty(&outbox));
        assert_int_equal(buffer->n_refs, 1);
    }
    mpb_buffer_unref(buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_piece), cmocka_unit_test(test_no_frame_within_a_frame),
        cmocka_unit_test(test_limits),      cmocka_unit_test(test_references),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
