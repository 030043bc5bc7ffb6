/* outbox.c: frames waiting to leave (see outbox.h). */
#include "core/outbox.h"

#include <assert.h>
#include <string.h>

#include "instrument/heap.h"

enum { PARTS_MAX = 3 }; /* of a frame */

static const size_t queue_limits[MPB_PRIORITY__COUNT] = {
    [MPB_PRIORITY_HIGH] = MPB_PEER_QUEUE_HIGH,
    [MPB_PRIORITY_MEDIUM] = MPB_PEER_QUEUE_MEDIUM,
    [MPB_PRIORITY_LOW] = MPB_PEER_QUEUE_LOW,
};

/* bytes[head_len], then data (which lives elsewhere, or is empty), then the tail_len bytes that
 * follow the head in bytes. */
struct mpb_outbox_frame {
    struct mpb_outbox_frame *next;
    struct mpb_buffer *buffer; /* what data lives in; NULL: nothing */
    struct mpb_bytes data;
    size_t head_len, tail_len;
    uint8_t bytes[];
};

static size_t frame_len(const struct mpb_outbox_frame *frame)
{
    return frame->head_len + frame->data.len + frame->tail_len;
}

static void free_frame(struct mpb_outbox_frame *frame)
{
    if (frame != NULL) {
        mpb_buffer_unref(frame->buffer);
        mpb_heap_free(frame);
    }
}

static void put(uint8_t *at, struct mpb_bytes bytes)
{
    if (bytes.len > 0) {
        memcpy(at, bytes.data, bytes.len);
    }
}

/* Joined: all of it is head. NULL: out of memory. */
static struct mpb_outbox_frame *new_frame(const struct mpb_parts *parts, bool join)
{
    size_t head_len = parts->head.len + (join ? parts->data.len : 0);
    size_t tail_len = parts->tail.len;
    struct mpb_outbox_frame *frame = mpb_heap_alloc(sizeof(*frame) + head_len + tail_len);
    if (frame == NULL) {
        return NULL;
    }
    *frame = (struct mpb_outbox_frame){.head_len = head_len, .tail_len = tail_len};
    put(frame->bytes, parts->head);
    put(frame->bytes + head_len, parts->tail);
    if (join) {
        put(frame->bytes + parts->head.len, parts->data);
        frame->head_len = head_len + tail_len;
        frame->tail_len = 0;
    } else if (parts->data.len > 0) {
        frame->buffer = mpb_buffer_ref(parts->buffer);
        frame->data = parts->data;
    }
    return frame;
}

static struct mpb_outbox_frame *pop(struct mpb_outbox_queue *queue)
{
    struct mpb_outbox_frame *frame = queue->first;
    queue->first = frame->next;
    queue->last = queue->first == NULL ? NULL : queue->last;
    queue->len--;
    return frame;
}

void mpb_outbox_fini(struct mpb_outbox *outbox)
{
    free_frame(outbox->outgoing);
    for (size_t p = 0; p < MPB_PRIORITY__COUNT; p++) {
        while (outbox->queues[p].first != NULL) {
            free_frame(pop(&outbox->queues[p]));
        }
    }
}

bool mpb_outbox_is_full(const struct mpb_outbox *outbox, enum mpb_priority priority)
{
    return outbox->queues[priority].len >= queue_limits[priority];
}

bool mpb_outbox_is_empty(const struct mpb_outbox *outbox)
{
    return outbox->bytes == 0;
}

enum mpb_status mpb_outbox_push(struct mpb_outbox *outbox, enum mpb_priority priority,
                                const struct mpb_parts *parts, bool join)
{
    struct mpb_outbox_queue *queue = &outbox->queues[priority];
    assert(parts->head.len + parts->data.len + parts->tail.len > 0);
    struct mpb_outbox_frame *frame = new_frame(parts, join);
    if (frame == NULL) {
        return MPB_E_NOMEM;
    }
    if (queue->last == NULL) {
        queue->first = frame;
    } else {
        queue->last->next = frame;
    }
    queue->last = frame;
    queue->len++;
    outbox->bytes += frame_len(frame);
    return MPB_OK;
}

/* Append bytes, less *n_skip of them, to iov[n_iov]; returns the new n_iov. */
static size_t add_part(struct iovec *iov, size_t n_iov, struct mpb_bytes bytes, size_t *n_skip)
{
    size_t n_here = bytes.len < *n_skip ? bytes.len : *n_skip;
    *n_skip -= n_here;
    if (bytes.len > n_here) {
        union {
            const uint8_t *in;
            void *out;
        } ptr = {bytes.data + n_here}; /* an iovec cannot say that it is only read */
        iov[n_iov].iov_base = ptr.out;
        iov[n_iov++].iov_len = bytes.len - n_here;
    }
    return n_iov;
}

static size_t add_frame(struct iovec *iov, size_t n_iov, const struct mpb_outbox_frame *frame,
                        size_t n_skip)
{
    struct mpb_bytes head = {frame->bytes, frame->head_len};
    struct mpb_bytes tail = {frame->bytes + frame->head_len, frame->tail_len};
    n_iov = add_part(iov, n_iov, head, &n_skip);
    n_iov = add_part(iov, n_iov, frame->data, &n_skip);
    return add_part(iov, n_iov, tail, &n_skip);
}

size_t mpb_outbox_peek(const struct mpb_outbox *outbox, struct iovec *iov, size_t cap)
{
    size_t n_iov = 0;
    if (outbox->outgoing != NULL) {
        n_iov = add_frame(iov, n_iov, outbox->outgoing, outbox->n_written);
    }
    for (size_t p = 0; p < MPB_PRIORITY__COUNT; p++) {
        const struct mpb_outbox_frame *frame = outbox->queues[p].first;
        for (; frame != NULL && n_iov + PARTS_MAX <= cap; frame = frame->next) {
            n_iov = add_frame(iov, n_iov, frame, 0);
        }
    }
    return n_iov;
}

/* The frame that leaves first; there is one. */
static struct mpb_outbox_frame *take_next(struct mpb_outbox *outbox)
{
    size_t p = 0;
    if (outbox->outgoing != NULL) {
        return outbox->outgoing;
    }
    while (outbox->queues[p].first == NULL) {
        p++;
    }
    return pop(&outbox->queues[p]);
}

size_t mpb_outbox_advance(struct mpb_outbox *outbox, size_t n_bytes)
{
    size_t n_finished = 0;
    while (n_bytes > 0) {
        struct mpb_outbox_frame *frame = take_next(outbox);
        size_t n_left = frame_len(frame) - outbox->n_written;
        if (n_bytes < n_left) {
            outbox->outgoing = frame;
            outbox->n_written += n_bytes;
            return n_finished;
        }
        n_bytes -= n_left;
        outbox->bytes -= frame_len(frame);
        outbox->outgoing = NULL;
        outbox->n_written = 0;
        free_frame(frame);
        n_finished++;
    }
    return n_finished;
}
