/* allocator.h: cumulative bytes of the calling thread from the allocator itself.
 *
 * jemalloc keeps two 64-bit totals a thread, exact, in usable (size class) bytes; reading them is
 * one load each, so the timed worker may. They see every malloc of the thread, the measured
 * heap's and all others: a difference between two readings belongs to what ran between them.
 * Under a sanitizer, or when malloc was replaced, the totals do not move: _open() tests that. */
#ifndef MPB_INSTRUMENT_ALLOCATOR_H
#define MPB_INSTRUMENT_ALLOCATOR_H

#include "instrument/status.h"

MPB_BEGIN_DECLS

/* Valid in the thread that opened it, until that thread ends. */
struct mpb_allocator {
    const uint64_t *allocated, *deallocated;
};

struct mpb_allocator_totals {
    uint64_t allocated_bytes, freed_bytes;
};

/* Find this thread's totals and prove that an allocation moves them.
 * MPB_E_UNAVAILABLE with the reason when they cannot be trusted. Allocates and frees once. */
MPB_MUST_USE enum mpb_status mpb_allocator_open(struct mpb_allocator *out, struct mpb_error *err);
struct mpb_allocator_totals mpb_allocator_read(const struct mpb_allocator *allocator);

/* "jemalloc 5.3.0-0-g..." or "sanitizer's malloc". Never NULL. */
const char *mpb_allocator_version(void);

MPB_END_DECLS

#endif
