/* rpc.h: the gossipsub RPC as Waku nodes speak it, one frame a time: a varint length, then
 *   RPC { subscriptions = 1 { subscribe = 1, topicid = 2 },
 *         publish = 2 { from = 1, data = 2, seqno = 3, topic = 4, signature = 5, key = 6 },
 *         control = 3 { ihave = 1 { topicID = 1, messageIDs = 2 }, iwant = 2 { messageIDs = 1 },
 *                       graft = 3 { topicID = 1 }, prune = 4 { topicID = 1, peers = 2, backoff = 3
 * }, idontwant = 5 { messageIDs = 1 } } } Waku publishes carry only data and topic (StrictNoSign).
 *
 * Parsing borrows: nothing is copied or allocated, whatever a peer sends, and each byte is read at
 * most twice, so a hostile RPC costs what its length costs. Writing gives the bytes around a
 * message, so that a sender may join them or not. */
#ifndef MPB_CORE_RPC_H
#define MPB_CORE_RPC_H

#include "instrument/status.h"

MPB_BEGIN_DECLS

#define MPB_RPC_FRAME_MAX 153600 /* bytes of an RPC, 150 KiB; a longer one is refused */
#define MPB_RPC_LENGTH_MAX 3     /* bytes of a frame's length varint that can be valid */

/* Fields of a publish that StrictNoSign forbids. */
enum mpb_rpc_forbidden {
    MPB_RPC_FROM = 1 << 0,
    MPB_RPC_SEQNO = 1 << 1,
    MPB_RPC_SIGNATURE = 1 << 2,
    MPB_RPC_KEY = 1 << 3,
};

enum mpb_rpc_control {
    MPB_RPC_IHAVE,
    MPB_RPC_IWANT,
    MPB_RPC_GRAFT,
    MPB_RPC_PRUNE,
    MPB_RPC_IDONTWANT,
};

/* What a parse finds, in the order of the bytes; each may be NULL. A status other than MPB_OK stops
 * the parse and is returned. All bytes are borrowed from the frame. */
struct mpb_rpc_sink {
    void *ctx;
    /* An absent flag is false, an absent topic empty. */
    enum mpb_status (*subscription)(void *ctx, bool subscribe, struct mpb_bytes topic);
    /* forbidden: the mpb_rpc_forbidden bits present. A publish without data or topic is malformed;
     * either may be empty. */
    enum mpb_status (*message)(void *ctx, struct mpb_bytes data, struct mpb_bytes topic,
                               unsigned forbidden);
    /* Once for each message id (ihave, iwant, idontwant), or once with an empty id (graft, prune).
     * topic is empty where absent, and for iwant and idontwant; an id has whatever length came. */
    enum mpb_status (*control)(void *ctx, enum mpb_rpc_control kind, struct mpb_bytes topic,
                               struct mpb_bytes id);
};

/* Parse one RPC (without its length prefix). Strict as core/scan.h is: MPB_E_TRUNCATED,
 * MPB_E_OVERLONG_VARINT, MPB_E_VARINT_RANGE, MPB_E_WIRE_TYPE, MPB_E_MISSING_FIELD; unknown and
 * mistyped fields are skipped, of a repeated field of a publish, subscription, ihave, graft or
 * prune the last counts. What was reported before a fault was found stays reported; a publish and
 * one control message are reported only when they are whole. A prune's peers are not looked
 * into. Cost: O(rpc.len), some ns a field. */
MPB_MUST_USE enum mpb_status mpb_rpc_parse(struct mpb_bytes rpc, const struct mpb_rpc_sink *sink);

/* The length of the frame that starts at bytes: MPB_OK and *rpc_len, *prefix_len; MPB_E_TRUNCATED
 * when more bytes are needed to tell, never with MPB_RPC_LENGTH_MAX of them; MPB_E_VARINT_RANGE
 * above MPB_RPC_FRAME_MAX, MPB_E_OVERLONG_VARINT. */
MPB_MUST_USE enum mpb_status mpb_rpc_frame_len(struct mpb_bytes bytes, size_t *rpc_len,
                                               size_t *prefix_len);

#define MPB_RPC_HEADER_MAX 24
#define MPB_RPC_TOPIC_MAX 256 /* bytes; longer topics are refused by the writers */

/* All writers return 0, and write nothing, when the topic is too long or the RPC would be longer
 * than MPB_RPC_FRAME_MAX: no peer would take it. */

/* The bytes of a publish frame before and after its data of data_len bytes: header | data | topic
 * part. Returns the header's length; *trailer_len of trailer[MPB_RPC_TOPIC_MAX + 4]. The whole
 * frame, length prefix included, is their sum and data_len. */
size_t mpb_rpc_publish(size_t data_len, struct mpb_bytes topic, uint8_t header[MPB_RPC_HEADER_MAX],
                       uint8_t *trailer, size_t *trailer_len);
/* A whole frame with one subscription into out[cap]; its length, 0 if cap is too small. */
size_t mpb_rpc_subscribe(bool subscribe, struct mpb_bytes topic, uint8_t *out, size_t cap);
/* A whole frame with one control message: topic for ihave, graft, prune; ids (32 bytes each,
 * ids[n_ids]) for ihave, iwant, idontwant; prune carries backoff_s. 0 if cap is too small. */
struct mpb_rpc_control_msg {
    enum mpb_rpc_control kind;
    struct mpb_bytes topic;
    const uint8_t (*ids)[32];
    size_t n_ids;
    uint64_t backoff_s;
};
size_t mpb_rpc_control(const struct mpb_rpc_control_msg *msg, uint8_t *out, size_t cap);

MPB_END_DECLS

#endif
