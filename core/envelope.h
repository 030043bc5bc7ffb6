/* envelope.h: a decoded message with its topic and hash, shared by reference. It keeps alive what
 * the message's bytes live in: an owned decode, or the buffer a view points into. One node's
 * thread owns all references (the count is not atomic). */
#ifndef MPB_CORE_ENVELOPE_H
#define MPB_CORE_ENVELOPE_H

#include "core/buffer.h"
#include "core/msg.h"
#include "core/owned.h"

MPB_BEGIN_DECLS

struct mpb_envelope {
    size_t n_refs;
    struct mpb_msg msg;
    struct mpb_bytes pubsub_topic; /* borrowed from the node */
    uint8_t hash[MPB_MSG_HASH_LEN];
    struct mpb_owned *owned;   /* what msg's bytes live in: this, */
    struct mpb_buffer *buffer; /* or this */
};

/* An envelope over an owned decode, which it takes over; or over a view into buffer, of which it
 * takes a reference. One reference, hash not filled; NULL when out of memory (nothing taken). */
MPB_MUST_USE struct mpb_envelope *mpb_envelope_take_owned(struct mpb_owned *owned,
                                                          struct mpb_bytes pubsub_topic);
MPB_MUST_USE struct mpb_envelope *mpb_envelope_new_view(const struct mpb_msg *msg,
                                                        struct mpb_buffer *buffer,
                                                        struct mpb_bytes pubsub_topic);
struct mpb_envelope *mpb_envelope_ref(struct mpb_envelope *envelope);
void mpb_envelope_unref(struct mpb_envelope *envelope); /* NULL is a no-op */

MPB_END_DECLS

#endif
