/* relay.c: what publisher and receiver do alike: set up, meet at phases, measure, verify. */
#include "workloads/relay.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "workloads/link.h"

enum { CONNECT_TIMEOUT_MS = 5000, WAIT_MS = 100, SEE_OFF_WAIT_MS = 10 };

/* No progress for so long fails the pass; beyond the patience with a filter peer, if there are. */
#define STALL_NS UINT64_C(10000000000)
#define STALL_PUSH_NS (STALL_NS + MPB_FANOUT_PATIENCE_MS * UINT64_C(1000000))
#define SEEN_CAPACITY 200000 /* ids of two minutes at up to 1 600 messages a second */

/* The number that the generator wrote into a payload. */
static uint64_t number_of(const struct mpb_msg *msg)
{
    uint64_t number = 0;
    for (size_t i = 0; i < sizeof(number) && i < msg->payload.len; i++) {
        number |= (uint64_t)msg->payload.data[i] << (8 * i);
    }
    return number;
}

static void app(void *ctx, const struct mpb_delivery *delivery)
{
    struct mpb_relay *r = ctx;
    uint64_t idx = number_of(delivery->msg);
    bool is_ours = idx < mpb_workload_len(r->workload);
    if (!is_ours || (r->cfg->check_bytes &&
                     !mpb_workload_is_message(r->workload, (size_t)idx, delivery->msg))) {
        atomic_store(&r->shared->failed, true);
    }
    mpb_ledger_see(r->ledger, delivery->msg, delivery->hash);
    r->n_seen++;
    if (r->cfg->counting && r->n_seen == r->cfg->n_warmup + (r->cfg->n_messages + 1) / 2) {
        r->shared->result[r->role].half = mpb_relay_measure_retained(r);
    }
    if (is_ours && r->role == MPB_RELAY_RECEIVER) {
        atomic_store_explicit(&r->shared->done_ns[idx], mpb_clock_now_ns(), memory_order_relaxed);
        atomic_store_explicit(&r->shared->n_begun, idx + 1, memory_order_release);
        atomic_store_explicit(&r->shared->n_done, r->n_seen, memory_order_release);
    }
}

static void push(void *ctx, uint32_t peer, const struct mpb_parts *push)
{
    struct mpb_relay *r = ctx;
    r->ledger->n_pushes++;
    r->ledger->pushed_bytes += mpb_buffer_parts_len(push);
    if (r->push_status == MPB_OK) {
        r->push_status = mpb_fanout_push(r->fanout, peer, push);
    }
}

enum mpb_status mpb_relay_check(const struct mpb_relay *relay, uint64_t stalled_since_ns,
                                struct mpb_error *err)
{
    if (atomic_load(&relay->shared->failed)) {
        return mpb_error_set(err, MPB_E_INCOMPLETE, "macro", "the other node gave up");
    }
    if (relay->other_lives != NULL && !relay->other_lives(relay->other_ctx)) {
        return mpb_error_set(err, MPB_E_INCOMPLETE, "macro", "the other node's process died");
    }
    if (relay->peer == NULL) {
        return mpb_error_set(err, MPB_E_INCOMPLETE, "macro",
                             "the connection between the nodes ended");
    }
    uint64_t limit_ns = relay->cfg->n_filter_peers > 0 ? STALL_PUSH_NS : STALL_NS;
    if (mpb_clock_now_ns() - stalled_since_ns > limit_ns) {
        return mpb_error_set(err, MPB_E_TIMEOUT, "macro", "no progress for %u s",
                             (unsigned)(limit_ns / UINT64_C(1000000000)));
    }
    return MPB_OK;
}

/* Wait until the other node has reached a phase too. Outside every clock. */
static enum mpb_status meet(struct mpb_relay *r, enum mpb_relay_phase phase, struct mpb_error *err)
{
    uint64_t since_ns = mpb_clock_now_ns();
    enum mpb_relay_role other =
        r->role == MPB_RELAY_PUBLISHER ? MPB_RELAY_RECEIVER : MPB_RELAY_PUBLISHER;
    atomic_store(&r->shared->phase[r->role], (int)phase);
    while (atomic_load(&r->shared->phase[other]) < (int)phase) {
        enum mpb_status st = mpb_relay_check(r, since_ns, err);
        if (st != MPB_OK) {
            return st;
        }
        nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    return MPB_OK;
}

static enum mpb_status make_node(struct mpb_relay *r, struct mpb_error *err)
{
    bool is_receiver = r->role == MPB_RELAY_RECEIVER;
    struct mpb_filter *filter = NULL;
    if (is_receiver && mpb_fanout_filter(r->cfg->n_filter_peers, &filter) != MPB_OK) {
        return mpb_error_set(err, MPB_E_NOMEM, "filter", NULL);
    }
    struct mpb_node_cfg node = {
        .variant = r->cfg->variant,
        .pubsub_topic = MPB_BYTES_OF(MPB_WORKLOAD_PUBSUB_TOPIC),
        .archive_capacity = is_receiver ? r->cfg->archive_capacity : 0,
        .archive_db = r->cfg->archive_db,
        .no_store_sync = !is_receiver,
        .filter = filter,
        .app = app,
        .app_ctx = r,
        .push = push,
        .push_ctx = r,
    };
    enum mpb_status st = mpb_node_new(&node, &r->node, err);
    if (st != MPB_OK) {
        mpb_filter_free(filter);
        return st;
    }
    struct mpb_gossip_cfg gossip = {
        .node = r->node,
        .pubsub_topic = node.pubsub_topic,
        .variant = r->cfg->variant,
        .seen_capacity = SEEN_CAPACITY,
        .start_ns = mpb_workload_timestamp_ns(r->workload, 0),
        .heartbeat_ns = (int64_t)r->cfg->heartbeat_ns,
    };
    st = mpb_gossip_new(&gossip, &r->gossip, err);
    bool has_allocator = mpb_allocator_open(&r->allocator, NULL) == MPB_OK;
    r->source = (struct mpb_account_source){r->node, r->gossip,
                                            has_allocator ? &r->allocator : NULL, r->cfg->counting};
    return st;
}

static enum mpb_status watch(const struct mpb_relay *r, int fd, struct mpb_error *err)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data = {.fd = fd}};
    if (epoll_ctl(r->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0) {
        return mpb_error_sys(err, MPB_E_IO, "macro", "cannot watch a socket");
    }
    return MPB_OK;
}

/* The receiver connects to its filter peers, as a filter node opens a stream to each. */
static enum mpb_status connect_subscribers(struct mpb_relay *r, struct mpb_error *err)
{
    uint32_t n = r->cfg->n_filter_peers;
    if (r->role != MPB_RELAY_RECEIVER || n == 0) {
        return MPB_OK;
    }
    enum mpb_status st = mpb_fanout_new(n, MPB_FANOUT_PATIENCE_MS, &r->fanout, err);
    return st == MPB_OK ? mpb_fanout_connect(r->fanout, r->subscribers_port, err) : st;
}

/* Whoever connects from now on is a guest. */
static enum mpb_status open_house(struct mpb_relay *r, struct mpb_error *err)
{
    r->guests.gossip = r->gossip;
    r->guests.source = &r->source;
    r->guests.listen_fd = r->listen_fd;
    r->guests.epoll_fd = r->epoll_fd;
    return mpb_guests_open(&r->guests, err);
}

/* Wait for the publisher, but not when it has given up. */
static enum mpb_status accept_publisher(const struct mpb_relay *r, int *out_fd,
                                        struct mpb_error *err)
{
    enum mpb_status st = MPB_E_TIMEOUT;
    for (int waited_ms = 0; st == MPB_E_TIMEOUT && waited_ms < CONNECT_TIMEOUT_MS;
         waited_ms += WAIT_MS) {
        if (atomic_load(&r->shared->failed)) {
            return mpb_error_set(err, MPB_E_INCOMPLETE, "macro", "the other node gave up");
        }
        st = mpb_link_accept(r->listen_fd, WAIT_MS, out_fd, err);
    }
    return st;
}

static enum mpb_status connect_nodes(struct mpb_relay *r, struct mpb_error *err)
{
    int fd = -1;
    enum mpb_status st = r->role == MPB_RELAY_RECEIVER
                             ? accept_publisher(r, &fd, err)
                             : mpb_link_connect(r->port, CONNECT_TIMEOUT_MS, &fd, err);
    if (st != MPB_OK) {
        return st;
    }
    r->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (r->epoll_fd < 0) {
        close(fd);
        return mpb_error_sys(err, MPB_E_IO, "macro", "cannot watch sockets");
    }
    st = watch(r, fd, err);
    if (st != MPB_OK) {
        close(fd);
        return st;
    }
    st = mpb_gossip_add_peer(r->gossip, fd, &r->peer, err);
    if (st != MPB_OK) {
        return st;
    }
    return r->role == MPB_RELAY_PUBLISHER ? watch(r, r->wake_fd, err) : open_house(r, err);
}

/* Wait for events, and note whose they are. The node's own peer is served every time. */
static enum mpb_status await_events(struct mpb_relay *r, int timeout_ms, struct mpb_error *err)
{
    struct epoll_event events[16];
    bool is_busy = !r->drained || mpb_guests_are_busy(&r->guests);
    int n = epoll_wait(r->epoll_fd, events, MPB_ARRAY_LEN(events), is_busy ? 0 : timeout_ms);
    if (n < 0 && errno != EINTR) {
        return mpb_error_sys(err, MPB_E_IO, "macro", "cannot wait");
    }
    for (int i = 0; i < n; i++) {
        uint64_t count = 0;
        if (r->role == MPB_RELAY_RECEIVER) {
            mpb_guests_notice(&r->guests, &events[i]);
        } else if (events[i].data.fd == r->wake_fd && read(r->wake_fd, &count, sizeof(count)) < 0 &&
                   errno != EAGAIN) {
            return mpb_error_sys(err, MPB_E_IO, "macro", "cannot read the wake-up");
        }
    }
    return MPB_OK;
}

enum mpb_status mpb_relay_serve(struct mpb_relay *relay, int timeout_ms, struct mpb_error *err)
{
    bool lost = false;
    enum mpb_status st = await_events(relay, timeout_ms, err);
    if (st != MPB_OK || relay->peer == NULL) {
        return st;
    }
    st = mpb_gossip_serve(relay->gossip, relay->peer, &relay->drained, &lost, err);
    if (st == MPB_OK) {
        st = relay->push_status;
    }
    if (lost) {
        relay->peer = NULL;
    }
    if (st != MPB_OK) {
        return mpb_error_set(err, st, "macro", "the node failed: %s",
                             mpb_node_reason(relay->node, st));
    }
    return mpb_guests_serve(&relay->guests, err);
}

static enum mpb_status mesh(struct mpb_relay *r, struct mpb_error *err)
{
    uint64_t since_ns = mpb_clock_now_ns();
    while (r->peer == NULL || !mpb_gossip_is_ready(r->peer)) {
        enum mpb_status st = mpb_relay_serve(r, WAIT_MS, err);
        if (st == MPB_OK) {
            st = mpb_relay_check(r, since_ns, err);
        }
        if (st != MPB_OK) {
            return st;
        }
    }
    return meet(r, MPB_RELAY_MESHED, err);
}

static enum mpb_status push_through(struct mpb_relay *r, size_t first, size_t n,
                                    struct mpb_error *err)
{
    return r->role == MPB_RELAY_PUBLISHER ? mpb_relay_run_publish(r, first, n, err)
                                          : mpb_relay_run_receive(r, first + n, err);
}

/* Serve the hostile connection until it has ended: what it sent is to be on the books. */
static enum mpb_status see_off(struct mpb_relay *r, struct mpb_error *err)
{
    uint64_t since_ns = mpb_clock_now_ns();
    enum mpb_status st = MPB_OK;
    if (r->role != MPB_RELAY_RECEIVER || r->cfg->hostile.kind == MPB_HOSTILE__COUNT) {
        return MPB_OK;
    }
    atomic_store(&r->shared->hostile_stop, true);
    while (st == MPB_OK && !(atomic_load(&r->shared->hostile_done) && r->guests.n == 0)) {
        st = mpb_relay_serve(r, SEE_OFF_WAIT_MS, err);
        if (st == MPB_OK) {
            st = mpb_relay_check(r, since_ns, err);
        }
    }
    mpb_relay_measure_settle(r);
    return st;
}

static enum mpb_status live(struct mpb_relay *r, struct mpb_error *err)
{
    struct mpb_relay_result *result = &r->shared->result[r->role];
    r->ledger = &result->ledger[0];
    enum mpb_status st = make_node(r, err);
    if (st == MPB_OK) {
        st = connect_subscribers(r, err);
    }
    if (st == MPB_OK) {
        st = connect_nodes(r, err);
    }
    if (st == MPB_OK) {
        st = mesh(r, err);
    }
    if (st == MPB_OK) {
        st = push_through(r, 0, r->cfg->n_warmup, err);
    }
    if (st == MPB_OK) {
        st = meet(r, MPB_RELAY_WARM, err);
    }
    if (st == MPB_OK) {
        r->ledger = &result->ledger[1];
        mpb_relay_measure_begin(r);
        st = meet(r, MPB_RELAY_READY, err);
    }
    if (st == MPB_OK) {
        st = push_through(r, r->cfg->n_warmup, r->cfg->n_messages, err);
        mpb_relay_measure_end(r);
    }
    if (st == MPB_OK) {
        st = see_off(r, err);
    }
    if (st == MPB_OK) {
        st = meet(r, MPB_RELAY_DONE, err);
    }
    return st == MPB_OK ? mpb_relay_measure_verify(r, err) : st;
}

void mpb_relay_main(struct mpb_relay *relay)
{
    struct mpb_relay_result *result = &relay->shared->result[relay->role];
    relay->epoll_fd = -1;
    result->cpu = mpb_link_pin((unsigned)relay->role);
    result->status = live(relay, &result->err);
    if (result->status != MPB_OK) {
        result->failed_first = !atomic_exchange(&relay->shared->failed, true);
    }
    mpb_fanout_free(relay->fanout);
    mpb_gossip_free(relay->gossip);
    mpb_node_free(relay->node);
    if (relay->epoll_fd >= 0) {
        close(relay->epoll_fd);
    }
}
