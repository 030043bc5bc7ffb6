/* msg.c: encode a message with protobuf-c, all seven fields present. */
#include "core/msg.h"

#include <string.h>

#include "core/message_pb.h"
#include "instrument/probe.h"

static size_t varint_len(uint64_t value)
{
    size_t len = 1;
    for (; value >= 0x80; value >>= 7) {
        len++;
    }
    return len;
}

/* Length of a bytes field: tag, length, bytes. */
static size_t bytes_len(size_t tag_len, struct mpb_bytes bytes)
{
    return tag_len + varint_len(bytes.len) + bytes.len;
}

size_t mpb_msg_encoded_len(const struct mpb_msg *msg)
{
    uint64_t time = (uint64_t)msg->timestamp_ns;
    uint64_t zigzag = time << 1 ^ (0 - (time >> 63));
    return bytes_len(1, msg->payload) + bytes_len(1, msg->content_topic) + 1 +
           varint_len(msg->version) + 1 + varint_len(zigzag) + bytes_len(1, msg->meta) +
           bytes_len(2, msg->proof) + 2 + 1;
}

size_t mpb_msg_encode(const struct mpb_msg *msg, uint8_t *out, size_t cap)
{
    if (mpb_msg_encoded_len(msg) > cap) {
        return 0;
    }
    Mpb__WakuMessage proto;
    mpb__message_pb_fill(msg, &proto);
    size_t len = mpb__waku_message__pack(&proto, out);
    MPB_PROBE_ADD(ENCODES, 1);
    MPB_PROBE_ADD(ENCODED_BYTES, len);
    return len;
}

size_t mpb_msg_head(const struct mpb_msg *msg, uint8_t out[MPB_MSG_HEAD_MAX])
{
    size_t n = 0, len = msg->payload.len;
    out[n++] = 1 << 3 | 2; /* field 1, length-delimited */
    for (; len >= 0x80; len >>= 7) {
        out[n++] = (uint8_t)(len | 0x80);
    }
    out[n++] = (uint8_t)len;
    return n;
}

size_t mpb_msg_tail(const struct mpb_msg *msg, uint8_t *out, size_t cap)
{
    if (mpb_msg_encoded_len(msg) - bytes_len(1, msg->payload) > cap) {
        return 0;
    }
    Mpb__WakuMessage proto;
    mpb__message_pb_fill(msg, &proto);
    proto.has_payload = 0;
    return mpb__waku_message__pack(&proto, out);
}

static bool is_equal(struct mpb_bytes a, struct mpb_bytes b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

bool mpb_msg_is_equal(const struct mpb_msg *a, const struct mpb_msg *b)
{
    return is_equal(a->payload, b->payload) && is_equal(a->content_topic, b->content_topic) &&
           is_equal(a->meta, b->meta) && is_equal(a->proof, b->proof) &&
           a->timestamp_ns == b->timestamp_ns && a->version == b->version &&
           a->ephemeral == b->ephemeral;
}
