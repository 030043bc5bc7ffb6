/* node.c: a node's making and end, its validators and observers. The handler chain is chain.c. */
#include "core/node.h"

#include "core/node_priv.h"
#include "core/view.h"
#include "instrument/heap.h"

enum mpb_status mpb__node_decode(enum mpb_decode_plan plan, struct mpb_bytes wire,
                                 struct mpb__decoded *out)
{
    enum mpb_status st = MPB_OK;
    if (plan == MPB_DECODE_OWNED) {
        st = mpb_owned_decode(wire, &out->owned);
        if (st == MPB_OK) {
            out->msg = mpb_owned_msg(out->owned);
        }
    } else {
        st = mpb_view_decode(wire, &out->view);
        if (st == MPB_OK) {
            out->msg = &out->view;
        }
    }
    return st;
}

void mpb__node_decoded_fini(struct mpb__decoded *decoded)
{
    mpb_owned_free(decoded->owned);
    *decoded = (struct mpb__decoded){0};
}

enum mpb_status mpb__node_hash(struct mpb_node *node, enum mpb_site site, const struct mpb_msg *msg,
                               const uint8_t *known, uint8_t out[MPB_MSG_HASH_LEN],
                               const uint8_t **hash)
{
    enum mpb_hash_plan plan = mpb__node_plan(node, site)->hash;
    if (plan == MPB_HASH_COMPUTE) {
        enum mpb_status st = mpb_hasher_message(node->hasher, node->cfg.pubsub_topic, msg, out);
        if (st != MPB_OK) {
            return st;
        }
        *hash = out;
        return MPB_OK;
    }
    *hash = plan == MPB_HASH_REUSE ? known : NULL;
    return MPB_OK;
}

static enum mpb_status make_archive(const struct mpb_node_cfg *cfg, struct mpb_archive **out,
                                    struct mpb_error *err)
{
    bool by_value = cfg->variant->path->by_value;
    struct mpb_archive_cfg archive = {
        .keeps = cfg->archive_db != NULL ? MPB_ARCHIVE_ROWS
                 : by_value              ? MPB_ARCHIVE_COPIES
                                         : MPB_ARCHIVE_ENVELOPES,
        .capacity = cfg->archive_capacity,
        .pubsub_topic = cfg->pubsub_topic,
        .db = cfg->archive_db,
    };
    return mpb_archive_new(&archive, out, err);
}

enum mpb_status mpb_node_new(const struct mpb_node_cfg *cfg, struct mpb_node **out,
                             struct mpb_error *err)
{
    if (cfg->n_validators > MPB_NODE_VALIDATORS_MAX) {
        return mpb_error_set(err, MPB_E_USAGE, "node", "more than %d validators",
                             MPB_NODE_VALIDATORS_MAX);
    }
    struct mpb_node *node = mpb_heap_alloc(sizeof(*node));
    if (node == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "node", NULL);
    }
    *node = (struct mpb_node){.cfg = *cfg};
    node->cfg.filter = NULL; /* taken over last */
    enum mpb_status st = mpb_hasher_new(&node->hasher, err);
    if (st == MPB_OK && cfg->archive_capacity > 0) {
        st = make_archive(cfg, &node->archive, err);
    }
    if (st == MPB_OK && !cfg->no_store_sync) {
        st = mpb_sync_index_init(&node->sync_index);
    }
    if (st != MPB_OK) {
        mpb_node_free(node);
        return st == MPB_E_NOMEM ? mpb_error_set(err, st, "node", NULL) : st;
    }
    node->cfg.filter = cfg->filter;
    *out = node;
    return MPB_OK;
}

void mpb_node_free(struct mpb_node *node)
{
    if (node == NULL) {
        return;
    }
    MPB_PROBE_SITE(MPB_SITE_OTHER);
    mpb_filter_free(node->cfg.filter);
    mpb_archive_free(node->archive);
    mpb_sync_index_fini(&node->sync_index);
    mpb_hasher_free(node->hasher);
    mpb_heap_free(node);
}

/* Run the validators over a decoded message; on rejection count it under the validator, and hash
 * the message as nodes do to log what they refuse. */
static enum mpb_status run_validators(struct mpb_node *node, const struct mpb_msg *msg,
                                      struct mpb_bytes wire, bool *accepted)
{
    for (size_t i = 0; i < node->cfg.n_validators; i++) {
        const struct mpb_validator *v = &node->cfg.validators[i];
        if (v->check(v->ctx, msg, wire) != MPB_OK) {
            uint8_t hash[MPB_MSG_HASH_LEN];
            node->stats.rejected_by_validator[i]++;
            return mpb_hasher_message(node->hasher, node->cfg.pubsub_topic, msg, hash);
        }
    }
    *accepted = true;
    return MPB_OK;
}

enum mpb_status mpb_node_validate(struct mpb_node *node, const struct mpb_inbound *in,
                                  bool *accepted)
{
    MPB_PROBE_SITE(MPB_SITE_VALIDATOR);
    struct mpb__decoded decoded = {0};
    struct mpb_gate bind = {0};
    const struct mpb_msg *msg = NULL;
    bool is_accepted = false;

    node->validated = NULL;
    enum mpb_status st =
        mpb__node_decode(mpb__node_plan(node, MPB_SITE_VALIDATOR)->decode, in->wire, &decoded);
    if (st == MPB_E_NOMEM) {
        return st;
    }
    if (st != MPB_OK) {
        node->stats.rejected_by_codec[-1 - (int)st]++;
        *accepted = false;
        return MPB_OK;
    }
    st = mpb_gate_pass(&bind, node->cfg.variant, MPB_GATE_VALIDATOR_BIND, decoded.msg, &msg);
    if (st == MPB_OK) {
        st = run_validators(node, msg, in->wire, &is_accepted);
    }
    if (st == MPB_OK) {
        node->validated = in->wire.data;
        node->last_ns = is_accepted ? msg->timestamp_ns : node->last_ns;
        node->validated_msg = decoded.view; /* only a view may outlive its decode */
        *accepted = is_accepted;
    }
    mpb_gate_close(&bind);
    mpb__node_decoded_fini(&decoded);
    return st;
}

enum mpb_status mpb_node_deliver(struct mpb_node *node, const struct mpb_inbound *in,
                                 int64_t now_ns)
{
    struct mpb__entry entry = {
        .site = MPB_SITE_TOPIC_HANDLER, .bind = MPB_GATE_TOPIC_HANDLER_BIND, .inbound = in};
    if (node->validated == in->wire.data) {
        entry.known = &node->validated_msg;
        entry.known_buffer = in->buffer;
    }
    return mpb__chain_enter(node, &entry, now_ns);
}

enum mpb_status mpb_node_receive(struct mpb_node *node, struct mpb_buffer *buffer, int64_t now_ns)
{
    struct mpb_inbound in = {buffer, mpb_buffer_view(buffer)};
    bool accepted = false;
    enum mpb_status st = mpb_node_validate(node, &in, &accepted);
    if (st == MPB_OK && accepted) {
        st = mpb_node_deliver(node, &in, now_ns);
    }
    MPB_PROBE_SITE(MPB_SITE_INBOUND);
    mpb_buffer_unref(buffer);
    return st;
}

enum mpb_status mpb_node_id(struct mpb_node *node, struct mpb_bytes wire,
                            uint8_t out[MPB_MSG_HASH_LEN])
{
    MPB_PROBE_SITE(MPB_SITE_SEEN_CACHE);
    return mpb_hasher_id(node->hasher, wire, out);
}

/* The gate behind an observing site's decode. */
static enum mpb_gate_id bind_gate(enum mpb_site site)
{
    return site == MPB_SITE_ON_RECV   ? MPB_GATE_ON_RECV_BIND
           : site == MPB_SITE_ON_SEND ? MPB_GATE_ON_SEND_BIND
                                      : MPB_GATE_ON_VALIDATED_BIND;
}

static void call_observers(const struct mpb_node *node, enum mpb_site site,
                           const struct mpb_msg *msg, const uint8_t *hash)
{
    for (size_t i = 0; i < node->cfg.n_observers; i++) {
        const struct mpb_observer *o = &node->cfg.observers[i];
        if (o->site == site) {
            o->see(o->ctx, msg, hash);
        }
    }
}

enum mpb_status mpb_node_observe(struct mpb_node *node, enum mpb_site site, struct mpb_bytes wire)
{
    const struct mpb_site_plan *plan = mpb__node_plan(node, site);
    if (plan->decode == MPB_DECODE_NONE) {
        return MPB_OK;
    }
    MPB_PROBE_SITE(site);
    struct mpb__decoded decoded = {0};
    struct mpb_gate bind = {0};
    const struct mpb_msg *msg = NULL;
    const uint8_t *hash = NULL;
    uint8_t computed[MPB_MSG_HASH_LEN];

    enum mpb_status st = mpb__node_decode(plan->decode, wire, &decoded);
    if (st != MPB_OK) {
        return st == MPB_E_NOMEM ? st : MPB_OK; /* the validator is where bad bytes are counted */
    }
    st = mpb_gate_pass(&bind, node->cfg.variant, bind_gate(site), decoded.msg, &msg);
    if (st == MPB_OK && plan->id_hash) {
        st = mpb_hasher_id(node->hasher, wire, computed);
    }
    if (st == MPB_OK) {
        st = mpb__node_hash(node, site, msg, NULL, computed, &hash);
    }
    if (st == MPB_OK) {
        call_observers(node, site, msg, hash);
    }
    mpb_gate_close(&bind);
    mpb__node_decoded_fini(&decoded);
    return st;
}

bool mpb_node_has_failed(const struct mpb_node *node)
{
    return node->err.status == MPB_E_IO;
}

const char *mpb_node_reason(const struct mpb_node *node, enum mpb_status status)
{
    return status == MPB_E_IO && mpb_node_has_failed(node) ? node->err.text
                                                           : mpb_status_text(status);
}

int64_t mpb_node_last_ns(const struct mpb_node *node)
{
    return node->last_ns;
}

const struct mpb_node_stats *mpb_node_stats(const struct mpb_node *node)
{
    return &node->stats;
}

const struct mpb_archive *mpb_node_archive(const struct mpb_node *node)
{
    return node->archive;
}

const struct mpb_sync_index *mpb_node_sync_index(const struct mpb_node *node)
{
    return &node->sync_index;
}
