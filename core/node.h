/* node.h: one node's message path, from arriving bytes to the application's handler.
 *
 *   receive = validate (ordered validators) -> deliver (topic handler, then the handler chain
 *   trace, filter, archive, store-sync, event, application, strictly one after the other)
 *
 * plus the observers that a relay calls around it (on_recv, on_validated, on_send). What each site
 * decodes, hashes, encodes or copies is the variant's data; this is the one pipeline that reads
 * it. A node belongs to one thread. */
#ifndef MPB_CORE_NODE_H
#define MPB_CORE_NODE_H

#include "core/archive.h"
#include "core/filter.h"
#include "core/sync_index.h"
#include "core/variant.h"

MPB_BEGIN_DECLS

/* A message as handlers see it. All borrowed for the duration of the call. */
struct mpb_delivery {
    const struct mpb_msg *msg;
    struct mpb_bytes pubsub_topic;
    const uint8_t *hash;               /* NULL where this variant has not computed it */
    struct mpb_envelope *envelope;     /* NULL where messages travel by value */
    const struct mpb_inbound *inbound; /* the bytes as they arrived; NULL if never encoded */
};

/* A validator: MPB_OK accepts; anything else rejects, under the validator's name. */
struct mpb_validator {
    const char *name; /* lower_snake; appears in rejected/<name> */
    enum mpb_status (*check)(void *ctx, const struct mpb_msg *msg, struct mpb_bytes wire);
    void *ctx;
};

/* An observer of one site (ON_RECV, ON_VALIDATED, ON_SEND). hash is NULL unless the site computes
 * it. Not called when the variant gates the site off. */
struct mpb_observer {
    enum mpb_site site;
    void (*see)(void *ctx, const struct mpb_msg *msg, const uint8_t *hash);
    void *ctx;
};

/* A MessagePush for one filter peer; borrowed for the call (whoever keeps it longer takes a
 * reference to push->buffer). */
typedef void (*mpb_push_fn)(void *ctx, uint32_t peer, const struct mpb_parts *push);

/* Bytes that arrived: one encoded message, which lies within buffer (a frame, or all of it). */
struct mpb_inbound {
    struct mpb_buffer *buffer;
    struct mpb_bytes wire;
};

/* A message on its way out: its encoding in parts. Serialised variants have it all in parts.data;
 * scattered ones send the application's payload as it is. Borrowed for the call. */
struct mpb_outbound {
    struct mpb_parts parts;
    uint8_t id[MPB_MSG_HASH_LEN]; /* gossipsub message id */
};

/* Called by mpb_node_publish() when the message has been delivered to the node itself. */
typedef enum mpb_status (*mpb_send_fn)(void *ctx, const struct mpb_outbound *message);

struct mpb_node_cfg {
    const struct mpb_variant *variant;
    struct mpb_bytes pubsub_topic; /* borrowed, as long as the node lives */
    size_t archive_capacity;       /* messages; 0: no archive */
    const char *archive_db;        /* NULL: archive in memory; else SQLite's, as archive.h says */
    bool no_store_sync;            /* store-sync not mounted */
    struct mpb_filter *filter;     /* taken over; NULL: filter not mounted */
    const struct mpb_validator *validators; /* validators[n_validators], called in order */
    size_t n_validators;
    const struct mpb_observer *observers; /* observers[n_observers], called in order */
    size_t n_observers;
    void (*app)(void *ctx, const struct mpb_delivery *delivery);
    void *app_ctx;
    mpb_push_fn push;
    void *push_ctx;
};

#define MPB_NODE_VALIDATORS_MAX 8

/* What became of the messages since the node began. */
struct mpb_node_stats {
    uint64_t traced, traced_bytes; /* by the trace handler */
    uint64_t delivered, archived, pushed, events;
    uint64_t rejected_by_codec[MPB_STATUS__COUNT];
    uint64_t rejected_by_validator[MPB_NODE_VALIDATORS_MAX];
    uint64_t refused[MPB_REFUSAL__COUNT];
};

struct mpb_node;

/* MPB_E_NOMEM, MPB_E_UNAVAILABLE (no SHA-256), MPB_E_USAGE (too many validators), or why there is
 * no archive. The filter is taken over only on success. */
MPB_MUST_USE enum mpb_status mpb_node_new(const struct mpb_node_cfg *cfg, struct mpb_node **out,
                                          struct mpb_error *err);
void mpb_node_free(struct mpb_node *node); /* NULL is a no-op */

/* Validate and deliver arriving bytes; takes over the caller's reference to buffer, all of which is
 * the message. now_ns is the node's clock. MPB_OK also when the message was rejected or refused
 * (see stats); MPB_E_NOMEM, MPB_E_INTERNAL, MPB_E_IO (the archive) when the node could not do its
 * work. */
MPB_MUST_USE enum mpb_status mpb_node_receive(struct mpb_node *node, struct mpb_buffer *buffer,
                                              int64_t now_ns);
/* The ordered validators alone; *accepted says the outcome. */
MPB_MUST_USE enum mpb_status mpb_node_validate(struct mpb_node *node, const struct mpb_inbound *in,
                                               bool *accepted);
/* The topic handler and the chain, for bytes that were validated just before. */
MPB_MUST_USE enum mpb_status mpb_node_deliver(struct mpb_node *node, const struct mpb_inbound *in,
                                              int64_t now_ns);
/* Publish the application's message: encode and hash it, deliver it to the node itself, compute its
 * id, then call send. The payload lies in app_buffer, which variants may keep by reference; topics,
 * meta and proof are at most MPB_NODE_TAIL_MAX bytes with their tags for a scattered encoding
 * (MPB_E_USAGE). Errors as _receive, and what send returned. */
#define MPB_NODE_TAIL_MAX 1024
MPB_MUST_USE enum mpb_status mpb_node_publish(struct mpb_node *node, const struct mpb_msg *msg,
                                              struct mpb_buffer *app_buffer, int64_t now_ns,
                                              mpb_send_fn send, void *send_ctx);
/* The gossipsub message id of arriving bytes. */
MPB_MUST_USE enum mpb_status mpb_node_id(struct mpb_node *node, struct mpb_bytes wire,
                                         uint8_t out[MPB_MSG_HASH_LEN]);
/* Call the observers of a site, decoding and hashing as the variant does there. */
MPB_MUST_USE enum mpb_status mpb_node_observe(struct mpb_node *node, enum mpb_site site,
                                              struct mpb_bytes wire);

/* Did its archive fail (MPB_E_IO)? It stays so: what is archived after that has a gap. */
bool mpb_node_has_failed(const struct mpb_node *node);
/* The words for a status that a call of this node returned: the archive's own for MPB_E_IO. */
const char *mpb_node_reason(const struct mpb_node *node, enum mpb_status status);
/* Timestamp of the message that the validators accepted last; 0 before the first. */
int64_t mpb_node_last_ns(const struct mpb_node *node);
const struct mpb_node_stats *mpb_node_stats(const struct mpb_node *node);
const struct mpb_archive *mpb_node_archive(const struct mpb_node *node); /* NULL: none */
const struct mpb_sync_index *mpb_node_sync_index(const struct mpb_node *node);

MPB_END_DECLS

#endif
