/* relay_run.c: the run itself: the publisher's window (or schedule) and the receiver's loop. */
#include "workloads/relay.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

enum { SERVE_WAIT_MS = 100, LOOK_EVERY = 64 /* messages */ };

#define SLICE_NS 10000000 /* longest sleep between looks at the other node */
#define SPIN_NS 60000     /* a timer's wake-up is this late at worst: the rest is spun */

/* Messages that have left the publisher's hands and are not yet done or lost. */
static uint64_t in_flight(const struct mpb_relay *r, size_t published)
{
    return published - atomic_load_explicit(&r->shared->n_done, memory_order_acquire) -
           atomic_load(&r->shared->n_lost);
}

/* Wait until at most `limit` messages are in flight, serving the connection meanwhile. The receiver
 * wakes us when half of that is left, so that a wake-up (tens of microseconds across cores) is paid
 * once in many messages. */
static enum mpb_status wait_for_window(struct mpb_relay *r, size_t published, uint64_t limit,
                                       struct mpb_error *err)
{
    uint64_t since_ns = mpb_clock_now_ns();
    uint64_t last = in_flight(r, published);
    while (in_flight(r, published) > limit) {
        atomic_store(&r->shared->wake_at, published - limit / 2);
        enum mpb_status st = MPB_OK;
        if (in_flight(r, published) > limit) {
            st = mpb_relay_serve(r, SERVE_WAIT_MS, err);
        }
        atomic_store(&r->shared->wake_at, UINT64_MAX);
        uint64_t now = in_flight(r, published);
        if (now != last) {
            last = now;
            since_ns = mpb_clock_now_ns();
        }
        if (st == MPB_OK) {
            st = mpb_relay_check(r, since_ns, err);
        }
        if (st != MPB_OK) {
            return st;
        }
    }
    return MPB_OK;
}

/* Open loop: message i of the run is due at start + i / rate, in integers, however late we are.
 * Runs are at most 1e6 messages: no overflow. */
static uint64_t due_ns(uint64_t start_ns, size_t i, uint64_t rate)
{
    return start_ns + (uint64_t)i * 1000000000U / rate;
}

/* Sleep at most ns, or until the socket takes what it did not take before. */
static enum mpb_status rest(struct mpb_relay *r, uint64_t ns, struct mpb_error *err)
{
    if (mpb_gossip_wants_write(r->peer) && ns >= 1000000) {
        return mpb_relay_serve(r, 1, err);
    }
    nanosleep(&(struct timespec){0, (long)(ns < SLICE_NS ? ns : SLICE_NS)}, NULL);
    return MPB_OK;
}

static enum mpb_status wait_until(struct mpb_relay *r, uint64_t at_ns, struct mpb_error *err)
{
    enum mpb_status st = MPB_OK;
    for (uint64_t now_ns = mpb_clock_now_ns(); now_ns < at_ns && st == MPB_OK;
         now_ns = mpb_clock_now_ns()) {
        uint64_t left_ns = at_ns - now_ns;
        if (left_ns <= SPIN_NS) {
            continue;
        }
        st = mpb_relay_serve(r, 0, err);
        if (st == MPB_OK) {
            st = mpb_relay_check(r, now_ns, err);
        }
        if (st == MPB_OK) {
            st = rest(r, left_ns - SPIN_NS, err);
        }
    }
    return st;
}

/* The application makes message idx in memory of the path and publishes it. */
static enum mpb_status publish_one(struct mpb_relay *r, size_t idx, struct mpb_error *err)
{
    MPB_PROBE_SITE(MPB_SITE_INBOUND);
    struct mpb_buffer *buffer = mpb_buffer_new(mpb_workload_payload_len(r->workload, idx));
    if (buffer == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "macro", "message %zu", idx);
    }
    struct mpb_msg msg = mpb_workload_message(r->workload, idx, buffer->data);
    enum mpb_status st = mpb_gossip_publish(r->gossip, &msg, buffer, err);
    MPB_PROBE_SITE(MPB_SITE_INBOUND);
    mpb_buffer_unref(buffer);
    if (st != MPB_OK) {
        return mpb_error_set(err, st, "macro", "publishing message %zu: %s", idx,
                             mpb_status_text(st));
    }
    uint64_t n_lost = mpb_gossip_stats(r->gossip)->dropped[MPB_DROP_QUEUE_FULL];
    if (n_lost > atomic_load_explicit(&r->shared->n_lost, memory_order_relaxed)) {
        r->shared->lost[idx] = 1;
        atomic_store(&r->shared->n_lost, n_lost);
    }
    return MPB_OK;
}

enum mpb_status mpb_relay_run_publish(struct mpb_relay *relay, size_t first, size_t n,
                                      struct mpb_error *err)
{
    bool is_open_loop = relay->cfg->rate_per_s > 0 && first > 0;
    uint64_t start_ns = mpb_clock_now_ns();
    enum mpb_status st = MPB_OK;
    for (size_t i = 0; i < n && st == MPB_OK; i++) {
        uint64_t intended_ns = due_ns(start_ns, i, relay->cfg->rate_per_s + !is_open_loop);
        st = is_open_loop ? wait_until(relay, intended_ns, err)
                          : wait_for_window(relay, first + i, relay->cfg->window - 1, err);
        relay->shared->sent_ns[first + i] = is_open_loop ? intended_ns : mpb_clock_now_ns();
        if (st == MPB_OK) {
            st = publish_one(relay, first + i, err);
        }
        if (st == MPB_OK && i % LOOK_EVERY == 0) { /* a late open loop never waits */
            st = mpb_relay_check(relay, mpb_clock_now_ns(), err);
        }
    }
    return st == MPB_OK ? wait_for_window(relay, first + n, 0, err) : st;
}

static enum mpb_status wake_publisher(struct mpb_relay *r, struct mpb_error *err)
{
    uint64_t done = atomic_load(&r->shared->n_done) + atomic_load(&r->shared->n_lost), one = 1;
    if (done < atomic_load(&r->shared->wake_at)) {
        return MPB_OK;
    }
    atomic_store(&r->shared->wake_at, UINT64_MAX);
    if (write(r->wake_fd, &one, sizeof(one)) < 0 && errno != EAGAIN) {
        return mpb_error_sys(err, MPB_E_IO, "macro", "cannot wake the publisher");
    }
    return MPB_OK;
}

enum mpb_status mpb_relay_run_receive(struct mpb_relay *relay, size_t n_done, struct mpb_error *err)
{
    uint64_t since_ns = mpb_clock_now_ns(), last = 0;
    for (;;) {
        uint64_t done = atomic_load(&relay->shared->n_done);
        if (done + atomic_load(&relay->shared->n_lost) >= n_done) {
            return wake_publisher(relay, err);
        }
        if (done != last) {
            last = done;
            since_ns = mpb_clock_now_ns();
        }
        enum mpb_status st = mpb_relay_serve(relay, SERVE_WAIT_MS, err);
        if (st == MPB_OK) {
            st = wake_publisher(relay, err);
        }
        if (st == MPB_OK) {
            st = mpb_relay_check(relay, since_ns, err);
        }
        if (st != MPB_OK) {
            return st;
        }
    }
}
