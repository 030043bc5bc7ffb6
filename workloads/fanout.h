/* fanout.h: the pushing half of a filter node: F subscriptions, and a real connection to each
 * subscriber.
 *
 * A frame is varint length | MessagePush: its header is copied, its data goes by reference, to the
 * one shared buffer or to the peer's own copy as the variant decided. Node handlers await each push
 * strictly in turn, so a push returns only when the socket has taken all of it: nothing queues up,
 * and every allocation repeats exactly. A peer that takes nothing for MPB_FANOUT_PATIENCE_MS loses
 * its connection; the node goes on without it. */
#ifndef MPB_WORKLOADS_FANOUT_H
#define MPB_WORKLOADS_FANOUT_H

#include "core/filter.h"
#include "core/peer.h"

MPB_BEGIN_DECLS

#define MPB_FANOUT_PATIENCE_MS 20000 /* nwaku's push time-out */

/* X(ID, name, doc): why a push did not leave; names appear in dropped/<name>. They count pushes,
 * not messages: pushed = taken + dropped. */
/* clang-format off */
#define MPB_PUSH_DROP_LIST(X) \
    X(TIMEOUT, "push_timeout", "the filter peer took nothing for 20 s; its connection ends") \
    X(CLOSED,  "push_closed",  "the filter peer's connection has ended")
/* clang-format on */

enum mpb_push_drop {
#define MPB_X(id, name, doc) MPB_PUSH_DROP_##id,
    MPB_PUSH_DROP_LIST(MPB_X)
#undef MPB_X
        MPB_PUSH_DROP__COUNT
};
const char *mpb_fanout_drop_name(enum mpb_push_drop drop);

struct mpb_fanout_stats {
    uint64_t taken; /* pushes that a socket took wholly */
    uint64_t dropped[MPB_PUSH_DROP__COUNT];
};

/* A filter with n_peers subscriptions to the workload's topics; NULL in *out when n_peers is 0.
 * MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_fanout_filter(uint32_t n_peers, struct mpb_filter **out);

struct mpb_fanout;

/* Nobody connected yet, room for n_peers. patience_ms: see above. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_fanout_new(uint32_t n_peers, int patience_ms,
                                            struct mpb_fanout **out, struct mpb_error *err);
/* Take over a connected, non-blocking socket (not on failure) as the next peer. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_fanout_add(struct mpb_fanout *fanout, int fd,
                                            struct mpb_error *err);
/* Connect all peers, one after the other, to a port of this machine. MPB_E_IO, MPB_E_TIMEOUT,
 * MPB_E_UNAVAILABLE, MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_fanout_connect(struct mpb_fanout *fanout, uint16_t port,
                                                struct mpb_error *err);
void mpb_fanout_free(struct mpb_fanout *fanout); /* closes all; NULL is a no-op */

/* Send one push and wait until it has left, or its peer is given up (see the stats). MPB_E_NOMEM.
 * Leaves the probes at site push. Blocks for at most the patience after each byte taken. */
MPB_MUST_USE enum mpb_status mpb_fanout_push(struct mpb_fanout *fanout, uint32_t peer,
                                             const struct mpb_parts *push);
const struct mpb_fanout_stats *mpb_fanout_stats(const struct mpb_fanout *fanout);

MPB_END_DECLS

#endif
