/* pair.c: the limit that the floor variant's macro is held against: two pinned threads that do only
 * what cannot be avoided on the same bytes: two SHA-256 on the sender, an unjoined send, receiving
 * into fresh buffers that are kept, two SHA-256 on the receiver; the same window and the same
 * application memory. It speaks the worker protocol, so msgpath compares it as an exec: arm. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/buffer.h"
#include "core/hasher.h"
#include "workloads/arena.h"
#include "workloads/describe.h"
#include "workloads/link.h"
#include "workloads/recorder.h"
#include "workloads/worker_opt.h"
#include "workloads/workload.h"

struct pair {
    const struct mpb_scenario_cfg *cfg;
    struct mpb_workload *workload;
    size_t total;
    int listen_fd, wake_fd;
    uint16_t port;
    _Atomic uint64_t n_done, wake_at;
    _Atomic bool failed;
    uint64_t *sent_ns, *done_ns, *sample_ns;
    uint64_t cpu_ns[2];
};

static void set_blocking(int fd)
{
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
}

/* Both hashes of a message: its deterministic hash (payload and little else) and its id. */
static bool hash_twice(struct mpb_hasher *hasher, const struct mpb_msg *msg,
                       struct mpb_bytes payload)
{
    uint8_t out[MPB_MSG_HASH_LEN];
    return mpb_hasher_message(hasher, MPB_BYTES_OF(MPB_WORKLOAD_PUBSUB_TOPIC), msg, out) ==
               MPB_OK &&
           mpb_hasher_id(hasher, payload, out) == MPB_OK;
}

static bool send_all(int fd, struct iovec *iov, size_t n)
{
    while (n > 0) {
        ssize_t sent = writev(fd, iov, (int)n);
        if (sent < 0) {
            return false;
        }
        for (size_t left = (size_t)sent; n > 0 && left >= iov->iov_len; n--) {
            left -= iov->iov_len;
            iov++;
            sent = (ssize_t)left;
        }
        if (n > 0) {
            iov->iov_base = (uint8_t *)iov->iov_base + sent;
            iov->iov_len -= (size_t)sent;
        }
    }
    return true;
}

static bool receive_all(int fd, void *to, size_t n)
{
    for (size_t at = 0; at < n;) {
        ssize_t got = recv(fd, (uint8_t *)to + at, n - at, MSG_WAITALL);
        if (got <= 0) {
            return false;
        }
        at += (size_t)got;
    }
    return true;
}

static bool wait_for_window(struct pair *p, uint64_t published, uint64_t limit)
{
    uint64_t count;
    while (published - atomic_load(&p->n_done) > limit) {
        atomic_store(&p->wake_at, published - limit / 2);
        if (published - atomic_load(&p->n_done) > limit &&
            read(p->wake_fd, &count, sizeof(count)) < 0 && errno != EINTR) {
            return false;
        }
    }
    return !atomic_load(&p->failed);
}

static bool send_one(struct pair *p, struct mpb_hasher *hasher, int fd, size_t idx)
{
    uint32_t len = (uint32_t)mpb_workload_payload_len(p->workload, idx);
    struct mpb_buffer *buffer = mpb_buffer_new(len);
    if (buffer == NULL) {
        return false;
    }
    struct mpb_msg msg = mpb_workload_message(p->workload, idx, buffer->data);
    struct iovec iov[] = {{&len, sizeof(len)}, {buffer->data, len}};
    bool ok = hash_twice(hasher, &msg, msg.payload) && send_all(fd, iov, MPB_ARRAY_LEN(iov));
    mpb_buffer_unref(buffer);
    return ok;
}

static void *sender(void *ctx)
{
    struct pair *p = ctx;
    struct mpb_hasher *hasher = NULL;
    int fd = -1;
    uint64_t cpu_ns = 0;
    mpb_link_pin(0);
    bool ok = mpb_hasher_new(&hasher, NULL) == MPB_OK &&
              mpb_link_connect(p->port, 5000, &fd, NULL) == MPB_OK;
    if (ok) {
        set_blocking(fd);
    }
    for (size_t i = 0; ok && i < p->total; i++) {
        ok = wait_for_window(p, i, i == p->cfg->n_warmup ? 0 : p->cfg->window - 1);
        cpu_ns = i == p->cfg->n_warmup ? mpb_clock_thread_cpu_ns() : cpu_ns;
        p->sent_ns[i] = mpb_clock_now_ns();
        ok = ok && send_one(p, hasher, fd, i);
    }
    ok = ok && wait_for_window(p, p->total, 0);
    p->cpu_ns[0] = mpb_clock_thread_cpu_ns() - cpu_ns;
    if (!ok) {
        atomic_store(&p->failed, true);
    }
    if (fd >= 0) {
        close(fd);
    }
    mpb_hasher_free(hasher);
    return NULL;
}

static bool receive_one(struct mpb_hasher *hasher, int fd, struct mpb_buffer **kept)
{
    uint32_t len = 0;
    if (!receive_all(fd, &len, sizeof(len))) {
        return false;
    }
    struct mpb_buffer *buffer = mpb_buffer_new(len);
    *kept = buffer;
    if (buffer == NULL || !receive_all(fd, buffer->data, len)) {
        return false;
    }
    struct mpb_msg msg = {.payload = mpb_buffer_view(buffer)};
    return hash_twice(hasher, &msg, msg.payload);
}

static void *receiver(void *ctx)
{
    struct pair *p = ctx;
    struct mpb_hasher *hasher = NULL;
    struct mpb_buffer **kept = mpb_arena_map(p->total * sizeof(struct mpb_buffer *));
    int fd = -1;
    uint64_t cpu_ns = 0, one = 1;
    mpb_link_pin(1);
    bool ok = kept != NULL && mpb_hasher_new(&hasher, NULL) == MPB_OK &&
              mpb_link_accept(p->listen_fd, 5000, &fd, NULL) == MPB_OK;
    if (ok) {
        set_blocking(fd);
    }
    for (size_t i = 0; ok && i < p->total; i++) {
        cpu_ns = i == p->cfg->n_warmup ? mpb_clock_thread_cpu_ns() : cpu_ns;
        ok = receive_one(hasher, fd, &kept[i]);
        p->done_ns[i] = mpb_clock_now_ns();
        atomic_store(&p->n_done, i + 1);
        if (i + 1 >= atomic_load(&p->wake_at)) {
            atomic_store(&p->wake_at, UINT64_MAX);
            ok = ok && write(p->wake_fd, &one, sizeof(one)) == (ssize_t)sizeof(one);
        }
    }
    p->cpu_ns[1] = mpb_clock_thread_cpu_ns() - cpu_ns;
    if (!ok) {
        atomic_store(&p->failed, true);
        atomic_store(&p->n_done, p->total);
        if (write(p->wake_fd, &one, sizeof(one)) < 0) {
            perror("msgpath-pair");
        }
    }
    for (size_t i = 0; kept != NULL && i < p->total; i++) {
        mpb_buffer_unref(kept[i]);
    }
    if (fd >= 0) {
        close(fd);
    }
    mpb_hasher_free(hasher);
    return NULL;
}

static void emit_times(const struct pair *p, struct mpb_emit *emit)
{
    size_t first = p->cfg->n_warmup, n = p->cfg->n_messages;
    uint64_t wall_ns = p->done_ns[p->total - 1] - p->sent_ns[first];
    mpb_emit_integer(emit, 1, MPB_METRIC_MESSAGES, NULL, n);
    mpb_emit_real(emit, 1, MPB_METRIC_MSG_PER_S, (double)n * 1e9 / (double)wall_ns);
    mpb_emit_integer(emit, 1, MPB_METRIC_WALL, NULL, wall_ns);
    mpb_emit_integer(emit, 1, MPB_METRIC_CPU, NULL, p->cpu_ns[0] + p->cpu_ns[1]);
    emit->node = "publisher";
    mpb_emit_integer(emit, 1, MPB_METRIC_CPU, NULL, p->cpu_ns[0]);
    emit->node = "receiver";
    mpb_emit_integer(emit, 1, MPB_METRIC_CPU, NULL, p->cpu_ns[1]);
    emit->node = NULL;
}

static enum mpb_status run_pass(const struct mpb_scenario_cfg *cfg, struct mpb_error *err)
{
    struct pair p = {.cfg = cfg, .wake_at = UINT64_MAX};
    struct mpb_emit emit = {.scenario = "macro"};
    struct mpb_workload_cfg workload = {cfg->seed,       &cfg->mix, cfg->n_warmup,
                                        cfg->n_messages, 1,         cfg->rate_per_s};
    pthread_t thread[2];
    enum mpb_status st = mpb_workload_new(&workload, &p.workload, err);
    if (st != MPB_OK) {
        return st;
    }
    p.total = mpb_workload_len(p.workload);
    p.sent_ns = mpb_arena_map(p.total * sizeof(uint64_t));
    p.done_ns = mpb_arena_map(p.total * sizeof(uint64_t));
    p.wake_fd = eventfd(0, EFD_CLOEXEC);
    st = mpb_link_listen(&p.listen_fd, &p.port, err);
    if (st != MPB_OK) {
        return st;
    }
    pthread_create(&thread[0], NULL, sender, &p);
    pthread_create(&thread[1], NULL, receiver, &p);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    if (atomic_load(&p.failed)) {
        return mpb_error_set(err, MPB_E_IO, "pair", "a node failed");
    }
    emit_times(&p, &emit);
    return mpb_emit_print(&emit, stdout, err);
}

int main(int argc, char **argv)
{
    struct mpb_worker_opt opt;
    struct mpb_error err = {.status = MPB_OK};
    enum mpb_status st = mpb_worker_opt_parse(argc - 1, argv + 1, &opt, &err);
    if (st == MPB_OK && opt.describe) {
        st = mpb_describe_limit(stdout, "macro", "two SHA-256 and loopback TCP on each side", &err);
    } else if (st == MPB_OK) {
        st = run_pass(&opt.cfg, &err);
    }
    if (st != MPB_OK) {
        char line[600];
        mpb_error_format(&err, line, sizeof(line));
        fprintf(stderr, "msgpath-pair: %s\n", line);
    }
    return st == MPB_OK ? 0 : 1;
}
