/* archive.h: the messages a node keeps, ordered by (time, hash). One interface over two stores.
 *
 * Refused: ephemeral messages, timestamps more than 20 s away from the node's clock, duplicates,
 * and, when full, a message older than the oldest. A full archive evicts its oldest to take a
 * newer one. Both stores give the same answers to the same puts:
 *
 *   memory  a sorted ring of values of its own (copies) or of references to envelopes
 *   SQLite  a table, in memory or in a file, whose primary key finds the duplicates; it does not
 * keep proof and ephemeral, and what it holds is SQLite's own memory */
#ifndef MPB_CORE_ARCHIVE_H
#define MPB_CORE_ARCHIVE_H

#include "core/copy.h"
#include "core/envelope.h"
#include "core/timeline.h"

MPB_BEGIN_DECLS

/* X(ID, name, doc): why a delivered message was not stored; names appear in refused/<name>. */
/* clang-format off */
#define MPB_REFUSAL_LIST(X) \
    X(EPHEMERAL, "ephemeral", "the message asks not to be stored") \
    X(PAST,      "past",      "more than 20 s before the node's clock") \
    X(FUTURE,    "future",    "more than 20 s after the node's clock") \
    X(DUPLICATE, "duplicate", "already stored") \
    X(TOO_OLD,   "too_old",   "the archive is full of newer messages")
/* clang-format on */

enum mpb_refusal {
#define MPB_X(id, name, doc) MPB_REFUSAL_##id,
    MPB_REFUSAL_LIST(MPB_X)
#undef MPB_X
        MPB_REFUSAL__COUNT /* not refused */
};
const char *mpb_archive_refusal_name(enum mpb_refusal refusal);

#define MPB_ARCHIVE_VARIANCE_NS INT64_C(20000000000) /* nwaku: MaxMessageTimestampVariance */

struct mpb_archive;

/* What stays behind of a stored message. */
enum mpb_archive_keeps {
    MPB_ARCHIVE_COPIES,    /* memory: a deep copy, handed over */
    MPB_ARCHIVE_ENVELOPES, /* memory: a reference to the envelope */
    MPB_ARCHIVE_ROWS,      /* SQLite: a row written from borrowed bytes */
};

#define MPB_ARCHIVE_DB_MEMORY ":memory:"

struct mpb_archive_cfg {
    enum mpb_archive_keeps keeps;
    size_t capacity;               /* messages, at least 1 */
    struct mpb_bytes pubsub_topic; /* ROWS: borrowed, as long as the archive lives; likewise: */
    const char *db;                /* ROWS: MPB_ARCHIVE_DB_MEMORY, or the file to create */
};

/* An empty archive. MPB_E_NOMEM; ROWS: MPB_E_EXISTS (the file is there already), MPB_E_INPUT (it
 * cannot be created), MPB_E_IO, MPB_E_UNAVAILABLE (SQLite without threads). A database file is as
 * short-lived as the archive: _new creates it, _free removes it. SQLite allocates through the
 * measured heap from the first archive of the process on; one thread makes that one. */
MPB_MUST_USE enum mpb_status mpb_archive_new(const struct mpb_archive_cfg *cfg,
                                             struct mpb_archive **out, struct mpb_error *err);
void mpb_archive_free(struct mpb_archive *archive); /* and all it stores; NULL is a no-op */
enum mpb_archive_keeps mpb_archive_keeps(const struct mpb_archive *archive);

/* Would the message's own fields be stored at now_ns? MPB_REFUSAL__COUNT if so. */
enum mpb_refusal mpb_archive_check(const struct mpb_msg *msg, int64_t now_ns);
/* Would the key be stored? *refusal is MPB_REFUSAL__COUNT if so; a database finds duplicates only
 * in _put. ROWS: MPB_E_IO, MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_archive_admit(struct mpb_archive *archive,
                                               const struct mpb_key *key, enum mpb_refusal *refusal,
                                               struct mpb_error *err);

/* A message to store, with what the archive keeps of one. */
struct mpb_archive_item {
    const struct mpb_key *key;
    const struct mpb_msg *msg;
    struct mpb_copy *copy;         /* COPIES: taken over */
    struct mpb_envelope *envelope; /* ENVELOPES: the archive takes a reference of its own */
};
/* Store an item whose key was admitted just before, evicting the oldest if full. In memory it
 * always succeeds and allocates nothing. ROWS: all or nothing; *refusal may say that it is a
 * duplicate; MPB_E_IO (disk full, read-only, damaged; err has SQLite's words), MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_archive_put(struct mpb_archive *archive,
                                             const struct mpb_archive_item *item,
                                             enum mpb_refusal *refusal, struct mpb_error *err);

/* Bytes of the messages it keeps or references: payload, content topic, meta, proof (ROWS: proof is
 * not kept, and pages, keys and indexes are not counted). O(len) in memory. */
uint64_t mpb_archive_bytes(const struct mpb_archive *archive);
size_t mpb_archive_len(const struct mpb_archive *archive);

/* A page of history: at most limit messages with from <= time <= to (both ends included), oldest
 * first, after *cursor if it is not NULL. */
struct mpb_archive_query {
    int64_t from_ns, to_ns;
    const struct mpb_key *cursor;
    size_t limit;
};
/* Sees one message, borrowed for the call, which must not call the archive. A status other than
 * MPB_OK ends the walk, which then returns it. */
typedef enum mpb_status (*mpb_archive_fn)(void *ctx, const struct mpb_key *key,
                                          const struct mpb_msg *msg);
/* Call fn for each message of the page. What fn returned; ROWS: MPB_E_IO, MPB_E_NOMEM.
 * Cost: O(log len), and the page. */
MPB_MUST_USE enum mpb_status mpb_archive_find(const struct mpb_archive *archive,
                                              const struct mpb_archive_query *query,
                                              mpb_archive_fn fn, void *ctx, struct mpb_error *err);
/* The same for all it holds. */
MPB_MUST_USE enum mpb_status mpb_archive_each(const struct mpb_archive *archive, mpb_archive_fn fn,
                                              void *ctx, struct mpb_error *err);

/* Element i of len, oldest first, where it lies: an archive in memory only. O(1). */
const struct mpb_key *mpb_archive_key(const struct mpb_archive *archive, size_t i);
const struct mpb_msg *mpb_archive_msg(const struct mpb_archive *archive, size_t i);

/* SQLite's version. Never NULL. */
const char *mpb_archive_library(void);

MPB_END_DECLS

#endif
