/* fuzz_check_rpc.c: what must hold for the RPC reader on every input: it reports what a model of
 * it does, written another way; only bytes of the input; and what the writers make of a report
 * reads back as that report. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fuzz/fuzz_check.h"
#include "core/rpc.h"

/* A report: a publish, a subscription, or a control message of kind `what` - CONTROL. */
enum { PUBLISH, SUBSCRIPTION, CONTROL };

struct event {
    unsigned what, flags;
    struct mpb_bytes a, b;
};

struct events {
    struct event *at; /* at[cap]: an event takes two bytes of input at least */
    size_t len, cap;
};

static bool mismatch(const char *what)
{
    printf("mismatch: %s\n", what);
    return false;
}

static enum mpb_status add(struct events *events, unsigned what, unsigned flags, struct mpb_bytes a,
                           struct mpb_bytes b)
{
    if (events->len == events->cap) {
        return MPB_E_INTERNAL;
    }
    events->at[events->len++] = (struct event){what, flags, a, b};
    return MPB_OK;
}

static enum mpb_status see_subscription(void *ctx, bool subscribe, struct mpb_bytes topic)
{
    return add(ctx, SUBSCRIPTION, subscribe, topic, (struct mpb_bytes){0});
}

static enum mpb_status see_message(void *ctx, struct mpb_bytes data, struct mpb_bytes topic,
                                   unsigned forbidden)
{
    return add(ctx, PUBLISH, forbidden, data, topic);
}

static enum mpb_status see_control(void *ctx, enum mpb_rpc_control kind, struct mpb_bytes topic,
                                   struct mpb_bytes id)
{
    return add(ctx, CONTROL + (unsigned)kind, 0, topic, id);
}

static enum mpb_status parse(struct mpb_bytes rpc, struct events *events)
{
    const struct mpb_rpc_sink sink = {events, see_subscription, see_message, see_control};
    return mpb_rpc_parse(rpc, &sink);
}

/* The model. A field is cut off the front of *in; a varint is too long if its value, written
 * shortly, is shorter. */
static enum mpb_status model_varint(struct mpb_bytes *in, uint64_t *value)
{
    size_t n = 0, n_needed = 1;
    *value = 0;
    for (bool is_last = false; !is_last; n++) {
        if (n == 10) {
            return MPB_E_VARINT_RANGE;
        }
        if (n == in->len) {
            return MPB_E_TRUNCATED;
        }
        *value |= (uint64_t)(in->data[n] % 128) << 7 * n;
        is_last = in->data[n] < 128;
    }
    if (n == 10 && in->data[9] > 1) {
        return MPB_E_VARINT_RANGE;
    }
    for (uint64_t rest = *value / 128; rest > 0; rest /= 128) {
        n_needed++;
    }
    in->data += n;
    in->len -= n;
    return n == n_needed ? MPB_OK : MPB_E_OVERLONG_VARINT;
}

static enum mpb_status model_field(struct mpb_bytes *in, uint64_t *tag, uint64_t *value,
                                   struct mpb_bytes *bytes)
{
    uint64_t len = 0;
    enum mpb_status status = model_varint(in, tag);
    unsigned type = *tag % 8;
    if (status == MPB_OK && (type == 3 || type == 4 || type > 5)) {
        status = MPB_E_WIRE_TYPE;
    }
    if (status == MPB_OK && type == 0) {
        return model_varint(in, value);
    }
    if (status == MPB_OK && type == 2) {
        status = model_varint(in, &len);
    } else {
        len = type == 1 ? 8 : 4;
    }
    if (status != MPB_OK || len > in->len) {
        return status != MPB_OK ? status : MPB_E_TRUNCATED;
    }
    *bytes = (struct mpb_bytes){in->data, (size_t)len};
    in->data += len;
    in->len -= (size_t)len;
    return MPB_OK;
}

/* The fields of one submessage, numbers 1 to 6 (bytes and varints apart), last occurrences. */
struct model_message {
    struct mpb_bytes bytes[7];
    bool has[7];
    uint64_t flag; /* of number 1 */
};

static enum mpb_status model_message(struct mpb_bytes in, struct model_message *out)
{
    enum mpb_status status = MPB_OK;
    *out = (struct model_message){.flag = 0};
    while (status == MPB_OK && in.len > 0) {
        uint64_t tag = 0, value = 0;
        struct mpb_bytes bytes = {0};
        status = model_field(&in, &tag, &value, &bytes);
        if (status == MPB_OK && tag % 8 == 2 && tag / 8 >= 1 && tag / 8 <= 6) {
            out->bytes[tag / 8] = bytes;
            out->has[tag / 8] = true;
        }
        out->flag = status == MPB_OK && tag == 8 ? value : out->flag;
    }
    return status;
}

static enum mpb_status model_ids(struct events *events, unsigned what, struct mpb_bytes topic,
                                 struct mpb_bytes in, unsigned number)
{
    enum mpb_status status = MPB_OK;
    while (status == MPB_OK && in.len > 0) {
        uint64_t tag = 0, value = 0;
        struct mpb_bytes bytes = {0};
        status = model_field(&in, &tag, &value, &bytes);
        if (status == MPB_OK && tag == number * 8 + 2) {
            status = add(events, what, 0, topic, bytes);
        }
    }
    return status;
}

static enum mpb_status model_control(struct mpb_bytes in, struct events *events)
{
    static const unsigned id_number[] = {0, 2, 1, 0, 0, 1};
    enum mpb_status status = MPB_OK;
    while (status == MPB_OK && in.len > 0) {
        uint64_t tag = 0, value = 0;
        struct mpb_bytes bytes = {0}, none = {0};
        struct model_message m;
        status = model_field(&in, &tag, &value, &bytes);
        unsigned kind = tag % 8 == 2 && tag / 8 <= 5 ? (unsigned)(tag / 8) : 0;
        if (status != MPB_OK || kind == 0) {
            continue;
        }
        status = model_message(bytes, &m);
        unsigned what = CONTROL + kind - 1;
        bool has_topic = kind == 1 || kind == 3 || kind == 4;
        if (status == MPB_OK && id_number[kind] > 0) {
            status = model_ids(events, what, has_topic ? m.bytes[1] : none, bytes, id_number[kind]);
        } else if (status == MPB_OK) {
            status = add(events, what, 0, m.bytes[1], none);
        }
    }
    return status;
}

static enum mpb_status model_rpc(struct mpb_bytes in, struct events *events)
{
    enum mpb_status status = MPB_OK;
    while (status == MPB_OK && in.len > 0) {
        uint64_t tag = 0, value = 0;
        struct mpb_bytes bytes = {0}, none = {0};
        struct model_message m;
        status = model_field(&in, &tag, &value, &bytes);
        if (status != MPB_OK || (tag != 10 && tag != 18 && tag != 26)) {
            continue;
        }
        if (tag == 26) {
            status = model_control(bytes, events);
            continue;
        }
        status = model_message(bytes, &m);
        if (status == MPB_OK && tag == 10) {
            status = add(events, SUBSCRIPTION, m.flag != 0, m.bytes[2], none);
        } else if (status == MPB_OK) {
            unsigned forbidden = m.has[1] * 1U + m.has[3] * 2U + m.has[5] * 4U + m.has[6] * 8U;
            status = m.has[2] && m.has[4] ? add(events, PUBLISH, forbidden, m.bytes[2], m.bytes[4])
                                          : MPB_E_MISSING_FIELD;
        }
    }
    return status;
}

static bool is_same_view(struct mpb_bytes a, struct mpb_bytes b)
{
    return a.len == b.len && (a.len == 0 || a.data == b.data);
}

static bool is_same_text(struct mpb_bytes a, struct mpb_bytes b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static size_t write_control(const struct event *event, uint8_t *out, size_t cap)
{
    uint8_t id[1][32];
    struct mpb_rpc_control_msg msg = {
        .kind = (enum mpb_rpc_control)(event->what - CONTROL),
        .topic = event->a,
        .ids = (const uint8_t(*)[32])id,
    };
    if (msg.kind == MPB_RPC_GRAFT || msg.kind == MPB_RPC_PRUNE) {
        return mpb_rpc_control(&msg, out, cap);
    }
    if (event->b.len != sizeof(id)) {
        return 0;
    }
    memcpy(id, event->b.data, sizeof(id));
    msg.n_ids = 1;
    return mpb_rpc_control(&msg, out, cap);
}

static size_t write_publish(const struct event *event, uint8_t *out, size_t cap)
{
    uint8_t header[MPB_RPC_HEADER_MAX], trailer[MPB_RPC_TOPIC_MAX + 4];
    struct mpb_bytes data = event->a;
    size_t trailer_len = 0;
    size_t len = mpb_rpc_publish(data.len, event->b, header, trailer, &trailer_len);
    if (len == 0 || len + data.len + trailer_len > cap) {
        return 0;
    }
    memcpy(out, header, len);
    if (data.len > 0) {
        memcpy(out + len, data.data, data.len);
    }
    memcpy(out + len + data.len, trailer, trailer_len);
    return len + data.len + trailer_len;
}

/* The frame that says the event; its length, 0 if there is none (an id that is not 32 bytes). */
static size_t write_frame(const struct event *event, uint8_t *out, size_t cap)
{
    switch (event->what) {
    case PUBLISH:
        return write_publish(event, out, cap);
    case SUBSCRIPTION:
        return mpb_rpc_subscribe(event->flags != 0, event->a, out, cap);
    default:
        return write_control(event, out, cap);
    }
}

/* Written as a frame of its own, the event reads back. */
static bool check_frame(const struct event *event, uint8_t *out, size_t cap)
{
    struct event back[2];
    struct events events = {back, 0, 2};
    size_t rpc_len = 0, prefix_len = 0, len = write_frame(event, out, cap);
    if (len == 0) {
        return true;
    }
    struct mpb_bytes frame = {out, len};
    if (mpb_rpc_frame_len(frame, &rpc_len, &prefix_len) != MPB_OK || prefix_len + rpc_len != len) {
        return mismatch("a frame's prefix is not its length");
    }
    struct mpb_bytes rpc = {out + prefix_len, rpc_len};
    if (parse(rpc, &events) != MPB_OK || events.len != 1 || back[0].what != event->what ||
        !is_same_text(back[0].a, event->a) || !is_same_text(back[0].b, event->b)) {
        return mismatch("a written frame does not read back");
    }
    return true;
}

static bool check_events(struct mpb_bytes rpc, struct events *found, struct events *expected)
{
    const struct mpb_rpc_sink nobody = {0};
    enum mpb_status status = parse(rpc, found), model_status = model_rpc(rpc, expected);
    if (mpb_rpc_parse(rpc, &nobody) != status) {
        return mismatch("without a listener the status differs");
    }
    if (status != model_status || found->len != expected->len) {
        printf("mismatch: %s and %zu reports, the model %s and %zu\n", mpb_status_name(status),
               found->len, mpb_status_name(model_status), expected->len);
        return false;
    }
    for (size_t i = 0; i < found->len; i++) {
        const struct event *f = &found->at[i], *e = &expected->at[i];
        if (f->what != e->what || f->flags != e->flags || !is_same_view(f->a, e->a) ||
            !is_same_view(f->b, e->b)) {
            return mismatch("the model reports other bytes");
        }
    }
    return true;
}

bool mpb_fuzz_check_rpc(struct mpb_bytes rpc)
{
    size_t cap = rpc.len / 2 + 1, out_cap = rpc.len + 512;
    struct events found = {calloc(cap, sizeof(struct event)), 0, cap};
    struct events expected = {calloc(cap, sizeof(struct event)), 0, cap};
    uint8_t *out = malloc(out_cap);
    bool is_ok = found.at != NULL && expected.at != NULL && out != NULL;
    is_ok = is_ok && check_events(rpc, &found, &expected);
    for (size_t i = 0; is_ok && i < found.len; i++) {
        is_ok = check_frame(&found.at[i], out, out_cap);
    }
    free(found.at);
    free(expected.at);
    free(out);
    return is_ok;
}
