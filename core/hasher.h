/* hasher.h: the two SHA-256 of the message path, with libcrypto: a fetched EVP_MD and one context,
 * both reused (a fetch a call costs as much as hashing 400 bytes).
 *
 * The deterministic message hash (Waku RFC 14) is SHA-256 over the plain concatenation
 *   pubsub topic | payload | content topic | meta | timestamp as 8 bytes big-endian
 * without length prefixes; version, ephemeral and proof are not part of it. An absent timestamp is
 * hashed as eight zero bytes (js-waku hashes nothing there). The gossipsub message id is SHA-256
 * over the encoded message: another definition, counted apart. */
#ifndef MPB_CORE_HASHER_H
#define MPB_CORE_HASHER_H

#include "core/msg.h"

MPB_BEGIN_DECLS

struct mpb_hasher; /* not shared between threads */

/* MPB_E_UNAVAILABLE when libcrypto has no SHA-256, MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_hasher_new(struct mpb_hasher **out, struct mpb_error *err);
void mpb_hasher_free(struct mpb_hasher *hasher); /* NULL is a no-op */

/* The message hash. Counts 1 hash and payload + meta hashed bytes. MPB_E_INTERNAL if libcrypto
 * fails, out untouched. Hashes one to three pieces: the topic only when it is not the last call's
 * (or is above 128 bytes). libcrypto allocates and frees its digest state (112 bytes in 3.0). */
MPB_MUST_USE enum mpb_status mpb_hasher_message(struct mpb_hasher *hasher,
                                                struct mpb_bytes pubsub_topic,
                                                const struct mpb_msg *msg,
                                                uint8_t out[MPB_MSG_HASH_LEN]);
/* The gossipsub message id of an encoded message. Counts 1 id hash and encoded.len bytes. */
MPB_MUST_USE enum mpb_status mpb_hasher_id(struct mpb_hasher *hasher, struct mpb_bytes encoded,
                                           uint8_t out[MPB_MSG_HASH_LEN]);
/* The same of an encoding in parts[n_parts]. */
MPB_MUST_USE enum mpb_status mpb_hasher_id_parts(struct mpb_hasher *hasher,
                                                 const struct mpb_bytes *parts, size_t n_parts,
                                                 uint8_t out[MPB_MSG_HASH_LEN]);

/* What hashes here: libcrypto's version, and the processor features it uses. Never NULL. */
const char *mpb_hasher_library(void);
const char *mpb_hasher_cpu(void);

MPB_END_DECLS

#endif
