/* filter.c: the list of subscriptions. */
#include "core/filter.h"

#include <string.h>

#include "instrument/heap.h"

struct subscription {
    uint32_t peer;
    struct mpb_bytes pubsub_topic, content_topic; /* behind this header */
};

struct mpb_filter {
    struct subscription **list; /* list[len], of list[cap] */
    size_t len, cap;
};

struct mpb_filter *mpb_filter_new(void)
{
    struct mpb_filter *filter = mpb_heap_alloc(sizeof(*filter));
    if (filter != NULL) {
        *filter = (struct mpb_filter){0};
    }
    return filter;
}

void mpb_filter_free(struct mpb_filter *filter)
{
    if (filter == NULL) {
        return;
    }
    for (size_t i = 0; i < filter->len; i++) {
        mpb_heap_free(filter->list[i]);
    }
    mpb_heap_free(filter->list);
    mpb_heap_free(filter);
}

static enum mpb_status make_room(struct mpb_filter *filter)
{
    if (filter->len < filter->cap) {
        return MPB_OK;
    }
    size_t cap = filter->cap > 0 ? filter->cap * 2 : 16;
    struct subscription **list = mpb_heap_alloc(cap * sizeof(struct subscription *));
    if (list == NULL) {
        return MPB_E_NOMEM;
    }
    if (filter->len > 0) {
        memcpy(list, filter->list, filter->len * sizeof(struct subscription *));
    }
    mpb_heap_free(filter->list);
    filter->list = list;
    filter->cap = cap;
    return MPB_OK;
}

static struct mpb_bytes place(uint8_t **at, struct mpb_bytes from)
{
    struct mpb_bytes to = {*at, from.len};
    if (from.len > 0) {
        memcpy(*at, from.data, from.len);
    }
    *at += from.len;
    return to;
}

enum mpb_status mpb_filter_subscribe(struct mpb_filter *filter, uint32_t peer,
                                     struct mpb_bytes pubsub_topic, struct mpb_bytes content_topic)
{
    if (make_room(filter) != MPB_OK) {
        return MPB_E_NOMEM;
    }
    struct subscription *s = mpb_heap_alloc(sizeof(*s) + pubsub_topic.len + content_topic.len);
    if (s == NULL) {
        return MPB_E_NOMEM;
    }
    uint8_t *at = (uint8_t *)(s + 1);
    s->peer = peer;
    s->pubsub_topic = place(&at, pubsub_topic);
    s->content_topic = place(&at, content_topic);
    filter->list[filter->len++] = s;
    return MPB_OK;
}

size_t mpb_filter_len(const struct mpb_filter *filter)
{
    return filter->len;
}

static bool is_same(struct mpb_bytes a, struct mpb_bytes b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

bool mpb_filter_match(const struct mpb_filter *filter, size_t from, struct mpb_bytes pubsub_topic,
                      struct mpb_bytes content_topic, uint32_t *peer, size_t *next)
{
    for (size_t i = from; i < filter->len; i++) {
        const struct subscription *s = filter->list[i];
        if (is_same(s->content_topic, content_topic) && is_same(s->pubsub_topic, pubsub_topic)) {
            *peer = s->peer;
            *next = i + 1;
            return true;
        }
    }
    return false;
}
