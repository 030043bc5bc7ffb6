/* archive_memory.c: the archive in memory. */
#include <assert.h>

#include "core/archive_priv.h"
#include "instrument/heap.h"

struct memory {
    struct mpb_archive base;
    struct mpb_timeline timeline; /* values: struct mpb_copy * or struct mpb_envelope * */
};

static const struct memory *memory_of(const struct mpb_archive *archive)
{
    return (const struct memory *)archive;
}

static bool is_full(const struct memory *m)
{
    return m->timeline.len == m->base.capacity;
}

static void drop_first(struct memory *m)
{
    void *value = mpb_timeline_pop_first(&m->timeline);
    if (m->base.keeps == MPB_ARCHIVE_COPIES) {
        mpb_copy_free(value);
    } else {
        mpb_envelope_unref(value);
    }
}

static void free_all(struct mpb_archive *archive)
{
    struct memory *m = (struct memory *)archive;
    while (m->timeline.len > 0) {
        drop_first(m);
    }
    mpb_timeline_fini(&m->timeline);
    mpb_heap_free(m);
}

static enum mpb_status admit(struct mpb_archive *archive, const struct mpb_key *key,
                             enum mpb_refusal *refusal, struct mpb_error *err)
{
    const struct memory *m = memory_of(archive);
    size_t pos = 0;
    (void)err;
    if (mpb_timeline_find(&m->timeline, key, &pos)) {
        *refusal = MPB_REFUSAL_DUPLICATE;
    } else if (is_full(m) && pos == 0) {
        *refusal = MPB_REFUSAL_TOO_OLD;
    } else {
        *refusal = MPB_REFUSAL__COUNT;
    }
    return MPB_OK;
}

/* The archive is never fuller than its timeline: room is made first, so inserting cannot fail. */
static enum mpb_status put(struct mpb_archive *archive, const struct mpb_archive_item *item,
                           enum mpb_refusal *refusal, struct mpb_error *err)
{
    struct memory *m = (struct memory *)archive;
    bool is_copy = archive->keeps == MPB_ARCHIVE_COPIES;
    size_t pos = 0;
    (void)err;
    assert(is_copy ? item->copy != NULL : item->envelope != NULL);
    if (is_full(m)) {
        drop_first(m);
    }
    mpb_timeline_find(&m->timeline, item->key, &pos);
    enum mpb_status st =
        mpb_timeline_insert(&m->timeline, pos, item->key,
                            is_copy ? (void *)item->copy : mpb_envelope_ref(item->envelope));
    assert(st == MPB_OK);
    *refusal = MPB_REFUSAL__COUNT;
    return st;
}

static size_t len(const struct mpb_archive *archive)
{
    return memory_of(archive)->timeline.len;
}

static const struct mpb_key *key_at(const struct mpb_archive *archive, size_t i)
{
    return mpb_timeline_key(&memory_of(archive)->timeline, i);
}

static const struct mpb_msg *msg_at(const struct mpb_archive *archive, size_t i)
{
    const void *value = mpb_timeline_value(&memory_of(archive)->timeline, i);
    return archive->keeps == MPB_ARCHIVE_COPIES ? &((const struct mpb_copy *)value)->msg
                                                : &((const struct mpb_envelope *)value)->msg;
}

static uint64_t bytes(const struct mpb_archive *archive)
{
    uint64_t n = 0;
    for (size_t i = 0; i < len(archive); i++) {
        const struct mpb_msg *msg = msg_at(archive, i);
        n += msg->payload.len + msg->content_topic.len + msg->meta.len + msg->proof.len;
    }
    return n;
}

/* The first place at or after time_ns. */
static size_t lower_bound(const struct memory *m, int64_t time_ns)
{
    struct mpb_key key = {.time_ns = time_ns};
    size_t pos = 0;
    mpb_timeline_find(&m->timeline, &key, &pos);
    return pos;
}

static enum mpb_status find(const struct mpb_archive *archive,
                            const struct mpb_archive_query *query, mpb_archive_fn fn, void *ctx,
                            struct mpb_error *err)
{
    const struct memory *m = memory_of(archive);
    size_t at = lower_bound(m, query->from_ns);
    size_t end = query->to_ns == INT64_MAX ? m->timeline.len : lower_bound(m, query->to_ns + 1);
    enum mpb_status st = MPB_OK;
    (void)err;
    if (query->cursor != NULL) {
        size_t after = 0;
        bool is_there = mpb_timeline_find(&m->timeline, query->cursor, &after);
        after += is_there ? 1 : 0;
        at = after > at ? after : at;
    }
    for (size_t n = 0; n < query->limit && at < end && st == MPB_OK; n++, at++) {
        st = fn(ctx, key_at(archive, at), msg_at(archive, at));
    }
    return st;
}

static const struct mpb__archive_ops ops = {free_all, admit, put, len, bytes, find, key_at, msg_at};

enum mpb_status mpb__archive_memory_new(const struct mpb_archive_cfg *cfg, struct mpb_archive **out,
                                        struct mpb_error *err)
{
    struct memory *m = mpb_heap_alloc(sizeof(*m));
    if (m == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "archive", NULL);
    }
    *m = (struct memory){.base = {&ops, cfg->keeps, cfg->capacity}};
    enum mpb_status st = mpb_timeline_init(&m->timeline, cfg->capacity);
    if (st != MPB_OK) {
        mpb_heap_free(m);
        return mpb_error_set(err, st, "archive", NULL);
    }
    *out = &m->base;
    return MPB_OK;
}
