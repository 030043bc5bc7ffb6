/* gossip.h: a relay node: the router around a node's message path.
 *
 * It exchanges subscriptions, grafts its peers into the mesh, keeps the seen-cache (2 min) and the
 * message cache (6 heartbeats), drops what StrictNoSign, the topic, the size limit or the
 * seen-cache say must be dropped (counted by reason), calls the observers where relays call them,
 * relays to other mesh peers, and answers IHAVE, IWANT, GRAFT and PRUNE. It performs no waiting: a
 * driver owns the sockets' readiness. One thread.
 *
 * Time is virtual: the newest message's timestamp. A node's own messages move its clock as far as
 * they say; a peer's accepted message by 20 s at most. So no one message breaks the clock, but a
 * peer may walk it: peers that send valid messages are trusted with time.
 *
 * Whatever a peer sends, what it makes a node hold is bounded: by the seen-cache's capacity, the
 * message cache's bytes, the limits of its queues, and one frame of 150 KiB. */
#ifndef MPB_CORE_GOSSIP_H
#define MPB_CORE_GOSSIP_H

#include "core/node.h"
#include "core/peer.h"

MPB_BEGIN_DECLS

/* X(ID, name, doc): why a message or frame was dropped before validation; names appear in
 * dropped/<name>. */
/* clang-format off */
#define MPB_DROP_LIST(X) \
    X(DUPLICATE,   "duplicate",   "its id is in the seen-cache") \
    X(WRONG_TOPIC, "wrong_topic", "a topic this node has not subscribed to") \
    X(SIGNED,      "signed",      "carries a field that StrictNoSign forbids") \
    X(MALFORMED,   "malformed",   "the frame or its RPC does not parse; its connection ends") \
    X(OVERSIZE,    "oversize",    "the frame is longer than 150 KiB; its connection ends") \
    X(CUT,         "cut",         "the connection ended within a frame") \
    X(QUEUE_FULL,  "queue_full",  "a frame to send found its peer's queue full (a control frame: its connection ends)")
/* clang-format on */

enum mpb_drop {
#define MPB_X(id, name, doc) MPB_DROP_##id,
    MPB_DROP_LIST(MPB_X)
#undef MPB_X
        MPB_DROP__COUNT
};
const char *mpb_gossip_drop_name(enum mpb_drop drop);

struct mpb_gossip_cfg {
    struct mpb_node *node;         /* borrowed */
    struct mpb_bytes pubsub_topic; /* borrowed; the one topic of this node */
    const struct mpb_variant *variant;
    size_t seen_capacity;   /* ids, at least 1 */
    size_t cache_max_bytes; /* of the message cache; 0: MPB_GOSSIP_CACHE_MAX_BYTES */
    int64_t start_ns;       /* virtual time at the start */
    int64_t heartbeat_ns;   /* of virtual time, more than 0 */
};
/* Six heartbeats of 1 s of 1 000 messages a second of the largest size are 0.86 GiB. */
#define MPB_GOSSIP_CACHE_MAX_BYTES ((size_t)1 << 30)

struct mpb_gossip_stats {
    uint64_t published, sent, received; /* messages; sent: to peers, received: in frames */
    uint64_t dropped[MPB_DROP__COUNT];
    uint64_t control_in, heartbeats, iwant_served, peers_lost;
    uint64_t uncached; /* messages that found the message cache full */
};

struct mpb_gossip;
struct mpb_gossip_peer;

/* MPB_E_NOMEM; MPB_E_USAGE: a topic longer than MPB_RPC_TOPIC_MAX, a bound that is not one. */
MPB_MUST_USE enum mpb_status mpb_gossip_new(const struct mpb_gossip_cfg *cfg,
                                            struct mpb_gossip **out, struct mpb_error *err);
void mpb_gossip_free(struct mpb_gossip *gossip); /* and its peers; NULL is a no-op */

/* Take over a connected, non-blocking socket (on failure too: it is closed) and queue the
 * subscription and a GRAFT. *out_peer is borrowed, valid until _serve says that it is lost.
 * MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_gossip_add_peer(struct mpb_gossip *gossip, int fd,
                                                 struct mpb_gossip_peer **out_peer,
                                                 struct mpb_error *err);
/* Read and handle what a peer sent, a few frames a call, then write what it takes. *drained (set
 * only on success, of a peer that is not lost): it had nothing more to read. *lost: the connection
 * ended or had to end, and is closed (counted by reason). What was relayed waits for the other
 * peers' turns: see _wants_write. Statuses are the node's own failures only, after which the peer
 * may be served again; the rest of the frame that met with one is gone. */
MPB_MUST_USE enum mpb_status mpb_gossip_serve(struct mpb_gossip *gossip,
                                              struct mpb_gossip_peer *peer, bool *drained,
                                              bool *lost, struct mpb_error *err);
/* Does the peer have output that its socket did not take? */
bool mpb_gossip_wants_write(const struct mpb_gossip_peer *peer);
/* Has the peer subscribed to our topic and been grafted? */
bool mpb_gossip_is_ready(const struct mpb_gossip_peer *peer);
const struct mpb_peer_stats *mpb_gossip_peer_stats(const struct mpb_gossip_peer *peer);

/* Publish the application's message to the node itself and every mesh peer, and start writing.
 * MPB_E_USAGE: too long for a frame, nothing was done. Other statuses are the node's own failures;
 * it may have delivered the message to itself by then. A broken connection is none: the next _serve
 * says that it is lost. */
MPB_MUST_USE enum mpb_status mpb_gossip_publish(struct mpb_gossip *gossip,
                                                const struct mpb_msg *msg,
                                                struct mpb_buffer *app_buffer,
                                                struct mpb_error *err);

const struct mpb_gossip_stats *mpb_gossip_stats(const struct mpb_gossip *gossip);
size_t mpb_gossip_seen_bytes(const struct mpb_gossip *gossip);
size_t mpb_gossip_cache_bytes(const struct mpb_gossip *gossip);

MPB_END_DECLS

#endif
