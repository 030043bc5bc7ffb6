/* archive.c: the archive in memory. */
#include "core/archive.h"

#include <assert.h>

#include "instrument/heap.h"

static const char *const refusal_names[] = {
#define MPB_X(id, name, doc) name,
    MPB_REFUSAL_LIST(MPB_X)
#undef MPB_X
};

struct mpb_archive {
    struct mpb_timeline timeline; /* values: struct mpb_copy * or struct mpb_envelope * */
    size_t capacity;
    bool holds_copies;
};

const char *mpb_archive_refusal_name(enum mpb_refusal refusal)
{
    return refusal_names[refusal];
}

enum mpb_status mpb_archive_new(size_t capacity, bool holds_copies, struct mpb_archive **out)
{
    struct mpb_archive *archive = mpb_heap_alloc(sizeof(*archive));
    if (archive == NULL) {
        return MPB_E_NOMEM;
    }
    *archive = (struct mpb_archive){.capacity = capacity, .holds_copies = holds_copies};
    enum mpb_status st = mpb_timeline_init(&archive->timeline, capacity);
    if (st != MPB_OK) {
        mpb_heap_free(archive);
        return st;
    }
    *out = archive;
    return MPB_OK;
}

static void drop_first(struct mpb_archive *archive)
{
    void *value = mpb_timeline_pop_first(&archive->timeline);
    if (archive->holds_copies) {
        mpb_copy_free(value);
    } else {
        mpb_envelope_unref(value);
    }
}

void mpb_archive_free(struct mpb_archive *archive)
{
    if (archive == NULL) {
        return;
    }
    while (archive->timeline.len > 0) {
        drop_first(archive);
    }
    mpb_timeline_fini(&archive->timeline);
    mpb_heap_free(archive);
}

enum mpb_refusal mpb_archive_check(const struct mpb_msg *msg, int64_t now_ns)
{
    if (msg->ephemeral) {
        return MPB_REFUSAL_EPHEMERAL;
    }
    /* unsigned: the distance of two instants may exceed int64_t */
    bool is_before = msg->timestamp_ns < now_ns;
    uint64_t time = (uint64_t)msg->timestamp_ns, now = (uint64_t)now_ns;
    uint64_t distance_ns = is_before ? now - time : time - now;
    if (distance_ns > MPB_ARCHIVE_VARIANCE_NS) {
        return is_before ? MPB_REFUSAL_PAST : MPB_REFUSAL_FUTURE;
    }
    return MPB_REFUSAL__COUNT;
}

enum mpb_refusal mpb_archive_admit(const struct mpb_archive *archive, const struct mpb_key *key,
                                   size_t *pos)
{
    if (mpb_timeline_find(&archive->timeline, key, pos)) {
        return MPB_REFUSAL_DUPLICATE;
    }
    if (archive->timeline.len == archive->capacity && *pos == 0) {
        return MPB_REFUSAL_TOO_OLD;
    }
    return MPB_REFUSAL__COUNT;
}

/* The archive is never fuller than its timeline: room is made first, so inserting cannot fail. */
static void insert(struct mpb_archive *archive, size_t pos, const struct mpb_key *key, void *value)
{
    if (archive->timeline.len == archive->capacity) {
        drop_first(archive);
        pos--;
    }
    enum mpb_status st = mpb_timeline_insert(&archive->timeline, pos, key, value);
    assert(st == MPB_OK);
    (void)st;
}

void mpb_archive_take_copy(struct mpb_archive *archive, size_t pos, const struct mpb_key *key,
                           struct mpb_copy *copy)
{
    assert(archive->holds_copies);
    insert(archive, pos, key, copy);
}

void mpb_archive_ref_envelope(struct mpb_archive *archive, size_t pos, const struct mpb_key *key,
                              struct mpb_envelope *envelope)
{
    assert(!archive->holds_copies);
    insert(archive, pos, key, mpb_envelope_ref(envelope));
}

size_t mpb_archive_len(const struct mpb_archive *archive)
{
    return archive->timeline.len;
}

const struct mpb_key *mpb_archive_key(const struct mpb_archive *archive, size_t i)
{
    return mpb_timeline_key(&archive->timeline, i);
}

const struct mpb_msg *mpb_archive_msg(const struct mpb_archive *archive, size_t i)
{
    const void *value = mpb_timeline_value(&archive->timeline, i);
    return archive->holds_copies ? &((const struct mpb_copy *)value)->msg
                                 : &((const struct mpb_envelope *)value)->msg;
}

uint64_t mpb_archive_bytes(const struct mpb_archive *archive)
{
    uint64_t n = 0;
    for (size_t i = 0; i < mpb_archive_len(archive); i++) {
        const struct mpb_msg *msg = mpb_archive_msg(archive, i);
        n += msg->payload.len + msg->content_topic.len + msg->meta.len + msg->proof.len;
    }
    return n;
}

/* The first place at or after time_ns. */
static size_t lower_bound(const struct mpb_archive *archive, int64_t time_ns)
{
    struct mpb_key key = {.time_ns = time_ns};
    size_t pos = 0;
    mpb_timeline_find(&archive->timeline, &key, &pos);
    return pos;
}

size_t mpb_archive_find(const struct mpb_archive *archive, const struct mpb_archive_query *query,
                        size_t *first)
{
    size_t start = lower_bound(archive, query->from_ns);
    size_t end = query->to_ns == INT64_MAX ? mpb_archive_len(archive)
                                           : lower_bound(archive, query->to_ns + 1);
    if (query->cursor != NULL) {
        size_t after = 0;
        bool is_there = mpb_timeline_find(&archive->timeline, query->cursor, &after);
        after += is_there ? 1 : 0;
        start = after > start ? after : start;
    }
    size_t n = end > start ? end - start : 0;
    *first = start;
    return n < query->limit ? n : query->limit;
}
