/* hostile.h: what a third connection may do to the receiver of a macro session, as asked for with
 * --hostile KIND,RATE, and what of it the receiver must count. */
#ifndef MPB_WORKLOADS_HOSTILE_H
#define MPB_WORKLOADS_HOSTILE_H

#include "instrument/status.h"

MPB_BEGIN_DECLS

#define MPB_HOSTILE_RATE_MAX UINT64_C(1000000)

/* X(ID, name, ends, fate, doc): ends: the receiver ends the connection at each frame. fate: the
 * reason the receiver must count it under: a name of MPB_DROP_LIST, or "rejected" (by the codec,
 * whatever rule). */
/* clang-format off */
#define MPB_HOSTILE_LIST(X) \
    X(GARBAGE,  "garbage",  true,  "malformed", "frames of random bytes, 1 B to 128 KiB; a connection each") \
    X(OVERSIZE, "oversize", true,  "oversize",  "lengths above 150 KiB, and such that never end; a connection each") \
    X(SLOW,     "slow",     false, "cut",       "one large frame, RATE bytes a second, never completed") \
    X(FLOOD,    "flood",    false, "rejected",  "messages of the right topic that do not decode") \
    X(DUP,      "dup",      false, "duplicate", "messages that the receiver has had already")
/* clang-format on */

enum mpb_hostile_kind {
#define MPB_X(id, name, ends, fate, doc) MPB_HOSTILE_##id,
    MPB_HOSTILE_LIST(MPB_X)
#undef MPB_X
        MPB_HOSTILE__COUNT /* none */
};

struct mpb_hostile_info {
    const char *name;
    bool ends;
    const char *fate, *doc;
};
const struct mpb_hostile_info *mpb_hostile_info(enum mpb_hostile_kind kind);

struct mpb_hostile {
    enum mpb_hostile_kind kind;
    uint64_t rate; /* frames (slow: bytes) a second; 0: as fast as they are taken */
};

/* "KIND,RATE", flood also "flood,max"; "none". MPB_E_INPUT, *out untouched. */
MPB_MUST_USE enum mpb_status mpb_hostile_parse(const char *text, const char *name,
                                               struct mpb_hostile *out, struct mpb_error *err);

MPB_END_DECLS

#endif
