/* relay.h: scenario macro's two nodes, each a thread (or process) of its own around a gossip
 * router, and what they share: progress, stamps and, at the end, their results. What is shared is
 * mapped memory, so that both kinds of nodes use the same code. */
#ifndef MPB_WORKLOADS_RELAY_H
#define MPB_WORKLOADS_RELAY_H

#include "workloads/account.h"
#include "workloads/atomic.h"
#include "workloads/fanout.h"
#include "workloads/guests.h"
#include "workloads/ledger.h"
#include "workloads/recorder.h"
#include "workloads/scenario.h"
#include "workloads/workload.h"

enum mpb_relay_role { MPB_RELAY_PUBLISHER, MPB_RELAY_RECEIVER, MPB_RELAY__COUNT };

enum mpb_relay_phase {
    MPB_RELAY_STARTED,
    MPB_RELAY_MESHED,
    MPB_RELAY_WARM,
    MPB_RELAY_READY,
    MPB_RELAY_DONE
};

/* Who holds messages. X(ID, name); names are the last part of retained_bytes/<node>/<name>. */
/* clang-format off */
#define MPB_RELAY_OWNER_LIST(X) \
    X(ARCHIVE,       "archive") \
    X(MESSAGE_CACHE, "message_cache") \
    X(SEEN_CACHE,    "seen_cache") \
    X(QUEUE,         "queue")
/* clang-format on */

enum mpb_relay_owner {
#define MPB_X(id, name) MPB_RELAY_OWNER_##id,
    MPB_RELAY_OWNER_LIST(MPB_X)
#undef MPB_X
        MPB_RELAY_OWNER__COUNT
};

/* Bytes each owner holds or references; the queue: the most so far. */
struct mpb_relay_retained {
    uint64_t bytes[MPB_RELAY_OWNER__COUNT];
};

/* What a node leaves behind. */
struct mpb_relay_result {
    enum mpb_status status;
    struct mpb_error err;
    bool failed_first;      /* before the other node did: the cause */
    int cpu;                /* pinned to; -1: not */
    struct mpb_usage usage; /* of the run */
    uint64_t cpu_ns;        /* of the run */
    bool has_allocator;
    struct mpb_account own;    /* of the run, without guests; live_bytes: at its end */
    struct mpb_account guests; /* of the run and until the last had gone; receiver's */
    uint64_t n_guests, n_turned_away;
    struct mpb_fanout_stats fanout; /* of the run */
    uint64_t n_pushes_taken;        /* of the whole session */
    struct mpb_relay_retained half,
        retained;                /* half-way through the run (counting builds), and at its end */
    struct mpb_ledger ledger[2]; /* warm-up, run */
};

struct mpb_relay_shared {
    MPB_ATOMIC(uint64_t) n_done; /* messages whose fate at the receiver is known */
    MPB_ATOMIC(uint64_t) n_lost; /* messages that the publisher's queue dropped */
    MPB_ATOMIC(uint64_t)
    wake_at; /* the publisher sleeps until n_done is this; UINT64_MAX: it does not */
    MPB_ATOMIC(uint64_t) n_begun; /* 1 + number of the message that reached the receiver last */
    MPB_ATOMIC(int) phase[MPB_RELAY__COUNT];
    MPB_ATOMIC(bool) failed; /* somebody has given up */
    MPB_ATOMIC(bool)
    hostile_stop; /* the receiver's run is over: the hostile connection is to end */
    MPB_ATOMIC(bool) hostile_done; /* it has */
    struct mpb_relay_result result[MPB_RELAY__COUNT];
    uint64_t *sent_ns; /* sent_ns[total]: intended send times */
    MPB_ATOMIC(uint64_t) *
        done_ns;   /* done_ns[total]: when the application's handler returned; 0: not */
    uint8_t *lost; /* lost[total]: 1: the publisher's queue was full */
    /* What must have arrived, as the publisher's losses say: n_arrived[0] messages of the warm-up,
     * n_arrived[1] of the run, numbers in arrived[total]. Filled in when the receiver verifies. */
    uint32_t *arrived;
    size_t n_arrived[2];
};

/* One node's own view of the session. */
struct mpb_relay {
    const struct mpb_scenario_cfg *cfg;
    const struct mpb_workload *workload;
    struct mpb_relay_shared *shared;
    enum mpb_relay_role role;
    int listen_fd;             /* receiver's */
    uint16_t port;             /* publisher's */
    uint16_t subscribers_port; /* receiver's, when there are filter peers */
    int wake_fd;               /* eventfd: receiver to publisher */
    bool counting;
    bool (*other_lives)(void *ctx); /* NULL: threads, which do not die alone */
    void *other_ctx;
    /* the node */
    struct mpb_node *node;
    struct mpb_gossip *gossip;
    struct mpb_gossip_peer *peer; /* NULL once lost */
    struct mpb_guests guests;     /* receiver's */
    int epoll_fd;
    bool drained; /* the socket had nothing more when it was last read */
    struct mpb_ledger *ledger;
    size_t n_seen;               /* deliveries to the application */
    struct mpb_fanout *fanout;   /* NULL: no filter peers */
    enum mpb_status push_status; /* what the last push left */
    uint64_t cpu_start_ns;
    struct mpb_allocator allocator;
    struct mpb_account_source source;
    struct mpb_account start;
    struct mpb_fanout_stats fanout_start;
    struct mpb_usage usage_start;
};

/* The whole life of a node, in the calling thread: connect, mesh, warm up, run, verify. Its outcome
 * is in shared->result[role]. */
void mpb_relay_main(struct mpb_relay *relay);

/* Within relay_*.c. */
enum mpb_status mpb_relay_run_publish(struct mpb_relay *relay, size_t first, size_t n,
                                      struct mpb_error *err);
enum mpb_status mpb_relay_run_receive(struct mpb_relay *relay, size_t n_done,
                                      struct mpb_error *err);
enum mpb_status mpb_relay_serve(struct mpb_relay *relay, int timeout_ms, struct mpb_error *err);
/* What is measured of the run: its beginning, its end, and whether all of it is right. */
void mpb_relay_measure_begin(struct mpb_relay *relay);
void mpb_relay_measure_end(struct mpb_relay *relay);
/* What each owner holds now. O(archive). */
struct mpb_relay_retained mpb_relay_measure_retained(const struct mpb_relay *relay);
void mpb_relay_measure_settle(struct mpb_relay *relay); /* the guests' part, once they have gone */
enum mpb_status mpb_relay_measure_verify(const struct mpb_relay *relay, struct mpb_error *err);
enum mpb_status mpb_relay_check(const struct mpb_relay *relay, uint64_t stalled_since_ns,
                                struct mpb_error *err);

#endif
