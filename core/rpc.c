/* rpc.c: one reader of fields for all levels of an RPC (there are three, each its own function: no
 * recursion), and writers of the few frames that a relay sends. */
#include "core/rpc.h"

#include <string.h>

#include "core/varint.h"

/* Field number << 3 | wire type (0 a varint, 2 bytes), as in the table of rpc.h. */
enum {
    TAG_SUBSCRIPTION = 1 << 3 | 2,
    TAG_PUBLISH = 2 << 3 | 2,
    TAG_CONTROL = 3 << 3 | 2,
    TAG_SUBSCRIBE = 1 << 3 | 0,
    TAG_SUBSCRIPTION_TOPIC = 2 << 3 | 2,
    TAG_FROM = 1 << 3 | 2,
    TAG_DATA = 2 << 3 | 2,
    TAG_SEQNO = 3 << 3 | 2,
    TAG_TOPIC = 4 << 3 | 2,
    TAG_SIGNATURE = 5 << 3 | 2,
    TAG_KEY = 6 << 3 | 2,
    TAG_PRUNE_BACKOFF = 3 << 3 | 0,
};

/* The control messages: their tag, and those of their topic and ids (0: they have none). */
static const struct control_form {
    uint8_t tag, topic_tag, id_tag;
} control_forms[] = {
    [MPB_RPC_IHAVE] = {1 << 3 | 2, 1 << 3 | 2, 2 << 3 | 2},
    [MPB_RPC_IWANT] = {2 << 3 | 2, 0, 1 << 3 | 2},
    [MPB_RPC_GRAFT] = {3 << 3 | 2, 1 << 3 | 2, 0},
    [MPB_RPC_PRUNE] = {4 << 3 | 2, 1 << 3 | 2, 0},
    [MPB_RPC_IDONTWANT] = {5 << 3 | 2, 0, 1 << 3 | 2},
};

struct reader {
    const uint8_t *at, *end;
};

/* A field as it came. Tag 0 is none of ours: number 0 is skipped as any unknown one. */
struct field {
    uint64_t tag;
    uint64_t value;         /* of a varint */
    struct mpb_bytes bytes; /* of a length-delimited field */
};

static struct reader reader_of(struct mpb_bytes bytes)
{
    struct reader r = {bytes.data, bytes.len > 0 ? bytes.data + bytes.len : bytes.data};
    return r;
}

static MPB_COLD enum mpb_status judge_varint(unsigned faults)
{
    if (faults & MPB__VARINT_CUT) {
        return MPB_E_TRUNCATED;
    }
    return faults & MPB__VARINT_WIDE ? MPB_E_VARINT_RANGE : MPB_E_OVERLONG_VARINT;
}

static enum mpb_status take_varint(struct reader *r, uint64_t *value)
{
    if (r->at < r->end && *r->at < 0x80) {
        *value = *r->at++;
        return MPB_OK;
    }
    size_t n_bytes = mpb__varint_take_short(r->at, r->end, value);
    if (n_bytes > 0) {
        r->at += n_bytes;
        return MPB_OK;
    }
    struct mpb__varint varint = mpb__varint_read(r->at, r->end);
    r->at = varint.next;
    *value = varint.value;
    return varint.faults == 0 ? MPB_OK : judge_varint(varint.faults);
}

static enum mpb_status take_bytes(struct reader *r, uint64_t len, struct mpb_bytes *out)
{
    if (len > (uint64_t)(r->end - r->at)) {
        return MPB_E_TRUNCATED;
    }
    out->data = r->at;
    out->len = (size_t)len;
    r->at += len;
    return MPB_OK;
}

/* Take the next field whole, whatever it is; there is at least one byte. */
static enum mpb_status take_field(struct reader *r, struct field *out)
{
    uint64_t len = 0;
    enum mpb_status status = take_varint(r, &out->tag);
    if (status != MPB_OK) {
        return status;
    }
    switch (out->tag & 7) {
    case 0:
        return take_varint(r, &out->value);
    case 1:
        return take_bytes(r, 8, &out->bytes);
    case 2:
        status = take_varint(r, &len);
        return status == MPB_OK ? take_bytes(r, len, &out->bytes) : status;
    case 5:
        return take_bytes(r, 4, &out->bytes);
    default:
        return MPB_E_WIRE_TYPE;
    }
}

static enum mpb_status parse_subscription(struct mpb_bytes in, const struct mpb_rpc_sink *sink)
{
    struct reader r = reader_of(in);
    struct field field = {0};
    struct mpb_bytes topic = {0};
    bool subscribe = false;
    while (r.at < r.end) {
        enum mpb_status status = take_field(&r, &field);
        if (status != MPB_OK) {
            return status;
        }
        if (field.tag == TAG_SUBSCRIBE) {
            subscribe = field.value != 0;
        } else if (field.tag == TAG_SUBSCRIPTION_TOPIC) {
            topic = field.bytes;
        }
    }
    return sink->subscription == NULL ? MPB_OK : sink->subscription(sink->ctx, subscribe, topic);
}

static unsigned forbidden_bit(uint64_t tag)
{
    switch (tag) {
    case TAG_FROM:
        return MPB_RPC_FROM;
    case TAG_SEQNO:
        return MPB_RPC_SEQNO;
    case TAG_SIGNATURE:
        return MPB_RPC_SIGNATURE;
    case TAG_KEY:
        return MPB_RPC_KEY;
    default:
        return 0;
    }
}

static enum mpb_status parse_publish(struct mpb_bytes in, const struct mpb_rpc_sink *sink)
{
    struct reader r = reader_of(in);
    struct field field = {0};
    struct mpb_bytes data = {0}, topic = {0};
    bool has_data = false, has_topic = false;
    unsigned forbidden = 0;
    while (r.at < r.end) {
        enum mpb_status status = take_field(&r, &field);
        if (status != MPB_OK) {
            return status;
        }
        if (field.tag == TAG_DATA) {
            data = field.bytes;
            has_data = true;
        } else if (field.tag == TAG_TOPIC) {
            topic = field.bytes;
            has_topic = true;
        } else {
            forbidden |= forbidden_bit(field.tag);
        }
    }
    if (!has_data || !has_topic) {
        return MPB_E_MISSING_FIELD;
    }
    return sink->message == NULL ? MPB_OK : sink->message(sink->ctx, data, topic, forbidden);
}

/* Report the ids of a control message that was found whole. */
static enum mpb_status report_ids(enum mpb_rpc_control kind, struct mpb_bytes in,
                                  struct mpb_bytes topic, const struct mpb_rpc_sink *sink)
{
    struct reader r = reader_of(in);
    struct field field = {0};
    enum mpb_status status = MPB_OK;
    while (status == MPB_OK && r.at < r.end) {
        status = take_field(&r, &field);
        if (status == MPB_OK && field.tag == control_forms[kind].id_tag) {
            status = sink->control(sink->ctx, kind, topic, field.bytes);
        }
    }
    return status;
}

/* The topic may stand behind the ids, so it is looked for first. */
static enum mpb_status parse_control_message(enum mpb_rpc_control kind, struct mpb_bytes in,
                                             const struct mpb_rpc_sink *sink)
{
    struct reader r = reader_of(in);
    struct field field = {0};
    struct mpb_bytes topic = {0}, no_id = {0};
    while (r.at < r.end) {
        enum mpb_status status = take_field(&r, &field);
        if (status != MPB_OK) {
            return status;
        }
        if (field.tag == control_forms[kind].topic_tag && field.tag != 0) {
            topic = field.bytes;
        }
    }
    if (sink->control == NULL) {
        return MPB_OK;
    }
    return control_forms[kind].id_tag != 0 ? report_ids(kind, in, topic, sink)
                                           : sink->control(sink->ctx, kind, topic, no_id);
}

static enum mpb_status parse_control(struct mpb_bytes in, const struct mpb_rpc_sink *sink)
{
    struct reader r = reader_of(in);
    struct field field = {0};
    enum mpb_status status = MPB_OK;
    while (status == MPB_OK && r.at < r.end) {
        status = take_field(&r, &field);
        for (size_t kind = 0; status == MPB_OK && kind < MPB_ARRAY_LEN(control_forms); kind++) {
            if (field.tag == control_forms[kind].tag) {
                status = parse_control_message((enum mpb_rpc_control)kind, field.bytes, sink);
            }
        }
    }
    return status;
}

enum mpb_status mpb_rpc_parse(struct mpb_bytes rpc, const struct mpb_rpc_sink *sink)
{
    struct reader r = reader_of(rpc);
    struct field field = {0};
    enum mpb_status status = MPB_OK;
    while (status == MPB_OK && r.at < r.end) {
        status = take_field(&r, &field);
        if (status != MPB_OK) {
            return status;
        }
        if (field.tag == TAG_PUBLISH) {
            status = parse_publish(field.bytes, sink);
        } else if (field.tag == TAG_SUBSCRIPTION) {
            status = parse_subscription(field.bytes, sink);
        } else if (field.tag == TAG_CONTROL) {
            status = parse_control(field.bytes, sink);
        }
    }
    return status;
}

enum mpb_status mpb_rpc_frame_len(struct mpb_bytes bytes, size_t *rpc_len, size_t *prefix_len)
{
    size_t n_bytes = bytes.len < MPB_RPC_LENGTH_MAX ? bytes.len : MPB_RPC_LENGTH_MAX;
    struct reader r = reader_of((struct mpb_bytes){bytes.data, n_bytes});
    uint64_t len = 0;
    enum mpb_status status = take_varint(&r, &len);
    if (status == MPB_E_TRUNCATED && n_bytes == MPB_RPC_LENGTH_MAX) {
        return MPB_E_VARINT_RANGE; /* a fourth byte can only add to what is too much already */
    }
    if (status != MPB_OK) {
        return status;
    }
    if (len > MPB_RPC_FRAME_MAX) {
        return MPB_E_VARINT_RANGE;
    }
    *rpc_len = (size_t)len;
    *prefix_len = (size_t)(r.at - bytes.data);
    return MPB_OK;
}

static size_t varint_len(uint64_t value)
{
    size_t len = 1;
    for (; value >= 0x80; value >>= 7) {
        len++;
    }
    return len;
}

static uint8_t *put_varint(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) {
        *at++ = (uint8_t)(value | 0x80);
    }
    *at++ = (uint8_t)value;
    return at;
}

/* A length-delimited field, its tag one byte: its length, its head, and the whole of it. */
static size_t bytes_len(size_t len)
{
    return 1 + varint_len(len) + len;
}

static uint8_t *put_head(uint8_t *at, uint8_t tag, size_t len)
{
    *at++ = tag;
    return put_varint(at, len);
}

static uint8_t *put_bytes(uint8_t *at, uint8_t tag, struct mpb_bytes bytes)
{
    at = put_head(at, tag, bytes.len);
    if (bytes.len > 0) {
        memcpy(at, bytes.data, bytes.len);
    }
    return at + bytes.len;
}

/* Is an RPC whose one field holds len bytes short enough? Then *frame_len is its frame's. */
static bool is_sendable(size_t len, size_t *frame_len)
{
    if (len > MPB_RPC_FRAME_MAX || bytes_len(len) > MPB_RPC_FRAME_MAX) {
        return false;
    }
    *frame_len = varint_len(bytes_len(len)) + bytes_len(len);
    return true;
}

/* The length prefix, and the head of the RPC's one field of len bytes. */
static uint8_t *put_frame_head(uint8_t *at, uint8_t tag, size_t len)
{
    return put_head(put_varint(at, bytes_len(len)), tag, len);
}

size_t mpb_rpc_publish(size_t data_len, struct mpb_bytes topic, uint8_t header[MPB_RPC_HEADER_MAX],
                       uint8_t *trailer, size_t *trailer_len)
{
    size_t frame_len = 0;
    if (topic.len > MPB_RPC_TOPIC_MAX || data_len > MPB_RPC_FRAME_MAX ||
        !is_sendable(bytes_len(data_len) + bytes_len(topic.len), &frame_len)) {
        return 0;
    }
    uint8_t *at = put_frame_head(header, TAG_PUBLISH, bytes_len(data_len) + bytes_len(topic.len));
    at = put_head(at, TAG_DATA, data_len);
    *trailer_len = (size_t)(put_bytes(trailer, TAG_TOPIC, topic) - trailer);
    return (size_t)(at - header);
}

size_t mpb_rpc_subscribe(bool subscribe, struct mpb_bytes topic, uint8_t *out, size_t cap)
{
    size_t frame_len = 0, len = 2 + bytes_len(topic.len);
    if (topic.len > MPB_RPC_TOPIC_MAX || !is_sendable(len, &frame_len) || frame_len > cap) {
        return 0;
    }
    uint8_t *at = put_frame_head(out, TAG_SUBSCRIPTION, len);
    *at++ = TAG_SUBSCRIBE;
    *at++ = subscribe;
    put_bytes(at, TAG_SUBSCRIPTION_TOPIC, topic);
    return frame_len;
}

/* Length of the control message's own fields. */
static size_t control_len(const struct mpb_rpc_control_msg *msg)
{
    const struct control_form *form = &control_forms[msg->kind];
    size_t len = form->topic_tag != 0 ? bytes_len(msg->topic.len) : 0;
    len += form->id_tag != 0 ? msg->n_ids * bytes_len(sizeof(*msg->ids)) : 0;
    return len + (msg->kind == MPB_RPC_PRUNE ? 1 + varint_len(msg->backoff_s) : 0);
}

size_t mpb_rpc_control(const struct mpb_rpc_control_msg *msg, uint8_t *out, size_t cap)
{
    const struct control_form *form = &control_forms[msg->kind];
    size_t frame_len = 0;
    if (msg->topic.len > MPB_RPC_TOPIC_MAX || msg->n_ids > MPB_RPC_FRAME_MAX) {
        return 0;
    }
    size_t len = control_len(msg);
    if (!is_sendable(bytes_len(len), &frame_len) || frame_len > cap) {
        return 0;
    }
    uint8_t *at = put_frame_head(out, TAG_CONTROL, bytes_len(len));
    at = put_head(at, form->tag, len);
    at = form->topic_tag != 0 ? put_bytes(at, form->topic_tag, msg->topic) : at;
    for (size_t i = 0; i < msg->n_ids && form->id_tag != 0; i++) {
        at = put_bytes(at, form->id_tag, (struct mpb_bytes){msg->ids[i], sizeof(msg->ids[i])});
    }
    if (msg->kind == MPB_RPC_PRUNE) {
        *at++ = TAG_PRUNE_BACKOFF;
        put_varint(at, msg->backoff_s);
    }
    return frame_len;
}
