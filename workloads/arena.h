/* arena.h: memory of the harness itself, straight from the kernel, so that neither the measured
 * heap nor the allocator's totals ever see it. */
#ifndef MPB_WORKLOADS_ARENA_H
#define MPB_WORKLOADS_ARENA_H

#include "instrument/base.h"

MPB_BEGIN_DECLS

/* n_bytes of zeroed memory (at least 1); NULL when there is none. */
MPB_MUST_USE void *mpb_arena_map(size_t n_bytes);
/* The same, shared with processes forked later. */
MPB_MUST_USE void *mpb_arena_map_shared(size_t n_bytes);
void mpb_arena_unmap(void *ptr, size_t n_bytes); /* NULL is a no-op */

MPB_END_DECLS

#endif
