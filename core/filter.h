/* filter.h: subscriptions of filter peers: who wants messages of which topics. In process a peer
 * is a number. */
#ifndef MPB_CORE_FILTER_H
#define MPB_CORE_FILTER_H

#include "instrument/status.h"

MPB_BEGIN_DECLS

struct mpb_filter;

/* No subscriptions yet; NULL when out of memory. */
MPB_MUST_USE struct mpb_filter *mpb_filter_new(void);
void mpb_filter_free(struct mpb_filter *filter); /* NULL is a no-op */
/* Peer wants messages with both topics, which are copied. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_filter_subscribe(struct mpb_filter *filter, uint32_t peer,
                                                  struct mpb_bytes pubsub_topic,
                                                  struct mpb_bytes content_topic);
size_t mpb_filter_len(const struct mpb_filter *filter);
/* The first matching subscription at or after place `from` (0 to start): true, its *peer, and
 * *next to go on from. Allocates nothing. Cost: O(subscriptions). */
bool mpb_filter_match(const struct mpb_filter *filter, size_t from, struct mpb_bytes pubsub_topic,
                      struct mpb_bytes content_topic, uint32_t *peer, size_t *next);

MPB_END_DECLS

#endif
