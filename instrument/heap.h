/* heap.h: the measured heap: every allocation of the code under test goes through here, and
 * nothing of the harness does. With probes off each call is malloc or free and nothing else. */
#ifndef MPB_INSTRUMENT_HEAP_H
#define MPB_INSTRUMENT_HEAP_H

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

/* Free what mpb_heap_alloc() gave; NULL is a no-op. */
static inline void mpb_heap_free(void *ptr)
{
    MPB_PROBE_FREE(ptr);
    free(ptr);
}

MPB_END_DECLS

#endif
