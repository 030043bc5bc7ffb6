/* timeline.h: keys (time, hash) in order, each with a value, as a sorted ring: messages arrive
 * nearly in order and leave oldest first, so inserting at the end and removing at the front cost
 * a comparison, and only a late message shifts what came after it. */
#ifndef MPB_CORE_TIMELINE_H
#define MPB_CORE_TIMELINE_H

#include "core/msg.h"

MPB_BEGIN_DECLS

/* Ordered by time, then by hash as bytes. */
struct mpb_key {
    int64_t time_ns;
    uint8_t hash[MPB_MSG_HASH_LEN];
};

/* Zero-initialised is empty, with no capacity. */
struct mpb_timeline {
    struct mpb_timeline_slot {
        struct mpb_key key;
        void *value;
    } * slot; /* slot[cap], of the measured heap */
    size_t first, len, cap;
};

/* Room for cap elements (at least 1). MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_timeline_init(struct mpb_timeline *timeline, size_t cap);
void mpb_timeline_fini(struct mpb_timeline *timeline); /* values are the caller's */
/* <0, 0, >0 as a is before, equal to, after b. */
int mpb_timeline_compare(const struct mpb_key *a, const struct mpb_key *b);
/* True if key is there; *pos is its place, or the place where it belongs. Cost: O(log len), O(1) at
 * the end. */
bool mpb_timeline_find(const struct mpb_timeline *timeline, const struct mpb_key *key, size_t *pos);
/* Insert at pos (from _find). Doubles the ring when it is full: MPB_E_NOMEM, unchanged then.
 * Cost: O(len - pos). */
MPB_MUST_USE enum mpb_status mpb_timeline_insert(struct mpb_timeline *timeline, size_t pos,
                                                 const struct mpb_key *key, void *value);
/* Remove the first element and return its value; len must not be 0. */
void *mpb_timeline_pop_first(struct mpb_timeline *timeline);
/* Element i of len, oldest first. */
const struct mpb_key *mpb_timeline_key(const struct mpb_timeline *timeline, size_t i);
void *mpb_timeline_value(const struct mpb_timeline *timeline, size_t i);

MPB_END_DECLS

#endif
