/* message_pb.h: between struct mpb_msg and the types protobuf-c generated (internal to core). */
#ifndef MPB_CORE_MESSAGE_PB_H
#define MPB_CORE_MESSAGE_PB_H

#include "core/message.pb-c.h"
#include "core/msg.h"

/* protobuf-c only reads what it packs, but its struct points to mutable bytes. Empty bytes point
 * somewhere too: the packer hands the pointer to memcpy. */
static inline ProtobufCBinaryData mpb__message_pb_bytes(struct mpb_bytes bytes)
{
    union {
        const uint8_t *read_only;
        uint8_t *data;
    } ptr = {bytes.len > 0 ? bytes.data : (const uint8_t *)""};
    ProtobufCBinaryData out = {bytes.len, ptr.data};
    return out;
}

/* Fill *proto from msg, every field present; bytes stay msg's. */
static inline void mpb__message_pb_fill(const struct mpb_msg *msg, Mpb__WakuMessage *proto)
{
    mpb__waku_message__init(proto);
    proto->has_payload = 1;
    proto->payload = mpb__message_pb_bytes(msg->payload);
    proto->has_content_topic = 1;
    proto->content_topic = mpb__message_pb_bytes(msg->content_topic);
    proto->has_version = 1;
    proto->version = msg->version;
    proto->has_timestamp = 1;
    proto->timestamp = msg->timestamp_ns;
    proto->has_meta = 1;
    proto->meta = mpb__message_pb_bytes(msg->meta);
    proto->has_rate_limit_proof = 1;
    proto->rate_limit_proof = mpb__message_pb_bytes(msg->proof);
    proto->has_ephemeral = 1;
    proto->ephemeral = msg->ephemeral;
}

#endif
