/* seen_cache.h: ids of messages seen in the last two minutes, so that a duplicate is dropped
 * before anything costly is done with it. Bounded: at its capacity the oldest id leaves early,
 * which is counted. Time is the node's (virtual) clock. */
#ifndef MPB_CORE_SEEN_CACHE_H
#define MPB_CORE_SEEN_CACHE_H

#include "core/msg.h"

MPB_BEGIN_DECLS

#define MPB_SEEN_CACHE_TTL_NS INT64_C(120000000000) /* nwaku: seenTTL, 2 min */

struct mpb_seen_cache;

/* Room for capacity ids (at least 1), allocated at once in the measured heap (site seen_cache).
 * MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_seen_cache_new(size_t capacity, struct mpb_seen_cache **out);
void mpb_seen_cache_free(struct mpb_seen_cache *cache); /* NULL is a no-op */
/* Was the id added at most one TTL ago? If not, it is now (its time now_ns); if so, its time stays
 * that of its first sighting. Ids whose time is up leave first. Cost: O(1) in the mean over calls,
 * allocates nothing. now_ns never goes back (a smaller one counts as the last). */
bool mpb_seen_cache_test_and_add(struct mpb_seen_cache *cache, const uint8_t id[MPB_MSG_HASH_LEN],
                                 int64_t now_ns);
/* Was the id added at most one TTL before now_ns? Changes nothing. */
bool mpb_seen_cache_has(const struct mpb_seen_cache *cache, const uint8_t id[MPB_MSG_HASH_LEN],
                        int64_t now_ns);
/* Ids it holds; those whose time is up count until the next call of the above. */
size_t mpb_seen_cache_len(const struct mpb_seen_cache *cache);
/* Ids that left before their time because the cache was full. */
uint64_t mpb_seen_cache_n_early(const struct mpb_seen_cache *cache);
/* Bytes the cache asked the measured heap for, whatever its length. */
size_t mpb_seen_cache_bytes(const struct mpb_seen_cache *cache);

MPB_END_DECLS

#endif
