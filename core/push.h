/* push.h: MessagePush, what a filter node sends to its subscribers:
 * waku_message = 1 (a nested WakuMessage), pubsub_topic = 2. */
#ifndef MPB_CORE_PUSH_H
#define MPB_CORE_PUSH_H

#include "core/msg.h"

MPB_BEGIN_DECLS

/* Exact length of the encoding of msg and topic. */
size_t mpb_push_encoded_len(const struct mpb_msg *msg, struct mpb_bytes pubsub_topic);
/* Serialise into out[cap]; returns the length written, 0 if cap is too small. Counts 1 encode and
 * the bytes written (the nested message is part of this one serialisation). */
size_t mpb_push_encode(const struct mpb_msg *msg, struct mpb_bytes pubsub_topic, uint8_t *out,
                       size_t cap);

#define MPB_PUSH_HEADER_MAX 16
/* The bytes before and after an already encoded message of message_len bytes, for a sender that
 * joins nothing: header[*] | encoded message | trailer. Returns the header's length; counts
 * nothing. */
size_t mpb_push_header(size_t message_len, uint8_t header[MPB_PUSH_HEADER_MAX]);
/* The trailer (field 2, the topic) into out[cap]; returns its length, 0 if cap is too small. */
size_t mpb_push_trailer(struct mpb_bytes pubsub_topic, uint8_t *out, size_t cap);

MPB_END_DECLS

#endif
