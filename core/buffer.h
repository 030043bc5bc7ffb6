/* buffer.h: a reference-counted buffer of the measured heap: the bytes that arrived, or a push on
 * its way out. One node's thread owns all references (the count is not atomic). */
#ifndef MPB_CORE_BUFFER_H
#define MPB_CORE_BUFFER_H

#include "instrument/base.h"

MPB_BEGIN_DECLS

struct mpb_buffer {
    size_t n_refs;
    size_t len;
    uint8_t *data; /* data[len], in the same allocation */
};

/* A buffer of len bytes, uninitialised, with one reference; NULL when out of memory. */
MPB_MUST_USE struct mpb_buffer *mpb_buffer_new(size_t len);
struct mpb_buffer *mpb_buffer_ref(struct mpb_buffer *buffer);
void mpb_buffer_unref(struct mpb_buffer *buffer); /* NULL is a no-op */
/* All of its bytes, borrowed. */
static inline struct mpb_bytes mpb_buffer_view(const struct mpb_buffer *buffer)
{
    struct mpb_bytes bytes = {buffer->data, buffer->len};
    return bytes;
}

/* Bytes on their way out, in order head | data | tail, not joined. head and tail are short and
 * borrowed; data lies within buffer (NULL if data is empty), so whoever keeps it takes a reference.
 */
struct mpb_parts {
    struct mpb_bytes head, data, tail;
    struct mpb_buffer *buffer;
};

static inline size_t mpb_buffer_parts_len(const struct mpb_parts *parts)
{
    return parts->head.len + parts->data.len + parts->tail.len;
}

MPB_END_DECLS

#endif
