/* gossip_priv.h: what gossip.c and arrival.c share: the router, its peers, sending and the clock.
 * Private to these two. */
#ifndef MPB_CORE_GOSSIP_PRIV_H
#define MPB_CORE_GOSSIP_PRIV_H

#include "core/gossip.h"
#include "core/message_cache.h"
#include "core/seen_cache.h"

MPB_BEGIN_DECLS

/* Ids asked for in answer to one frame; a peer announces the others again. */
#define MPB__GOSSIP_WANTED_MAX 256

struct mpb_gossip_peer {
    struct mpb_gossip *gossip;
    struct mpb_gossip_peer *next;
    struct mpb_peer *peer;
    bool subscribed, in_mesh;
    bool has_failed; /* the node itself, at the frame handled last */
};

struct mpb_gossip {
    struct mpb_gossip_cfg cfg;
    struct mpb_seen_cache *seen;
    struct mpb_message_cache *cache;
    struct mpb_gossip_peer *peers;
    struct mpb_gossip_stats stats;
    int64_t now_ns, last_heartbeat_ns;
    /* Ids that the frame being handled announced and that were not seen: wanted[n_wanted]. */
    size_t n_wanted;
    uint8_t wanted[MPB__GOSSIP_WANTED_MAX][MPB_MSG_HASH_LEN];
};

/* Queue a short frame of our own making. MPB_E_NOMEM; MPB_E_REJECTED when the peer does not read
 * what it is sent (counted): its connection must end. */
MPB_MUST_USE enum mpb_status mpb__gossip_send_control(struct mpb_gossip_peer *peer,
                                                      const uint8_t *frame, size_t len);
/* Queue a publish for one peer, joined or scattered as the variant sends. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb__gossip_send_message(struct mpb_gossip_peer *peer,
                                                      enum mpb_priority priority,
                                                      const struct mpb_parts *message);
/* Relay to every mesh peer but the one it came from: the send observer, then the queue. */
MPB_MUST_USE enum mpb_status mpb__gossip_broadcast(struct mpb_gossip *gossip,
                                                   const struct mpb_gossip_peer *from,
                                                   enum mpb_priority priority,
                                                   const struct mpb_parts *message);
/* Into the message cache, if there is room. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb__gossip_keep(struct mpb_gossip *gossip,
                                              const uint8_t id[MPB_MSG_HASH_LEN],
                                              const struct mpb_parts *message);
/* The clock follows a message that was accepted. */
void mpb__gossip_follow(struct mpb_gossip *gossip, int64_t to_ns);

/* Handle one frame; takes over the reference. ctx: the peer it came from. MPB_E_REJECTED: the
 * connection must end (counted). Any other failure is the node's own: peer->has_failed. */
MPB_MUST_USE enum mpb_status mpb__arrival_handle(void *ctx, struct mpb_buffer *rpc);

MPB_END_DECLS

#endif
