/* guests.h: whoever else connects to the receiver during a session: accepted, served and counted
 * like any peer, but on a bill of their own: what the node does while it serves one is charged to
 * the guests and taken off the node's figures, so that those stay what they are without guests.
 * At most MPB_GUESTS_MAX at a time; more are closed at once and counted. */
#ifndef MPB_WORKLOADS_GUESTS_H
#define MPB_WORKLOADS_GUESTS_H

#include <sys/epoll.h>

#include "workloads/account.h"

MPB_BEGIN_DECLS

#define MPB_GUESTS_MAX 64

struct mpb_guest {
    int fd;
    struct mpb_gossip_peer *peer;
    bool drained; /* its socket had nothing more when it was last read */
    bool ended;   /* it has closed or broken its end: read on until that is what reading says */
};

/* Embedded in its owner; one thread. */
struct mpb_guests {
    struct mpb_gossip *gossip;               /* borrowed */
    const struct mpb_account_source *source; /* borrowed */
    int listen_fd, epoll_fd;                 /* borrowed */
    bool knocking;                           /* there may be connections to accept */
    size_t n;
    struct mpb_guest at[MPB_GUESTS_MAX];
    uint64_t n_met, n_turned_away; /* connections accepted, and of these, closed at once */
    struct mpb_account bill;       /* what serving them came to */
};

/* Watch for them from now on. The other members are set. MPB_E_IO. */
MPB_MUST_USE enum mpb_status mpb_guests_open(struct mpb_guests *guests, struct mpb_error *err);
/* An event on a watched descriptor: theirs is noted. */
void mpb_guests_notice(struct mpb_guests *guests, const struct epoll_event *event);
/* Has any something to do that no event will announce? */
bool mpb_guests_are_busy(const struct mpb_guests *guests);
/* Accept who knocks, and give each that is ready one turn. The node's own failures only. */
MPB_MUST_USE enum mpb_status mpb_guests_serve(struct mpb_guests *guests, struct mpb_error *err);

MPB_END_DECLS

#endif
