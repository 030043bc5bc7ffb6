/* node_priv.h: what node.c and chain.c share: the node itself, and decoding and hashing as the
 * variant plans them. Private to these two. */
#ifndef MPB_CORE_NODE_PRIV_H
#define MPB_CORE_NODE_PRIV_H

#include "core/gate.h"
#include "core/hasher.h"
#include "core/node.h"

MPB_BEGIN_DECLS

struct mpb_node {
    struct mpb_node_cfg cfg;
    struct mpb_hasher *hasher;
    struct mpb_archive *archive; /* NULL: none */
    struct mpb_sync_index sync_index;
    struct mpb_node_stats stats;
    struct mpb_error err; /* the archive's, where a status does not say it all */
    int64_t now_ns;
    int64_t last_ns; /* timestamp of the message accepted last */
    /* The validator's view, for a topic handler that reuses it: valid for these bytes only. */
    const uint8_t *validated;
    struct mpb_msg validated_msg;
};

/* A message decoded at a site. owned is NULL for views. Zero-initialised is empty. */
struct mpb__decoded {
    struct mpb_msg view;
    struct mpb_owned *owned;
    const struct mpb_msg *msg;
};

static inline const struct mpb_site_plan *mpb__node_plan(const struct mpb_node *node,
                                                         enum mpb_site site)
{
    return &node->cfg.variant->path->site[site];
}

/* Decode wire as the site's plan says (OWNED or VIEW). Errors as the decoders. */
MPB_MUST_USE enum mpb_status mpb__node_decode(enum mpb_decode_plan plan, struct mpb_bytes wire,
                                              struct mpb__decoded *out);
void mpb__node_decoded_fini(struct mpb__decoded *decoded);

/* The site's hash of msg: computed into out, or the one at hand (known); *hash is NULL where the
 * plan has none. */
MPB_MUST_USE enum mpb_status mpb__node_hash(struct mpb_node *node, enum mpb_site site,
                                            const struct mpb_msg *msg, const uint8_t *known,
                                            uint8_t out[MPB_MSG_HASH_LEN], const uint8_t **hash);

/* How a message enters the chain: at the topic handler of a receiver, or of the publisher itself.
 */
struct mpb__entry {
    enum mpb_site site;
    enum mpb_gate_id bind;
    const struct mpb_inbound *inbound; /* NULL: never encoded */
    const struct mpb_msg *known;       /* what a reusing site takes instead of decoding */
    struct mpb_buffer *known_buffer;   /* what known's bytes live in */
    const uint8_t *known_hash;         /* what a reusing site takes instead of hashing */
};
/* Decode (or reuse) at the entry's site, then run the handler chain. */
MPB_MUST_USE enum mpb_status mpb__chain_enter(struct mpb_node *node, const struct mpb__entry *entry,
                                              int64_t now_ns);

MPB_END_DECLS

#endif
