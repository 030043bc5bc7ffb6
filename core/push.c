/* push.c: serialise a MessagePush, whole with protobuf-c, or as the bytes around a message. */
#include "core/push.h"

#include <string.h>

#include "core/message_pb.h"
#include "instrument/probe.h"

enum { TAG_WAKU_MESSAGE = 1 << 3 | 2, TAG_PUBSUB_TOPIC = 2 << 3 | 2 };

/* Tag and length of a bytes field; returns how many bytes that took (at most 11). */
static size_t put_head(uint8_t tag, size_t len, uint8_t out[MPB_PUSH_HEADER_MAX])
{
    size_t n = 0;
    out[n++] = tag;
    for (; len >= 0x80; len >>= 7) {
        out[n++] = (uint8_t)(len | 0x80);
    }
    out[n++] = (uint8_t)len;
    return n;
}

size_t mpb_push_header(size_t message_len, uint8_t header[MPB_PUSH_HEADER_MAX])
{
    return put_head(TAG_WAKU_MESSAGE, message_len, header);
}

size_t mpb_push_trailer(struct mpb_bytes pubsub_topic, uint8_t *out, size_t cap)
{
    uint8_t head[MPB_PUSH_HEADER_MAX];
    size_t n_head = put_head(TAG_PUBSUB_TOPIC, pubsub_topic.len, head);
    if (cap < n_head || cap - n_head < pubsub_topic.len) {
        return 0;
    }
    memcpy(out, head, n_head);
    if (pubsub_topic.len > 0) {
        memcpy(out + n_head, pubsub_topic.data, pubsub_topic.len);
    }
    return n_head + pubsub_topic.len;
}

size_t mpb_push_encoded_len(const struct mpb_msg *msg, struct mpb_bytes pubsub_topic)
{
    uint8_t ignored[MPB_PUSH_HEADER_MAX];
    size_t message_len = mpb_msg_encoded_len(msg);
    return put_head(TAG_WAKU_MESSAGE, message_len, ignored) + message_len +
           put_head(TAG_PUBSUB_TOPIC, pubsub_topic.len, ignored) + pubsub_topic.len;
}

size_t mpb_push_encode(const struct mpb_msg *msg, struct mpb_bytes pubsub_topic, uint8_t *out,
                       size_t cap)
{
    if (mpb_push_encoded_len(msg, pubsub_topic) > cap) {
        return 0;
    }
    Mpb__WakuMessage proto;
    mpb__message_pb_fill(msg, &proto);
    Mpb__MessagePush push;
    mpb__message_push__init(&push);
    push.waku_message = &proto;
    push.has_pubsub_topic = 1;
    push.pubsub_topic = mpb__message_pb_bytes(pubsub_topic);
    size_t len = mpb__message_push__pack(&push, out);
    MPB_PROBE_ADD(ENCODES, 1);
    MPB_PROBE_ADD(ENCODED_BYTES, len);
    return len;
}
