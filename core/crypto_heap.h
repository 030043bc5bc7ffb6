/* crypto_heap.h: libcrypto allocates a context for every digest it begins (112 bytes for SHA-256
 * in 3.0), reused context or not. That is memory of the path under test, so it goes through the
 * measured heap like all of it: the counters then agree with the allocator's own totals. */
#ifndef MPB_CORE_CRYPTO_HEAP_H
#define MPB_CORE_CRYPTO_HEAP_H

#include "instrument/base.h"

MPB_BEGIN_DECLS

/* Route libcrypto's allocations through the measured heap, from its first one on. True if they go
 * there (also when called again); false if libcrypto had already allocated elsewhere. */
bool mpb_crypto_heap_use(void);

MPB_END_DECLS

#endif
