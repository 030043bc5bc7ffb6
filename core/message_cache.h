/* message_cache.h: the messages of the last six heartbeats, kept by reference for peers that ask
 * for them (IWANT). put adds to the newest window; a heartbeat starts a new one and drops what the
 * oldest held. */
#ifndef MPB_CORE_MESSAGE_CACHE_H
#define MPB_CORE_MESSAGE_CACHE_H

#include "core/buffer.h"
#include "core/msg.h"

MPB_BEGIN_DECLS

#define MPB_MESSAGE_CACHE_WINDOWS 6 /* nwaku: historyLength */
#define MPB_MESSAGE_CACHE_GOSSIP 3  /* nwaku: historyGossip, windows announced by IHAVE */

struct mpb_message_cache;

MPB_MUST_USE struct mpb_message_cache *mpb_message_cache_new(void); /* NULL: out of memory */
void mpb_message_cache_free(struct mpb_message_cache *cache);       /* NULL is a no-op */
/* Keep an encoded message under id, in the newest window: a reference to message->buffer, a copy of
 * its head and tail (empty where the encoding is whole). A known id is left where and as it is.
 * MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_message_cache_put(struct mpb_message_cache *cache,
                                                   const uint8_t id[MPB_MSG_HASH_LEN],
                                                   const struct mpb_parts *message);
/* The message of an id: true, *message borrowed until the next put or shift. */
bool mpb_message_cache_find(const struct mpb_message_cache *cache,
                            const uint8_t id[MPB_MSG_HASH_LEN], struct mpb_parts *message);
/* Ids of the newest MPB_MESSAGE_CACHE_GOSSIP windows into out[cap]: the newest window first, each
 * in order of arrival. Returns how many there are, which may be more than cap. */
size_t mpb_message_cache_gossip_ids(const struct mpb_message_cache *cache,
                                    uint8_t (*out)[MPB_MSG_HASH_LEN], size_t cap);
/* A heartbeat: a new window; the oldest one's references are given back. So a message stays for
 * MPB_MESSAGE_CACHE_WINDOWS heartbeats: the last of them drops it. */
void mpb_message_cache_shift(struct mpb_message_cache *cache);
size_t mpb_message_cache_len(const struct mpb_message_cache *cache);
/* Bytes of the buffers that its messages keep alive (shared ones counted here as elsewhere, one
 * with two messages twice). */
size_t mpb_message_cache_bytes(const struct mpb_message_cache *cache);

MPB_END_DECLS

#endif
