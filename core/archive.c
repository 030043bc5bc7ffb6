/* archive.c: what both stores have in common, and the way to the one at hand. */
#include "core/archive.h"

#include <assert.h>

#include "core/archive_db.h"
#include "core/archive_priv.h"

static const char *const refusal_names[] = {
#define MPB_X(id, name, doc) name,
    MPB_REFUSAL_LIST(MPB_X)
#undef MPB_X
};

const char *mpb_archive_refusal_name(enum mpb_refusal refusal)
{
    return refusal_names[refusal];
}

enum mpb_status mpb_archive_new(const struct mpb_archive_cfg *cfg, struct mpb_archive **out,
                                struct mpb_error *err)
{
    return cfg->keeps == MPB_ARCHIVE_ROWS ? mpb__archive_sqlite_new(cfg, out, err)
                                          : mpb__archive_memory_new(cfg, out, err);
}

void mpb_archive_free(struct mpb_archive *archive)
{
    if (archive != NULL) {
        archive->ops->free(archive);
    }
}

enum mpb_archive_keeps mpb_archive_keeps(const struct mpb_archive *archive)
{
    return archive->keeps;
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

enum mpb_status mpb_archive_admit(struct mpb_archive *archive, const struct mpb_key *key,
                                  enum mpb_refusal *refusal, struct mpb_error *err)
{
    return archive->ops->admit(archive, key, refusal, err);
}

enum mpb_status mpb_archive_put(struct mpb_archive *archive, const struct mpb_archive_item *item,
                                enum mpb_refusal *refusal, struct mpb_error *err)
{
    return archive->ops->put(archive, item, refusal, err);
}

uint64_t mpb_archive_bytes(const struct mpb_archive *archive)
{
    return archive->ops->bytes(archive);
}

size_t mpb_archive_len(const struct mpb_archive *archive)
{
    return archive->ops->len(archive);
}

enum mpb_status mpb_archive_find(const struct mpb_archive *archive,
                                 const struct mpb_archive_query *query, mpb_archive_fn fn,
                                 void *ctx, struct mpb_error *err)
{
    return archive->ops->find(archive, query, fn, ctx, err);
}

enum mpb_status mpb_archive_each(const struct mpb_archive *archive, mpb_archive_fn fn, void *ctx,
                                 struct mpb_error *err)
{
    struct mpb_archive_query all = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .limit = SIZE_MAX};
    return mpb_archive_find(archive, &all, fn, ctx, err);
}

const struct mpb_key *mpb_archive_key(const struct mpb_archive *archive, size_t i)
{
    assert(archive->ops->key != NULL);
    return archive->ops->key(archive, i);
}

const struct mpb_msg *mpb_archive_msg(const struct mpb_archive *archive, size_t i)
{
    assert(archive->ops->msg != NULL);
    return archive->ops->msg(archive, i);
}

const char *mpb_archive_library(void)
{
    return mpb__archive_db_version();
}
