/* archive.h: the messages a node keeps, ordered by (time, hash).
 *
 * Refused: ephemeral messages, timestamps more than 20 s away from the node's clock, duplicates,
 * and, when full, a message older than the oldest. A full archive evicts its oldest to take a
 * newer one. What it stores is a value of its own (a copy) or a reference to an envelope. */
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

/* Room for capacity messages (at least 1), kept as copies or as envelopes. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_archive_new(size_t capacity, bool holds_copies,
                                             struct mpb_archive **out);
void mpb_archive_free(struct mpb_archive *archive); /* and all it stores; NULL is a no-op */

/* Would the message's own fields be stored at now_ns? MPB_REFUSAL__COUNT if so. */
enum mpb_refusal mpb_archive_check(const struct mpb_msg *msg, int64_t now_ns);
/* Would the key be stored? MPB_REFUSAL__COUNT if so, and *pos for the two functions below. */
enum mpb_refusal mpb_archive_admit(const struct mpb_archive *archive, const struct mpb_key *key,
                                   size_t *pos);
/* Store under an admitted key, evicting the oldest if full. The archive takes over the copy, or
 * takes a reference of its own to the envelope; it must hold that kind. Allocates nothing. */
void mpb_archive_take_copy(struct mpb_archive *archive, size_t pos, const struct mpb_key *key,
                           struct mpb_copy *copy);
void mpb_archive_ref_envelope(struct mpb_archive *archive, size_t pos, const struct mpb_key *key,
                              struct mpb_envelope *envelope);

/* Bytes of the messages it keeps or references: payload, content topic, meta, proof. O(len). */
uint64_t mpb_archive_bytes(const struct mpb_archive *archive);
size_t mpb_archive_len(const struct mpb_archive *archive);
/* Element i of len, oldest first. */
const struct mpb_key *mpb_archive_key(const struct mpb_archive *archive, size_t i);
const struct mpb_msg *mpb_archive_msg(const struct mpb_archive *archive, size_t i);

/* A page of history: at most limit messages with from <= time <= to (both ends included), oldest
 * first, after *cursor if it is not NULL. */
struct mpb_archive_query {
    int64_t from_ns, to_ns;
    const struct mpb_key *cursor;
    size_t limit;
};
/* The places of the page: *first and the number of messages returned. Cost: O(log len). */
size_t mpb_archive_find(const struct mpb_archive *archive, const struct mpb_archive_query *query,
                        size_t *first);

MPB_END_DECLS

#endif
