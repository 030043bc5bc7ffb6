/* chain.c: the topic handler and the handler chain behind it. One pipeline for all variants: what
 * differs is read from the site plans and charged at the gates. */
#include "core/node.h"

#include <assert.h>
#include <string.h>

#include "core/node_priv.h"
#include "core/push.h"
#include "instrument/heap.h"

/* One message on its way through the handlers. */
struct chain {
    struct mpb_node *node;
    struct mpb_delivery delivery; /* msg: what the topic handler captured */
    struct mpb_gate event_object; /* lives until the chain ends */
};

static enum mpb_status hash_here(struct chain *c, enum mpb_site site, const struct mpb_msg *msg,
                                 uint8_t out[MPB_MSG_HASH_LEN], const uint8_t **hash)
{
    return mpb__node_hash(c->node, site, msg, c->delivery.hash, out, hash);
}

static enum mpb_status trace(struct chain *c, const struct mpb_msg *msg)
{
    c->node->stats.traced++;
    c->node->stats.traced_bytes += msg->payload.len;
    return MPB_OK;
}

/* Give the push to every matching peer; by value each gets a buffer of its own. */
static enum mpb_status push_to_peers(struct chain *c, const struct mpb_msg *msg,
                                     const struct mpb_parts *push)
{
    struct mpb_node *n = c->node;
    bool copy_each = mpb_gate_copies(n->cfg.variant, MPB_GATE_PUSH_BUFFER) > 0;
    uint32_t peer = 0;
    assert(!copy_each || push->head.len + push->tail.len == 0);
    for (size_t at = 0; mpb_filter_match(n->cfg.filter, at, c->delivery.pubsub_topic,
                                         msg->content_topic, &peer, &at);) {
        struct mpb_parts given = *push;
        if (copy_each) {
            given.buffer = mpb_copy_bytes(push->data);
            if (given.buffer == NULL) {
                return MPB_E_NOMEM;
            }
            given.data = mpb_buffer_view(given.buffer);
        }
        n->cfg.push(n->cfg.push_ctx, peer, &given);
        n->stats.pushed++;
        mpb_buffer_unref(copy_each ? given.buffer : NULL);
    }
    return MPB_OK;
}

static enum mpb_status push_serialised(struct chain *c, const struct mpb_msg *msg)
{
    size_t len = mpb_push_encoded_len(msg, c->delivery.pubsub_topic);
    struct mpb_buffer *buffer = mpb_buffer_new(len);
    if (buffer == NULL) {
        return MPB_E_NOMEM;
    }
    enum mpb_status st = MPB_E_INTERNAL;
    if (mpb_push_encode(msg, c->delivery.pubsub_topic, buffer->data, len) == len) {
        struct mpb_parts push = {.data = mpb_buffer_view(buffer), .buffer = buffer};
        st = push_to_peers(c, msg, &push);
    }
    mpb_buffer_unref(buffer);
    return st;
}

/* Header, the bytes as they arrived, trailer: nothing is serialised or joined. */
static enum mpb_status push_scattered(struct chain *c, const struct mpb_msg *msg)
{
    enum { TRAILER_MAX = 512 };
    uint8_t header[MPB_PUSH_HEADER_MAX], trailer[TRAILER_MAX];
    const struct mpb_inbound *in = c->delivery.inbound;
    size_t header_len = mpb_push_header(in->wire.len, header);
    size_t trailer_len = mpb_push_trailer(c->delivery.pubsub_topic, trailer, sizeof(trailer));
    if (trailer_len == 0) {
        return MPB_E_INTERNAL;
    }
    struct mpb_parts push = {{header, header_len}, in->wire, {trailer, trailer_len}, in->buffer};
    return push_to_peers(c, msg, &push);
}

static enum mpb_status filter(struct chain *c, const struct mpb_msg *msg)
{
    const struct mpb_node *n = c->node;
    const uint8_t *hash = NULL;
    uint8_t computed[MPB_MSG_HASH_LEN];
    uint32_t peer = 0;
    size_t next = 0;
    if (n->cfg.filter == NULL) {
        return MPB_OK;
    }
    enum mpb_status st = hash_here(c, MPB_SITE_FILTER, msg, computed, &hash);
    if (st != MPB_OK || !mpb_filter_match(n->cfg.filter, 0, c->delivery.pubsub_topic,
                                          msg->content_topic, &peer, &next)) {
        return st;
    }
    MPB_PROBE_SITE(MPB_SITE_PUSH);
    st = hash_here(c, MPB_SITE_PUSH, msg, computed, &hash);
    if (st != MPB_OK) {
        return st;
    }
    /* A publisher that has not encoded its message has no bytes at hand to scatter. */
    bool scatter = mpb__node_plan(n, MPB_SITE_PUSH)->encode == MPB_ENCODE_SCATTER;
    return scatter && c->delivery.inbound != NULL ? push_scattered(c, msg)
                                                  : push_serialised(c, msg);
}

/* Put a message: by value a copy of its own stays behind, by reference the envelope; in a database
 * a row, which is written from the message as it is and is no copy of ours. */
static enum mpb_status store(struct chain *c, const struct mpb_msg *msg, const struct mpb_key *key,
                             enum mpb_refusal *refusal)
{
    struct mpb_node *n = c->node;
    struct mpb_archive_item item = {.key = key, .msg = msg, .envelope = c->delivery.envelope};
    struct mpb_gate stored = {0};
    enum mpb_status st = mpb_archive_admit(n->archive, key, refusal, &n->err);
    if (st != MPB_OK || *refusal != MPB_REFUSAL__COUNT) {
        return st;
    }
    if (mpb_archive_keeps(n->archive) == MPB_ARCHIVE_COPIES) {
        st = mpb_gate_pass(&stored, n->cfg.variant, MPB_GATE_ARCHIVE_STORED, msg, &item.msg);
        item.copy = st == MPB_OK ? mpb_gate_take(&stored) : NULL;
    }
    if (st == MPB_OK) {
        st = mpb_archive_put(n->archive, &item, refusal, &n->err);
    }
    mpb_gate_close(&stored);
    return st;
}

static enum mpb_status archive(struct chain *c, const struct mpb_msg *msg)
{
    struct mpb_node *n = c->node;
    if (n->archive == NULL) {
        return MPB_OK;
    }
    uint8_t computed[MPB_MSG_HASH_LEN];
    const uint8_t *hash = NULL;
    enum mpb_status st = hash_here(c, MPB_SITE_ARCHIVE, msg, computed, &hash);
    if (st != MPB_OK) {
        return st;
    }
    struct mpb_key key = {.time_ns = msg->timestamp_ns};
    memcpy(key.hash, hash, sizeof(key.hash));
    struct mpb_gate put = {0};
    const struct mpb_msg *parameter = NULL;
    enum mpb_refusal refusal = mpb_archive_check(msg, n->now_ns);
    if (refusal == MPB_REFUSAL__COUNT) {
        st = mpb_gate_pass(&put, n->cfg.variant, MPB_GATE_ARCHIVE_PUT, msg, &parameter);
        st = st == MPB_OK ? store(c, parameter, &key, &refusal) : st;
    }
    if (st == MPB_OK && refusal != MPB_REFUSAL__COUNT) {
        n->stats.refused[refusal]++;
    } else if (st == MPB_OK) {
        n->stats.archived++;
    }
    mpb_gate_close(&put);
    return st;
}

static enum mpb_status store_sync(struct chain *c, const struct mpb_msg *msg)
{
    if (c->node->cfg.no_store_sync) {
        return MPB_OK;
    }
    uint8_t computed[MPB_MSG_HASH_LEN];
    const uint8_t *hash = NULL;
    enum mpb_status st = hash_here(c, MPB_SITE_STORE_SYNC, msg, computed, &hash);
    if (st != MPB_OK) {
        return st;
    }
    struct mpb_key key = {.time_ns = msg->timestamp_ns};
    memcpy(key.hash, hash, sizeof(key.hash));
    return mpb_sync_index_insert(&c->node->sync_index, &key);
}

static enum mpb_status event(struct chain *c, const struct mpb_msg *msg)
{
    const struct mpb_msg *object = NULL;
    c->node->stats.events++;
    return mpb_gate_pass(&c->event_object, c->node->cfg.variant, MPB_GATE_EVENT_OBJECT, msg,
                         &object);
}

static enum mpb_status app(struct chain *c, const struct mpb_msg *msg)
{
    struct mpb_node *n = c->node;
    struct mpb_gate handoff = {0};
    struct mpb_delivery delivery = c->delivery;
    enum mpb_status st =
        mpb_gate_pass(&handoff, n->cfg.variant, MPB_GATE_APP_HANDOFF, msg, &delivery.msg);
    if (st == MPB_OK) {
        n->cfg.app(n->cfg.app_ctx, &delivery);
        n->stats.delivered++;
    }
    mpb_gate_close(&handoff);
    return st;
}

/* The chain, in order: each handler's asynchronous call captures the message first. */
static const struct {
    enum mpb_site site;
    enum mpb_gate_id capture;
    enum mpb_status (*run)(struct chain *c, const struct mpb_msg *msg);
} handlers[] = {
    {MPB_SITE_TRACE, MPB_GATE_TRACE_CAPTURE, trace},
    {MPB_SITE_FILTER, MPB_GATE_FILTER_CAPTURE, filter},
    {MPB_SITE_ARCHIVE, MPB_GATE_ARCHIVE_CAPTURE, archive},
    {MPB_SITE_STORE_SYNC, MPB_GATE_STORE_SYNC_CAPTURE, store_sync},
    {MPB_SITE_EVENT, MPB_GATE_EVENT_CAPTURE, event},
    {MPB_SITE_APP, MPB_GATE_APP_CAPTURE, app},
};

static enum mpb_status run_handlers(struct chain *c)
{
    enum mpb_status st = MPB_OK;
    for (size_t i = 0; i < MPB_ARRAY_LEN(handlers) && st == MPB_OK; i++) {
        struct mpb_gate capture = {0};
        const struct mpb_msg *msg = NULL;
        MPB_PROBE_SITE(handlers[i].site);
        st = mpb_gate_pass(&capture, c->node->cfg.variant, handlers[i].capture, c->delivery.msg,
                           &msg);
        if (st == MPB_OK) {
            st = handlers[i].run(c, msg);
        }
        MPB_PROBE_SITE(handlers[i].site); /* the filter leaves for push */
        mpb_gate_close(&capture);
    }
    MPB_PROBE_SITE(MPB_SITE_TOPIC_HANDLER);
    mpb_gate_close(&c->event_object);
    return st;
}

/* The allocation test's variants: K copies, each freed before the next. */
static enum mpb_status churn(const struct mpb_variant *variant, const struct mpb_msg *msg)
{
    for (unsigned i = 0; i < variant->churn_copies; i++) {
        struct mpb_copy *copy = mpb_copy_new(msg);
        if (copy == NULL) {
            return MPB_E_NOMEM;
        }
        mpb_copy_free(copy);
    }
    return MPB_OK;
}

/* By reference: one envelope that owns the decode, with its hash, for the whole chain. */
static enum mpb_status wrap(struct chain *c, const struct mpb__entry *entry,
                            struct mpb__decoded *decoded)
{
    struct mpb_envelope *envelope = NULL;
    const uint8_t *hash = NULL;
    if (decoded->owned != NULL) {
        envelope = mpb_envelope_take_owned(decoded->owned, c->delivery.pubsub_topic);
    } else {
        struct mpb_buffer *buffer =
            entry->known != NULL ? entry->known_buffer : entry->inbound->buffer;
        envelope = mpb_envelope_new_view(decoded->msg, buffer, c->delivery.pubsub_topic);
    }
    if (envelope == NULL) {
        return MPB_E_NOMEM;
    }
    decoded->owned = NULL;
    c->delivery.envelope = envelope;
    c->delivery.msg = &envelope->msg;
    enum mpb_status st = mpb__node_hash(c->node, entry->site, &envelope->msg, entry->known_hash,
                                        envelope->hash, &hash);
    if (st == MPB_OK && hash == entry->known_hash && hash != NULL) {
        memcpy(envelope->hash, hash, sizeof(envelope->hash));
    }
    c->delivery.hash = envelope->hash;
    return st;
}

static enum mpb_status decode_here(const struct mpb_node *node, const struct mpb__entry *entry,
                                   struct mpb__decoded *out)
{
    enum mpb_decode_plan plan = mpb__node_plan(node, entry->site)->decode;
    if (plan != MPB_DECODE_REUSE) {
        return mpb__node_decode(plan, entry->inbound->wire, out);
    }
    if (entry->known == NULL) {
        return MPB_E_INTERNAL;
    }
    out->view = *entry->known;
    out->msg = &out->view;
    return MPB_OK;
}

enum mpb_status mpb__chain_enter(struct mpb_node *node, const struct mpb__entry *entry,
                                 int64_t now_ns)
{
    const struct mpb_variant *variant = node->cfg.variant;
    struct chain c = {
        .node = node,
        .delivery = {.pubsub_topic = node->cfg.pubsub_topic, .inbound = entry->inbound}};
    struct mpb__decoded decoded = {0};
    struct mpb_gate bind = {0}, capture = {0};
    const struct mpb_msg *bound = NULL;

    MPB_PROBE_SITE(entry->site);
    node->now_ns = now_ns;
    enum mpb_status st = decode_here(node, entry, &decoded);
    if (st != MPB_OK) {
        return st;
    }
    st = mpb_gate_pass(&bind, variant, entry->bind, decoded.msg, &bound);
    if (st == MPB_OK) {
        MPB_PROBE_SITE(MPB_SITE_TOPIC_HANDLER);
        st = mpb_gate_pass(&capture, variant, MPB_GATE_TOPIC_HANDLER_CAPTURE, bound,
                           &c.delivery.msg);
        MPB_PROBE_SITE(entry->site);
    }
    if (st == MPB_OK && !variant->path->by_value) {
        st = wrap(&c, entry, &decoded);
    }
    if (st == MPB_OK) {
        st = churn(variant, c.delivery.msg);
    }
    if (st == MPB_OK) {
        st = run_handlers(&c);
    }
    MPB_PROBE_SITE(entry->site);
    mpb_envelope_unref(c.delivery.envelope);
    mpb_gate_close(&capture);
    mpb_gate_close(&bind);
    mpb__node_decoded_fini(&decoded);
    return st;
}
