/* publish.c: a node publishes: encode, hash, deliver to itself, compute the id, hand over for
 * sending. What is captured on the way lives until all of that is done. */
#include "core/node.h"

#include <string.h>

#include "core/node_priv.h"
#include "instrument/heap.h"

/* Everything before the payload, and everything behind it, of an encoding that is not joined. */
struct scattered {
    uint8_t head[MPB_MSG_HEAD_MAX];
    uint8_t tail[MPB_NODE_TAIL_MAX];
};

/* Encode msg as the plan says. The caller gets a reference of its own to out->parts.buffer. */
static enum mpb_status encode(const struct mpb_node *node, const struct mpb_msg *msg,
                              struct mpb_buffer *app_buffer, struct scattered *scattered,
                              struct mpb_outbound *out)
{
    if (mpb__node_plan(node, MPB_SITE_PUBLISH)->encode == MPB_ENCODE_SCATTER) {
        size_t head_len = mpb_msg_head(msg, scattered->head);
        size_t tail_len = mpb_msg_tail(msg, scattered->tail, sizeof(scattered->tail));
        if (tail_len == 0) {
            return MPB_E_USAGE;
        }
        out->parts = (struct mpb_parts){{scattered->head, head_len},
                                        msg->payload,
                                        {scattered->tail, tail_len},
                                        mpb_buffer_ref(app_buffer)};
        return MPB_OK;
    }
    size_t len = mpb_msg_encoded_len(msg);
    struct mpb_buffer *buffer = mpb_buffer_new(len);
    if (buffer == NULL) {
        return MPB_E_NOMEM;
    }
    if (mpb_msg_encode(msg, buffer->data, len) != len) {
        mpb_buffer_unref(buffer);
        return MPB_E_INTERNAL;
    }
    out->parts = (struct mpb_parts){.data = mpb_buffer_view(buffer), .buffer = buffer};
    return MPB_OK;
}

static enum mpb_status deliver_to_self(struct mpb_node *node, const struct mpb_msg *msg,
                                       const struct mpb_outbound *out, const uint8_t *hash,
                                       int64_t now_ns)
{
    struct mpb_inbound own = {out->parts.buffer, out->parts.data};
    struct mpb__entry entry = {
        .site = MPB_SITE_SELF_DELIVER,
        .bind = MPB_GATE_SELF_DELIVER_BIND,
        .inbound = out->parts.head.len == 0 ? &own : NULL,
        .known = msg,
        .known_buffer = out->parts.buffer,
        .known_hash = hash,
    };
    return mpb__chain_enter(node, &entry, now_ns);
}

static enum mpb_status publish_bound(struct mpb_node *node, const struct mpb_msg *msg,
                                     struct mpb_outbound *out, int64_t now_ns)
{
    uint8_t computed[MPB_MSG_HASH_LEN];
    const uint8_t *hash = NULL;
    enum mpb_status st = mpb__node_hash(node, MPB_SITE_PUBLISH, msg, NULL, computed, &hash);
    if (st == MPB_OK) {
        st = deliver_to_self(node, msg, out, hash, now_ns);
    }
    if (st == MPB_OK) {
        struct mpb_bytes parts[] = {out->parts.head, out->parts.data, out->parts.tail};
        MPB_PROBE_SITE(MPB_SITE_SEEN_CACHE);
        st = mpb_hasher_id_parts(node->hasher, parts, MPB_ARRAY_LEN(parts), out->id);
    }
    return st;
}

enum mpb_status mpb_node_publish(struct mpb_node *node, const struct mpb_msg *msg,
                                 struct mpb_buffer *app_buffer, int64_t now_ns, mpb_send_fn send,
                                 void *send_ctx)
{
    const struct mpb_variant *variant = node->cfg.variant;
    struct mpb_gate capture = {0}, bind = {0};
    const struct mpb_msg *captured = NULL, *bound = NULL;
    struct mpb_outbound out = {.parts = {.buffer = NULL}};
    struct scattered scattered;

    MPB_PROBE_SITE(MPB_SITE_PUBLISH);
    enum mpb_status st = mpb_gate_pass(&capture, variant, MPB_GATE_PUBLISH_CAPTURE, msg, &captured);
    if (st == MPB_OK) {
        st = mpb_gate_pass(&bind, variant, MPB_GATE_PUBLISH_BIND, captured, &bound);
    }
    if (st == MPB_OK) {
        st = encode(node, bound, app_buffer, &scattered, &out);
    }
    if (st == MPB_OK) {
        st = publish_bound(node, bound, &out, now_ns);
    }
    if (st == MPB_OK) {
        st = send(send_ctx, &out);
    }
    MPB_PROBE_SITE(MPB_SITE_PUBLISH);
    mpb_buffer_unref(out.parts.buffer);
    mpb_gate_close(&bind);
    mpb_gate_close(&capture);
    return st;
}
