/* seen_cache.c: the ids in a ring, oldest first, and a table of places in that ring, found by
 * linear probing. The table is at most half full, and a removal moves later places back, so that
 * there are never gravestones to walk over. */
#include "core/seen_cache.h"

#include <assert.h>
#include <string.h>

#include "core/id_hash.h"
#include "instrument/heap.h"

struct seen {
    uint8_t id[MPB_MSG_HASH_LEN];
    int64_t time_ns;
};

struct mpb_seen_cache {
    size_t capacity, oldest, len; /* of the ring */
    size_t n_places;              /* of the table, a power of two */
    size_t bytes;
    int64_t now_ns;
    uint64_t n_early;
    struct seen *ring;
    uint32_t *table; /* 1 + index into the ring; 0: free */
};

enum mpb_status mpb_seen_cache_new(size_t capacity, struct mpb_seen_cache **out)
{
    assert(capacity > 0);
    if (capacity > UINT32_MAX / 4) {
        return MPB_E_NOMEM;
    }
    size_t n_places = 2;
    while (n_places < 2 * capacity) {
        n_places *= 2;
    }
    size_t bytes = sizeof(struct mpb_seen_cache) + capacity * sizeof(struct seen) +
                   n_places * sizeof(uint32_t);
    MPB_PROBE_SITE(MPB_SITE_SEEN_CACHE);
    struct mpb_seen_cache *cache = mpb_heap_alloc(bytes);
    if (cache == NULL) {
        return MPB_E_NOMEM;
    }
    struct seen *ring = (struct seen *)(cache + 1);
    *cache = (struct mpb_seen_cache){
        .capacity = capacity,
        .n_places = n_places,
        .bytes = bytes,
        .now_ns = INT64_MIN,
        .ring = ring,
        .table = (uint32_t *)(ring + capacity),
    };
    memset(cache->table, 0, n_places * sizeof(*cache->table));
    *out = cache;
    return MPB_OK;
}

void mpb_seen_cache_free(struct mpb_seen_cache *cache)
{
    MPB_PROBE_SITE(MPB_SITE_SEEN_CACHE);
    mpb_heap_free(cache);
}

/* Where an id's search begins. */
static size_t home_of(const struct mpb_seen_cache *cache, const uint8_t *id)
{
    return (size_t)mpb__id_hash(id) & (cache->n_places - 1);
}

/* The id's place, or the free one where it belongs. */
static size_t find(const struct mpb_seen_cache *cache, const uint8_t *id)
{
    size_t place = home_of(cache, id);
    while (cache->table[place] != 0 &&
           memcmp(cache->ring[cache->table[place] - 1].id, id, MPB_MSG_HASH_LEN) != 0) {
        place = (place + 1) & (cache->n_places - 1);
    }
    return place;
}

/* Free a place, and move back into the gap what was pushed past it. */
static void remove_place(struct mpb_seen_cache *cache, size_t gap)
{
    size_t mask = cache->n_places - 1;
    for (size_t at = (gap + 1) & mask; cache->table[at] != 0; at = (at + 1) & mask) {
        size_t home = home_of(cache, cache->ring[cache->table[at] - 1].id);
        if (((at - home) & mask) >= ((at - gap) & mask)) {
            cache->table[gap] = cache->table[at];
            gap = at;
        }
    }
    cache->table[gap] = 0;
}

static void remove_oldest(struct mpb_seen_cache *cache)
{
    remove_place(cache, find(cache, cache->ring[cache->oldest].id));
    cache->oldest = cache->oldest + 1 < cache->capacity ? cache->oldest + 1 : 0;
    cache->len--;
}

/* Is the time of the id in the ring's slot up? now_ns is not before the slot's time. */
static bool is_due(const struct mpb_seen_cache *cache, size_t slot, int64_t now_ns)
{
    /* Times only grow, so the unsigned difference is right even where the signed one overflows. */
    uint64_t age_ns = (uint64_t)now_ns - (uint64_t)cache->ring[slot].time_ns;
    return age_ns > (uint64_t)MPB_SEEN_CACHE_TTL_NS;
}

bool mpb_seen_cache_has(const struct mpb_seen_cache *cache, const uint8_t id[MPB_MSG_HASH_LEN],
                        int64_t now_ns)
{
    uint32_t found = cache->table[find(cache, id)];
    return found != 0 && !is_due(cache, found - 1, now_ns > cache->now_ns ? now_ns : cache->now_ns);
}

bool mpb_seen_cache_test_and_add(struct mpb_seen_cache *cache, const uint8_t id[MPB_MSG_HASH_LEN],
                                 int64_t now_ns)
{
    cache->now_ns = now_ns > cache->now_ns ? now_ns : cache->now_ns;
    while (cache->len > 0 && is_due(cache, cache->oldest, cache->now_ns)) {
        remove_oldest(cache);
    }
    size_t place = find(cache, id);
    if (cache->table[place] != 0) {
        return true;
    }
    if (cache->len == cache->capacity) {
        remove_oldest(cache);
        cache->n_early++;
        place = find(cache, id); /* the removal may have moved the free place */
    }
    size_t newest = cache->oldest + cache->len;
    newest = newest < cache->capacity ? newest : newest - cache->capacity;
    memcpy(cache->ring[newest].id, id, MPB_MSG_HASH_LEN);
    cache->ring[newest].time_ns = cache->now_ns;
    cache->table[place] = (uint32_t)newest + 1;
    cache->len++;
    return false;
}

size_t mpb_seen_cache_len(const struct mpb_seen_cache *cache)
{
    return cache->len;
}

uint64_t mpb_seen_cache_n_early(const struct mpb_seen_cache *cache)
{
    return cache->n_early;
}

size_t mpb_seen_cache_bytes(const struct mpb_seen_cache *cache)
{
    return cache->bytes;
}
