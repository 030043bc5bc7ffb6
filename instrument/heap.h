/* heap.h: the measured heap: every allocation of the code under test goes through here, and
 * nothing of the harness does. With probes off each call is malloc or free and nothing else. */
#ifndef MPB_INSTRUMENT_HEAP_H
#define MPB_INSTRUMENT_HEAP_H

#include <malloc.h>
#include <stdlib.h>

#include "instrument/probe.h"

MPB_BEGIN_DECLS

/* n_bytes of uninitialised memory, NULL when there is none. The caller frees it. */
MPB_MUST_USE static inline void *mpb_heap_alloc(size_t n_bytes)
{
    void *ptr = malloc(n_bytes);
    MPB_PROBE_ALLOC(ptr, n_bytes);
    return ptr;
}

/* Resize ptr (NULL: allocate) to n_bytes, more than 0; NULL when there is no memory, ptr is then
 * still valid. Counted as a free of the old size and an allocation of the new, as jemalloc's totals
 * do, and as one realloc. */
MPB_MUST_USE static inline void *mpb_heap_realloc(void *ptr, size_t n_bytes)
{
    MPB_PROBE_FREE(ptr);
    void *resized = realloc(ptr, n_bytes);
    MPB_PROBE_ALLOC(resized, n_bytes);
    MPB_PROBE_ADD(REALLOCS, ptr != NULL ? 1 : 0);
    return resized;
}

/* Free what the two above gave; NULL is a no-op. */
static inline void mpb_heap_free(void *ptr)
{
    MPB_PROBE_FREE(ptr);
    free(ptr);
}

/* Bytes that ptr, not NULL and given by the above, can hold: at least what was asked for. */
static inline size_t mpb_heap_usable_bytes(void *ptr)
{
    return malloc_usable_size(ptr);
}

MPB_END_DECLS

#endif
