/* attacker.c: the hostile connection's thread (see attacker.h). */
#include "workloads/attacker.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "instrument/clock.h"
#include "workloads/arena.h"
#include "workloads/attacker_frames.h"
#include "workloads/link.h"

enum { CONNECT_TIMEOUT_MS = 5000, LOOK_MS = 20 };

#define LOOK_NS 5000000                /* longest sleep between looks at the session */
#define LIMIT_NS UINT64_C(20000000000) /* a receiver that takes or says nothing for so long */
#define SECOND_NS UINT64_C(1000000000)

struct mpb_attacker {
    struct mpb_attacker_cfg cfg;
    struct mpb_attacker_frames frames;
    pthread_t thread;
    bool has_thread;
    int fd; /* -1: not connected */
    uint64_t n_frames;
    enum mpb_status status;
    struct mpb_error err;
    uint8_t frame[MPB_ATTACKER_FRAME_MAX];
};

static bool has_failed(const struct mpb_attacker *a)
{
    return atomic_load(&a->cfg.shared->failed);
}

/* No new frame is begun then. */
static bool is_over(const struct mpb_attacker *a)
{
    return has_failed(a) || atomic_load(&a->cfg.shared->hostile_stop);
}

static void nap(uint64_t ns)
{
    nanosleep(&(struct timespec){0, (long)(ns < LOOK_NS ? ns : LOOK_NS)}, NULL);
}

static void await_run(const struct mpb_attacker *a)
{
    const struct mpb_relay_shared *shared = a->cfg.shared;
    while (!is_over(a) && (atomic_load(&shared->phase[MPB_RELAY_PUBLISHER]) < MPB_RELAY_READY ||
                           atomic_load(&shared->phase[MPB_RELAY_RECEIVER]) < MPB_RELAY_READY)) {
        nap(100000);
    }
}

/* Until the nth frame (or byte) is due; false: the run is over. */
static bool await_due(const struct mpb_attacker *a, uint64_t start_ns, uint64_t n)
{
    uint64_t rate = a->cfg.hostile.rate;
    uint64_t due_ns = rate > 0 ? start_ns + n / rate * SECOND_NS + n % rate * SECOND_NS / rate : 0;
    for (uint64_t now_ns = mpb_clock_now_ns(); now_ns < due_ns && !is_over(a);
         now_ns = mpb_clock_now_ns()) {
        nap(due_ns - now_ns);
    }
    return !is_over(a);
}

static enum mpb_status fail(struct mpb_attacker *a, const char *what)
{
    return mpb_error_sys(&a->err, MPB_E_IO, "--hostile", "%s", what);
}

/* Wait for the socket; MPB_E_INTERRUPTED: the session has failed elsewhere. */
static enum mpb_status await_socket(struct mpb_attacker *a, short events)
{
    uint64_t since_ns = mpb_clock_now_ns();
    for (;;) {
        struct pollfd p = {.fd = a->fd, .events = events};
        int n = poll(&p, 1, LOOK_MS);
        if (n > 0) {
            return MPB_OK;
        }
        if (n < 0 && errno != EINTR) {
            return fail(a, "cannot wait");
        }
        if (has_failed(a)) {
            return MPB_E_INTERRUPTED;
        }
        if (mpb_clock_now_ns() - since_ns > LIMIT_NS) {
            return mpb_error_set(&a->err, MPB_E_TIMEOUT, "--hostile",
                                 "the receiver does not serve the hostile connection");
        }
    }
}

static enum mpb_status send_bytes(struct mpb_attacker *a, const uint8_t *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = send(a->fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN && errno != EINTR) {
            return fail(a, "cannot send");
        }
        enum mpb_status st = n < 0 ? await_socket(a, POLLOUT) : MPB_OK;
        if (st != MPB_OK) {
            return st;
        }
        bytes += n > 0 ? (size_t)n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return MPB_OK;
}

static enum mpb_status connect_once(struct mpb_attacker *a)
{
    return a->fd >= 0 ? MPB_OK : mpb_link_connect(a->cfg.port, CONNECT_TIMEOUT_MS, &a->fd, &a->err);
}

/* Wait until the receiver has closed its end (it greets first), then close ours. A reset is such
 * an end too: it had read the frame, not what may have followed. */
static enum mpb_status await_end(struct mpb_attacker *a)
{
    uint8_t ignored[256];
    enum mpb_status st = MPB_OK;
    ssize_t n = 1;
    while (st == MPB_OK && n != 0) {
        st = await_socket(a, POLLIN);
        n = st == MPB_OK ? recv(a->fd, ignored, sizeof(ignored), MSG_DONTWAIT) : 0;
        if (n < 0 && errno != EAGAIN && errno != EINTR) {
            st = errno == ECONNRESET ? MPB_OK : fail(a, "cannot read");
            n = 0;
        }
    }
    close(a->fd);
    a->fd = -1;
    return st;
}

static enum mpb_status attack_by_frames(struct mpb_attacker *a, uint64_t start_ns)
{
    enum mpb_hostile_kind kind = a->cfg.hostile.kind;
    enum mpb_status st = MPB_OK;
    for (uint64_t n = 0; st == MPB_OK && await_due(a, start_ns, n); n++) {
        st = connect_once(a);
        size_t len = st == MPB_OK ? mpb_attacker_frames_make(&a->frames, kind, n, a->frame) : 0;
        if (len == 0) {
            nap(100000);
            continue;
        }
        st = send_bytes(a, a->frame, len);
        if (st == MPB_OK) {
            a->n_frames++;
            st = mpb_hostile_info(kind)->ends ? await_end(a) : MPB_OK;
        }
    }
    return st;
}

static enum mpb_status attack_by_bytes(struct mpb_attacker *a, uint64_t start_ns)
{
    size_t len = mpb_attacker_frames_make(&a->frames, a->cfg.hostile.kind, 0, a->frame);
    enum mpb_status st = connect_once(a);
    for (uint64_t n = 0; st == MPB_OK && await_due(a, start_ns, n); n++) {
        if (n + 1 < len) { /* the last byte never comes */
            st = send_bytes(a, a->frame + n, 1);
            a->n_frames = st == MPB_OK ? 1 : 0;
        } else {
            nap(LOOK_NS);
        }
    }
    return st;
}

static enum mpb_status attack(struct mpb_attacker *a)
{
    await_run(a);
    uint64_t start_ns = mpb_clock_now_ns();
    enum mpb_status st = a->cfg.hostile.kind == MPB_HOSTILE_SLOW ? attack_by_bytes(a, start_ns)
                                                                 : attack_by_frames(a, start_ns);
    if (st == MPB_OK && a->fd >= 0 && shutdown(a->fd, SHUT_WR) != 0) {
        st = fail(a, "cannot end");
    }
    return st == MPB_OK && a->fd >= 0 ? await_end(a) : st;
}

static void *thread_main(void *self)
{
    struct mpb_attacker *a = self;
    enum mpb_status st = attack(a);
    if (a->fd >= 0) {
        close(a->fd);
        a->fd = -1;
    }
    a->status = st == MPB_E_INTERRUPTED ? MPB_OK : st;
    if (a->status != MPB_OK) {
        atomic_store(&a->cfg.shared->failed, true);
    }
    atomic_store(&a->cfg.shared->hostile_done, true);
    return NULL;
}

enum mpb_status mpb_attacker_start(const struct mpb_attacker_cfg *cfg, struct mpb_attacker **out,
                                   struct mpb_error *err)
{
    struct mpb_attacker *a = mpb_arena_map(sizeof(*a));
    if (a == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "--hostile", NULL);
    }
    a->cfg = *cfg;
    a->fd = -1;
    mpb_attacker_frames_init(&a->frames, cfg->workload, cfg->shared->done_ns, &cfg->shared->n_begun,
                             cfg->seed);
    if (pthread_create(&a->thread, NULL, thread_main, a) != 0) {
        mpb_attacker_free(a);
        return mpb_error_set(err, MPB_E_NOMEM, "--hostile", "no thread");
    }
    a->has_thread = true;
    *out = a;
    return MPB_OK;
}

enum mpb_status mpb_attacker_finish(struct mpb_attacker *attacker, uint64_t *out_n_frames,
                                    struct mpb_error *err)
{
    if (attacker->has_thread) {
        atomic_store(&attacker->cfg.shared->hostile_stop, true);
        pthread_join(attacker->thread, NULL);
        attacker->has_thread = false;
    }
    *out_n_frames = attacker->n_frames;
    if (attacker->status != MPB_OK && err != NULL) {
        *err = attacker->err;
    }
    return attacker->status;
}

void mpb_attacker_free(struct mpb_attacker *attacker)
{
    uint64_t ignored = 0;
    if (attacker != NULL) {
        enum mpb_status st = mpb_attacker_finish(attacker, &ignored, NULL);
        (void)st;
        mpb_arena_unmap(attacker, sizeof(*attacker));
    }
}
