/* buffer.c: header and bytes of a buffer in one allocation. */
#include "core/buffer.h"

#include "instrument/heap.h"

struct mpb_buffer *mpb_buffer_new(size_t len)
{
    struct mpb_buffer *buffer = mpb_heap_alloc(sizeof(*buffer) + len);
    if (buffer != NULL) {
        buffer->n_refs = 1;
        buffer->len = len;
        buffer->data = (uint8_t *)(buffer + 1);
    }
    return buffer;
}

struct mpb_buffer *mpb_buffer_ref(struct mpb_buffer *buffer)
{
    buffer->n_refs++;
    return buffer;
}

void mpb_buffer_unref(struct mpb_buffer *buffer)
{
    if (buffer != NULL && --buffer->n_refs == 0) {
        mpb_heap_free(buffer);
    }
}
