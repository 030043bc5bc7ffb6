/* timeline.c: the sorted ring. */
#include "core/timeline.h"

#include <string.h>

#include "instrument/heap.h"

static struct mpb_timeline_slot *slot_at(const struct mpb_timeline *t, size_t i)
{
    size_t at = t->first + i;
    return &t->slot[at < t->cap ? at : at - t->cap];
}

enum mpb_status mpb_timeline_init(struct mpb_timeline *timeline, size_t cap)
{
    cap = cap > 0 ? cap : 1;
    if (cap > SIZE_MAX / sizeof(*timeline->slot)) {
        return MPB_E_NOMEM;
    }
    struct mpb_timeline_slot *slot = mpb_heap_alloc(cap * sizeof(*slot));
    if (slot == NULL) {
        return MPB_E_NOMEM;
    }
    *timeline = (struct mpb_timeline){.slot = slot, .cap = cap};
    return MPB_OK;
}

void mpb_timeline_fini(struct mpb_timeline *timeline)
{
    mpb_heap_free(timeline->slot);
    *timeline = (struct mpb_timeline){0};
}

int mpb_timeline_compare(const struct mpb_key *a, const struct mpb_key *b)
{
    if (a->time_ns != b->time_ns) {
        return a->time_ns < b->time_ns ? -1 : 1;
    }
    return memcmp(a->hash, b->hash, sizeof(a->hash));
}

bool mpb_timeline_find(const struct mpb_timeline *timeline, const struct mpb_key *key, size_t *pos)
{
    size_t low = 0, high = timeline->len;
    if (high > 0 && mpb_timeline_compare(&slot_at(timeline, high - 1)->key, key) < 0) {
        *pos = high;
        return false;
    }
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (mpb_timeline_compare(&slot_at(timeline, mid)->key, key) < 0) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    *pos = low;
    return low < timeline->len && mpb_timeline_compare(&slot_at(timeline, low)->key, key) == 0;
}

static enum mpb_status grow(struct mpb_timeline *t)
{
    struct mpb_timeline bigger = {0};
    enum mpb_status st = mpb_timeline_init(&bigger, t->cap * 2);
    if (st != MPB_OK) {
        return st;
    }
    for (size_t i = 0; i < t->len; i++) {
        bigger.slot[i] = *slot_at(t, i);
    }
    bigger.len = t->len;
    mpb_timeline_fini(t);
    *t = bigger;
    return MPB_OK;
}

enum mpb_status mpb_timeline_insert(struct mpb_timeline *timeline, size_t pos,
                                    const struct mpb_key *key, void *value)
{
    if (timeline->len == timeline->cap) {
        enum mpb_status st = grow(timeline);
        if (st != MPB_OK) {
            return st;
        }
    }
    for (size_t i = timeline->len; i > pos; i--) {
        *slot_at(timeline, i) = *slot_at(timeline, i - 1);
    }
    *slot_at(timeline, pos) = (struct mpb_timeline_slot){*key, value};
    timeline->len++;
    return MPB_OK;
}

void *mpb_timeline_pop_first(struct mpb_timeline *timeline)
{
    void *value = slot_at(timeline, 0)->value;
    timeline->first = timeline->first + 1 < timeline->cap ? timeline->first + 1 : 0;
    timeline->len--;
    return value;
}

const struct mpb_key *mpb_timeline_key(const struct mpb_timeline *timeline, size_t i)
{
    return &slot_at(timeline, i)->key;
}

void *mpb_timeline_value(const struct mpb_timeline *timeline, size_t i)
{
    return slot_at(timeline, i)->value;
}
