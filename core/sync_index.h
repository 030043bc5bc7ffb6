/* sync_index.h: what store-sync remembers of each message: (time, hash), in order, so that two
 * nodes can compare ranges by fingerprint. Duplicates are ignored; it only grows. */
#ifndef MPB_CORE_SYNC_INDEX_H
#define MPB_CORE_SYNC_INDEX_H

#include "core/timeline.h"

MPB_BEGIN_DECLS

#define MPB_SYNC_INDEX_PRESIZE 50000 /* nwaku: DefaultStorageCap, a pre-size, not a limit */

/* Zero-initialised is empty; _init makes room for MPB_SYNC_INDEX_PRESIZE keys. */
struct mpb_sync_index {
    struct mpb_timeline timeline; /* values are NULL */
};

MPB_MUST_USE enum mpb_status mpb_sync_index_init(struct mpb_sync_index *index);
void mpb_sync_index_fini(struct mpb_sync_index *index);
/* Note a key; a known one is ignored. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_sync_index_insert(struct mpb_sync_index *index,
                                                   const struct mpb_key *key);
size_t mpb_sync_index_len(const struct mpb_sync_index *index);
/* XOR of the hashes of all keys with from <= key < to. Cost: O(keys in range). */
void mpb_sync_index_fingerprint(const struct mpb_sync_index *index, const struct mpb_key *from,
                                const struct mpb_key *to, uint8_t out[MPB_MSG_HASH_LEN]);

MPB_END_DECLS

#endif
