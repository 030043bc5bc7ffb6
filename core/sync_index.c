/* sync_index.c: the ordered keys of store-sync. */
#include "core/sync_index.h"

#include <string.h>

enum mpb_status mpb_sync_index_init(struct mpb_sync_index *index)
{
    return mpb_timeline_init(&index->timeline, MPB_SYNC_INDEX_PRESIZE);
}

void mpb_sync_index_fini(struct mpb_sync_index *index)
{
    mpb_timeline_fini(&index->timeline);
}

enum mpb_status mpb_sync_index_insert(struct mpb_sync_index *index, const struct mpb_key *key)
{
    size_t pos = 0;
    if (mpb_timeline_find(&index->timeline, key, &pos)) {
        return MPB_OK;
    }
    return mpb_timeline_insert(&index->timeline, pos, key, NULL);
}

size_t mpb_sync_index_len(const struct mpb_sync_index *index)
{
    return index->timeline.len;
}

void mpb_sync_index_fingerprint(const struct mpb_sync_index *index, const struct mpb_key *from,
                                const struct mpb_key *to, uint8_t out[MPB_MSG_HASH_LEN])
{
    size_t first = 0, end = 0;
    mpb_timeline_find(&index->timeline, from, &first);
    mpb_timeline_find(&index->timeline, to, &end);
    memset(out, 0, MPB_MSG_HASH_LEN);
    for (size_t i = first; i < end; i++) {
        const uint8_t *hash = mpb_timeline_key(&index->timeline, i)->hash;
        for (size_t b = 0; b < MPB_MSG_HASH_LEN; b++) {
            out[b] ^= hash[b];
        }
    }
}
