/* envelope.c: reference-counted messages. */
#include "core/envelope.h"

#include "instrument/heap.h"

static struct mpb_envelope *new_envelope(const struct mpb_msg *msg, struct mpb_bytes pubsub_topic)
{
    struct mpb_envelope *envelope = mpb_heap_alloc(sizeof(*envelope));
    if (envelope != NULL) {
        *envelope = (struct mpb_envelope){.n_refs = 1, .msg = *msg, .pubsub_topic = pubsub_topic};
    }
    return envelope;
}

struct mpb_envelope *mpb_envelope_take_owned(struct mpb_owned *owned, struct mpb_bytes pubsub_topic)
{
    struct mpb_envelope *envelope = new_envelope(mpb_owned_msg(owned), pubsub_topic);
    if (envelope != NULL) {
        envelope->owned = owned;
    }
    return envelope;
}

struct mpb_envelope *mpb_envelope_new_view(const struct mpb_msg *msg, struct mpb_buffer *buffer,
                                           struct mpb_bytes pubsub_topic)
{
    struct mpb_envelope *envelope = new_envelope(msg, pubsub_topic);
    if (envelope != NULL) {
        envelope->buffer = mpb_buffer_ref(buffer);
    }
    return envelope;
}

struct mpb_envelope *mpb_envelope_ref(struct mpb_envelope *envelope)
{
    envelope->n_refs++;
    return envelope;
}

void mpb_envelope_unref(struct mpb_envelope *envelope)
{
    if (envelope == NULL || --envelope->n_refs > 0) {
        return;
    }
    mpb_owned_free(envelope->owned);
    mpb_buffer_unref(envelope->buffer);
    mpb_heap_free(envelope);
}
