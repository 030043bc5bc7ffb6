/* archive_priv.h: what an archive's store must do. Each store has a struct of its own that begins
 * with struct mpb_archive. Private to archive*.c. */
#ifndef MPB_CORE_ARCHIVE_PRIV_H
#define MPB_CORE_ARCHIVE_PRIV_H

#include "core/archive.h"

MPB_BEGIN_DECLS

/* Each does what mpb_archive_<name>() says. */
struct mpb__archive_ops {
    void (*free)(struct mpb_archive *archive);
    enum mpb_status (*admit)(struct mpb_archive *archive, const struct mpb_key *key,
                             enum mpb_refusal *refusal, struct mpb_error *err);
    enum mpb_status (*put)(struct mpb_archive *archive, const struct mpb_archive_item *item,
                           enum mpb_refusal *refusal, struct mpb_error *err);
    size_t (*len)(const struct mpb_archive *archive);
    uint64_t (*bytes)(const struct mpb_archive *archive);
    enum mpb_status (*find)(const struct mpb_archive *archive,
                            const struct mpb_archive_query *query, mpb_archive_fn fn, void *ctx,
                            struct mpb_error *err);
    /* Where an element lies; NULL for a store that has no such place. */
    const struct mpb_key *(*key)(const struct mpb_archive *archive, size_t i);
    const struct mpb_msg *(*msg)(const struct mpb_archive *archive, size_t i);
};

struct mpb_archive {
    const struct mpb__archive_ops *ops;
    enum mpb_archive_keeps keeps;
    size_t capacity;
};

MPB_MUST_USE enum mpb_status mpb__archive_memory_new(const struct mpb_archive_cfg *cfg,
                                                     struct mpb_archive **out,
                                                     struct mpb_error *err);
MPB_MUST_USE enum mpb_status mpb__archive_sqlite_new(const struct mpb_archive_cfg *cfg,
                                                     struct mpb_archive **out,
                                                     struct mpb_error *err);

MPB_END_DECLS

#endif
