/* message_cache.c: an entry a message, in a list for its window and in a chained table for its id.
 * The table doubles before it holds more entries than chains, and never shrinks. */
#include "core/message_cache.h"

#include <string.h>

#include "core/id_hash.h"
#include "instrument/heap.h"

enum { CHAINS_AT_FIRST = 64 }; /* a power of two */

struct entry {
    struct entry *next_in_window, *next_in_chain;
    struct mpb_parts message; /* head and tail lie in bytes */
    uint8_t id[MPB_MSG_HASH_LEN];
    uint8_t bytes[];
};

/* In order of arrival. */
struct window {
    struct entry *first, *last;
};

struct mpb_message_cache {
    struct window windows[MPB_MESSAGE_CACHE_WINDOWS];
    size_t newest; /* index into windows; the oldest is the next one, round about */
    struct entry **chains;
    size_t n_chains; /* a power of two */
    size_t len, bytes;
};

static struct entry **new_chains(size_t n_chains)
{
    struct entry **chains = mpb_heap_alloc(n_chains * sizeof(struct entry *));
    for (size_t i = 0; chains != NULL && i < n_chains; i++) {
        chains[i] = NULL;
    }
    return chains;
}

struct mpb_message_cache *mpb_message_cache_new(void)
{
    MPB_PROBE_SITE(MPB_SITE_MESSAGE_CACHE);
    struct mpb_message_cache *cache = mpb_heap_alloc(sizeof(*cache));
    if (cache == NULL) {
        return NULL;
    }
    *cache = (struct mpb_message_cache){
        .chains = new_chains(CHAINS_AT_FIRST),
        .n_chains = CHAINS_AT_FIRST,
    };
    if (cache->chains == NULL) {
        mpb_heap_free(cache);
        return NULL;
    }
    return cache;
}

static size_t chain_of(const struct mpb_message_cache *cache, const uint8_t *id)
{
    return (size_t)mpb__id_hash(id) & (cache->n_chains - 1);
}

static struct entry *find(const struct mpb_message_cache *cache, const uint8_t *id)
{
    struct entry *entry = cache->chains[chain_of(cache, id)];
    while (entry != NULL && memcmp(entry->id, id, MPB_MSG_HASH_LEN) != 0) {
        entry = entry->next_in_chain;
    }
    return entry;
}

static void chain(struct mpb_message_cache *cache, struct entry *entry)
{
    struct entry **head = &cache->chains[chain_of(cache, entry->id)];
    entry->next_in_chain = *head;
    *head = entry;
}

static void unchain(struct mpb_message_cache *cache, const struct entry *entry)
{
    struct entry **link = &cache->chains[chain_of(cache, entry->id)];
    while (*link != entry) {
        link = &(*link)->next_in_chain;
    }
    *link = entry->next_in_chain;
}

static enum mpb_status grow(struct mpb_message_cache *cache)
{
    struct entry **chains = new_chains(2 * cache->n_chains);
    if (chains == NULL) {
        return MPB_E_NOMEM;
    }
    mpb_heap_free(cache->chains);
    cache->chains = chains;
    cache->n_chains *= 2;
    for (size_t w = 0; w < MPB_MESSAGE_CACHE_WINDOWS; w++) {
        for (struct entry *e = cache->windows[w].first; e != NULL; e = e->next_in_window) {
            chain(cache, e);
        }
    }
    return MPB_OK;
}

static void empty_window(struct mpb_message_cache *cache, struct window *window)
{
    while (window->first != NULL) {
        struct entry *entry = window->first;
        window->first = entry->next_in_window;
        unchain(cache, entry);
        cache->len--;
        cache->bytes -= entry->message.buffer->len;
        mpb_buffer_unref(entry->message.buffer);
        mpb_heap_free(entry);
    }
    window->last = NULL;
}

void mpb_message_cache_free(struct mpb_message_cache *cache)
{
    if (cache == NULL) {
        return;
    }
    MPB_PROBE_SITE(MPB_SITE_MESSAGE_CACHE);
    for (size_t w = 0; w < MPB_MESSAGE_CACHE_WINDOWS; w++) {
        empty_window(cache, &cache->windows[w]);
    }
    mpb_heap_free(cache->chains);
    mpb_heap_free(cache);
}

/* To the end of the newest window. */
static void append(struct mpb_message_cache *cache, struct entry *entry)
{
    struct window *window = &cache->windows[cache->newest];
    if (window->last == NULL) {
        window->first = entry;
    } else {
        window->last->next_in_window = entry;
    }
    window->last = entry;
    cache->len++;
    cache->bytes += entry->message.buffer->len;
}

static struct mpb_bytes keep(uint8_t *at, struct mpb_bytes from)
{
    if (from.len > 0) {
        memcpy(at, from.data, from.len);
    }
    return (struct mpb_bytes){at, from.len};
}

static struct entry *new_entry(const uint8_t *id, const struct mpb_parts *message)
{
    struct entry *entry = mpb_heap_alloc(sizeof(*entry) + message->head.len + message->tail.len);
    if (entry == NULL) {
        return NULL;
    }
    *entry = (struct entry){.message = *message};
    entry->message.head = keep(entry->bytes, message->head);
    entry->message.tail = keep(entry->bytes + message->head.len, message->tail);
    mpb_buffer_ref(message->buffer);
    memcpy(entry->id, id, sizeof(entry->id));
    return entry;
}

enum mpb_status mpb_message_cache_put(struct mpb_message_cache *cache,
                                      const uint8_t id[MPB_MSG_HASH_LEN],
                                      const struct mpb_parts *message)
{
    if (find(cache, id) != NULL) {
        return MPB_OK;
    }
    MPB_PROBE_SITE(MPB_SITE_MESSAGE_CACHE);
    if (cache->len == cache->n_chains && grow(cache) != MPB_OK) {
        return MPB_E_NOMEM;
    }
    struct entry *entry = new_entry(id, message);
    if (entry == NULL) {
        return MPB_E_NOMEM;
    }
    chain(cache, entry);
    append(cache, entry);
    return MPB_OK;
}

bool mpb_message_cache_find(const struct mpb_message_cache *cache,
                            const uint8_t id[MPB_MSG_HASH_LEN], struct mpb_parts *message)
{
    const struct entry *entry = find(cache, id);
    if (entry == NULL) {
        return false;
    }
    *message = entry->message;
    return true;
}

size_t mpb_message_cache_gossip_ids(const struct mpb_message_cache *cache,
                                    uint8_t (*out)[MPB_MSG_HASH_LEN], size_t cap)
{
    size_t n_ids = 0;
    for (size_t age = 0; age < MPB_MESSAGE_CACHE_GOSSIP; age++) {
        size_t w = (cache->newest + MPB_MESSAGE_CACHE_WINDOWS - age) % MPB_MESSAGE_CACHE_WINDOWS;
        for (const struct entry *e = cache->windows[w].first; e != NULL; e = e->next_in_window) {
            if (n_ids < cap) {
                memcpy(out[n_ids], e->id, sizeof(e->id));
            }
            n_ids++;
        }
    }
    return n_ids;
}

void mpb_message_cache_shift(struct mpb_message_cache *cache)
{
    MPB_PROBE_SITE(MPB_SITE_MESSAGE_CACHE);
    cache->newest = (cache->newest + 1) % MPB_MESSAGE_CACHE_WINDOWS;
    empty_window(cache, &cache->windows[cache->newest]);
}

size_t mpb_message_cache_len(const struct mpb_message_cache *cache)
{
    return cache->len;
}

size_t mpb_message_cache_bytes(const struct mpb_message_cache *cache)
{
    return cache->bytes;
}
