/* copy.c: deep copies, in a translation unit of their own (see copy.h). */
#include "core/copy.h"

#include <string.h>

#include "instrument/heap.h"

/* Copy `from` to *at, point *to there, and move *at behind it. */
static void place(struct mpb_bytes from, uint8_t **at, struct mpb_bytes *to)
{
    if (from.len > 0) {
        memcpy(*at, from.data, from.len);
    }
    *to = (struct mpb_bytes){*at, from.len};
    *at += from.len;
}

struct mpb_copy *mpb_copy_new(const struct mpb_msg *msg)
{
    size_t n_bytes = msg->payload.len + msg->content_topic.len + msg->meta.len + msg->proof.len;
    struct mpb_copy *copy = mpb_heap_alloc(sizeof(*copy) + n_bytes);
    if (copy == NULL) {
        return NULL;
    }
    copy->msg = *msg;
    uint8_t *at = (uint8_t *)(copy + 1);
    place(msg->payload, &at, &copy->msg.payload);
    place(msg->content_topic, &at, &copy->msg.content_topic);
    place(msg->meta, &at, &copy->msg.meta);
    place(msg->proof, &at, &copy->msg.proof);
    MPB_PROBE_ADD(COPIES, 1);
    MPB_PROBE_ADD(COPIED_BYTES, n_bytes);
    return copy;
}

void mpb_copy_free(struct mpb_copy *copy)
{
    mpb_heap_free(copy);
}

struct mpb_buffer *mpb_copy_bytes(struct mpb_bytes bytes)
{
    struct mpb_buffer *buffer = mpb_buffer_new(bytes.len);
    if (buffer == NULL) {
        return NULL;
    }
    if (bytes.len > 0) {
        memcpy(buffer->data, bytes.data, bytes.len);
    }
    MPB_PROBE_ADD(COPIES, 1);
    MPB_PROBE_ADD(COPIED_BYTES, bytes.len);
    return buffer;
}
