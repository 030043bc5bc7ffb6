/* keymap.c: open addressing, at most half full. */
#include "reports/keymap.h"

#include <stdlib.h>

/* The slot that holds key, or the free one where it belongs. n_slots is a power of two. */
static struct mpb_keymap_slot *slot_of(const struct mpb_keymap *map, uint64_t key)
{
    uint64_t h = key * 0x9e3779b97f4a7c15U; /* 2^64 / golden ratio: spreads runs of keys */
    size_t i = (size_t)(h >> 32) & (map->n_slots - 1);
    while (map->slot[i].used && map->slot[i].key != key) {
        i = (i + 1) & (map->n_slots - 1);
    }
    return &map->slot[i];
}

static bool grow(struct mpb_keymap *map)
{
    struct mpb_keymap next = {.n = map->n, .n_slots = map->n_slots == 0 ? 64 : map->n_slots * 2};
    next.slot = calloc(next.n_slots, sizeof(*next.slot));
    if (next.slot == NULL) {
        return false;
    }
    for (size_t i = 0; i < map->n_slots; i++) {
        if (map->slot[i].used) {
            *slot_of(&next, map->slot[i].key) = map->slot[i];
        }
    }
    free(map->slot);
    *map = next;
    return true;
}

enum mpb_status mpb_keymap_add(struct mpb_keymap *map, uint64_t key, uint32_t value, bool *added,
                               struct mpb_error *err)
{
    if (2 * (map->n + 1) > map->n_slots && !grow(map)) {
        return mpb_error_set(err, MPB_E_NOMEM, NULL, NULL);
    }
    struct mpb_keymap_slot *slot = slot_of(map, key);
    *added = !slot->used;
    if (!slot->used) {
        *slot = (struct mpb_keymap_slot){.key = key, .value = value, .used = true};
        map->n++;
    }
    return MPB_OK;
}

bool mpb_keymap_find(const struct mpb_keymap *map, uint64_t key, uint32_t *out)
{
    if (map->n_slots == 0) {
        return false;
    }
    const struct mpb_keymap_slot *slot = slot_of(map, key);
    if (slot->used) {
        *out = slot->value;
    }
    return slot->used;
}

void mpb_keymap_fini(struct mpb_keymap *map)
{
    free(map->slot);
    *map = (struct mpb_keymap){0};
}
