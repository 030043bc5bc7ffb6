/* msg.h: a WakuMessage in memory, and its encoding.
 *
 * Wire form (protobuf): payload = 1 bytes, content_topic = 2 string (kept as bytes: no UTF-8 check,
 * NULs allowed), version = 3 uint32, timestamp = 10 sint64, meta = 11 bytes (at most 64),
 * rate_limit_proof = 21 bytes, ephemeral = 31 bool. The encoder always writes all seven fields,
 * empty or zero ones too, in this order: the bytes that nwaku nodes put on the wire. */
#ifndef MPB_CORE_MSG_H
#define MPB_CORE_MSG_H

#include "instrument/status.h"

MPB_BEGIN_DECLS

#define MPB_MSG_META_MAX 64 /* bytes; longer meta is refused */
#define MPB_MSG_HASH_LEN 32 /* SHA-256 */

/* A message whose bytes belong to somebody else (a buffer, an owned decode, a copy). */
struct mpb_msg {
    struct mpb_bytes payload, content_topic, meta, proof;
    int64_t timestamp_ns; /* 0 when absent */
    uint32_t version;     /* 0 when absent */
    bool ephemeral;
};

/* Exact length of the encoding. Cost: constant. */
size_t mpb_msg_encoded_len(const struct mpb_msg *msg);
/* Encode with protobuf-c into out[cap]; returns the length written, 0 if cap is too small.
 * Counts 1 encode and the bytes written. */
size_t mpb_msg_encode(const struct mpb_msg *msg, uint8_t *out, size_t cap);

/* The encoding's bytes before the payload's own (tag and length) and behind them (the other six
 * fields), for a sender that joins nothing. Lengths; the tail's is 0 if cap is too small. They
 * count nothing: no message is serialised. */
#define MPB_MSG_HEAD_MAX 11
size_t mpb_msg_head(const struct mpb_msg *msg, uint8_t out[MPB_MSG_HEAD_MAX]);
size_t mpb_msg_tail(const struct mpb_msg *msg, uint8_t *out, size_t cap);

/* All seven fields equal, bytes compared by content. */
bool mpb_msg_is_equal(const struct mpb_msg *a, const struct mpb_msg *b);

MPB_END_DECLS

#endif
