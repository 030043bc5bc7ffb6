/* copy.h: all copies that a memory model charges are made here, in a translation unit of their
 * own that is kept out of link-time optimisation: a compiler that sees malloc, memcpy and free
 * together deletes all three. A copy is one allocation and a memcpy of payload, content topic,
 * meta and proof (at push: of the whole push buffer). */
#ifndef MPB_CORE_COPY_H
#define MPB_CORE_COPY_H

#include "core/buffer.h"
#include "core/msg.h"

MPB_BEGIN_DECLS

/* Header and bytes in one allocation of the measured heap. */
struct mpb_copy {
    struct mpb_msg msg; /* its bytes lie behind this header */
};

/* Deep copy of msg. Counts 1 copy and the bytes moved (the header is not counted). NULL when out
 * of memory. The caller frees it. */
MPB_MUST_USE struct mpb_copy *mpb_copy_new(const struct mpb_msg *msg);
void mpb_copy_free(struct mpb_copy *copy); /* NULL is a no-op */

/* A copy of plain bytes (a push for one peer) in a buffer with one reference, counted alike; NULL
 * when out of memory. */
MPB_MUST_USE struct mpb_buffer *mpb_copy_bytes(struct mpb_bytes bytes);

MPB_END_DECLS

#endif
