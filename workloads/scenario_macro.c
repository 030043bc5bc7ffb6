/* scenario_macro.c: two relay nodes over loopback TCP: what the publisher publishes, the receiver
 * validates, delivers and archives. Closed loop with a window, or open loop at a rate. One run. */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workloads/arena.h"
#include "workloads/link.h"
#include "workloads/relay.h"

static const char *const node_names[MPB_RELAY__COUNT] = {"publisher", "receiver"};

struct macro {
    const struct mpb_scenario_cfg *cfg;
    struct mpb_workload *workload;
    struct mpb_relay_shared *shared;
    size_t total;
    int listen_fd, wake_fd;
    uint16_t port;
    uint64_t *sample_ns; /* sample_ns[n_messages], for sorting */
    pid_t child;         /* --nodes processes: the receiver; 0: not yet or no more */
};

static enum mpb_status set_up(struct macro *m, struct mpb_error *err)
{
    const struct mpb_scenario_cfg *cfg = m->cfg;
    struct mpb_workload_cfg workload = {cfg->seed, &cfg->mix, cfg->n_warmup, cfg->n_messages, 1};
    enum mpb_status st = mpb_workload_new(&workload, &m->workload, err);
    if (st != MPB_OK) {
        return st;
    }
    m->total = mpb_workload_len(m->workload);
    m->shared = mpb_arena_map_shared(sizeof(*m->shared));
    m->sample_ns = mpb_arena_map(cfg->n_messages * sizeof(m->sample_ns[0]));
    if (m->shared != NULL) {
        m->shared->sent_ns = mpb_arena_map_shared(m->total * sizeof(uint64_t));
        m->shared->done_ns = mpb_arena_map_shared(m->total * sizeof(uint64_t));
        atomic_store(&m->shared->wake_at, UINT64_MAX);
    }
    if (m->shared == NULL || m->sample_ns == NULL || m->shared->sent_ns == NULL ||
        m->shared->done_ns == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "macro", NULL);
    }
    m->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (m->wake_fd < 0) {
        return mpb_error_sys(err, MPB_E_UNAVAILABLE, "macro", "no eventfd");
    }
    return mpb_link_listen(&m->listen_fd, &m->port, err);
}

static void tear_down(struct macro *m)
{
    if (m->shared != NULL) {
        mpb_arena_unmap(m->shared->sent_ns, m->total * sizeof(uint64_t));
        mpb_arena_unmap(m->shared->done_ns, m->total * sizeof(uint64_t));
        mpb_arena_unmap(m->shared, sizeof(*m->shared));
    }
    mpb_arena_unmap(m->sample_ns, m->cfg->n_messages * sizeof(m->sample_ns[0]));
    mpb_workload_free(m->workload);
    if (m->wake_fd >= 0) {
        close(m->wake_fd);
    }
    if (m->listen_fd >= 0) {
        close(m->listen_fd);
    }
}

static struct mpb_relay relay_of(const struct macro *m, enum mpb_relay_role role)
{
    return (struct mpb_relay){
        .cfg = m->cfg,
        .workload = m->workload,
        .shared = m->shared,
        .role = role,
        .listen_fd = m->listen_fd,
        .port = m->port,
        .wake_fd = m->wake_fd,
        .drained = true,
    };
}

static void *thread_main(void *relay)
{
    mpb_relay_main(relay);
    return NULL;
}

/* Both nodes as threads of their own, so that each has its own counters. */
static enum mpb_status run_threads(struct macro *m, struct mpb_error *err)
{
    struct mpb_relay relay[MPB_RELAY__COUNT];
    pthread_t thread[MPB_RELAY__COUNT];
    int n = 0;
    for (; n < MPB_RELAY__COUNT; n++) {
        relay[n] = relay_of(m, (enum mpb_relay_role)n);
        if (pthread_create(&thread[n], NULL, thread_main, &relay[n]) != 0) {
            atomic_store(&m->shared->failed, true);
            break;
        }
    }
    for (int i = 0; i < n; i++) {
        pthread_join(thread[i], NULL);
    }
    return n == MPB_RELAY__COUNT ? MPB_OK : mpb_error_set(err, MPB_E_NOMEM, "macro", "no thread");
}

/* The receiver's process, unless it has ended: then it did so before its work was done. */
static bool child_lives(void *ctx)
{
    struct macro *m = ctx;
    if (m->child > 0 && waitpid(m->child, NULL, WNOHANG) == m->child) {
        m->child = 0;
    }
    return m->child > 0;
}

static enum mpb_status run_processes(struct macro *m, struct mpb_error *err)
{
    pid_t parent = getpid();
    m->child = fork();
    if (m->child < 0) {
        return mpb_error_sys(err, MPB_E_NOMEM, "macro", "cannot fork");
    }
    if (m->child == 0) {
        struct mpb_relay relay = relay_of(m, MPB_RELAY_RECEIVER);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent) {
            mpb_relay_main(&relay);
        }
        _exit(0);
    }
    struct mpb_relay relay = relay_of(m, MPB_RELAY_PUBLISHER);
    relay.other_lives = child_lives;
    relay.other_ctx = m;
    mpb_relay_main(&relay);
    if (m->child > 0) {
        waitpid(m->child, NULL, 0);
        m->child = 0;
    }
    if (atomic_load(&m->shared->phase[MPB_RELAY_RECEIVER]) < MPB_RELAY_DONE) {
        atomic_store(&m->shared->failed, true);
    }
    return MPB_OK;
}

/* The error that came first: a node that only saw the other give up is not the cause. */
static enum mpb_status outcome(const struct macro *m, struct mpb_error *err)
{
    const struct mpb_relay_result *cause = NULL;
    for (int i = 0; i < MPB_RELAY__COUNT; i++) {
        const struct mpb_relay_result *r = &m->shared->result[i];
        if (r->status != MPB_OK && (cause == NULL || cause->status == MPB_E_INCOMPLETE)) {
            cause = r;
        }
    }
    if (cause != NULL) {
        *err = cause->err;
        return cause->status;
    }
    if (atomic_load(&m->shared->failed)) {
        return mpb_error_set(err, MPB_E_VERIFY, "macro", "a node saw other bytes or died");
    }
    return MPB_OK;
}

static void emit_percentiles(uint64_t *x, size_t n, const enum mpb_metric names[4],
                             struct mpb_emit *emit)
{
    if (n == 0) {
        return;
    }
    mpb_recorder_sort(x, n);
    mpb_emit_integer(emit, 1, names[0], NULL, x[n / 2]);
    mpb_emit_integer(emit, 1, names[1], NULL, mpb_recorder_percentile(x, n, 90));
    mpb_emit_integer(emit, 1, names[2], NULL, mpb_recorder_percentile(x, n, 99));
    mpb_emit_integer(emit, 1, names[3], NULL, x[n - 1]);
}

/* Rates, gaps between arrivals (as the reference has them), and end-to-end times from the intended
 * send time, so that a stall is charged to every message it delayed. */
static void emit_times(const struct macro *m, struct mpb_emit *emit)
{
    static const enum mpb_metric gap[] = {MPB_METRIC_NS_PER_MSG_P50, MPB_METRIC_NS_PER_MSG_P90,
                                          MPB_METRIC_NS_PER_MSG_P99, MPB_METRIC_NS_PER_MSG_MAX};
    static const enum mpb_metric e2e[] = {MPB_METRIC_E2E_NS_P50, MPB_METRIC_E2E_NS_P90,
                                          MPB_METRIC_E2E_NS_P99, MPB_METRIC_E2E_NS_MAX};
    const uint64_t *sent = m->shared->sent_ns + m->cfg->n_warmup;
    const uint64_t *done = m->shared->done_ns + m->cfg->n_warmup;
    size_t n = m->cfg->n_messages;
    uint64_t wall_ns = done[n - 1] - sent[0];
    mpb_emit_real(emit, 1, MPB_METRIC_MSG_PER_S, (double)n * 1e9 / (double)wall_ns);
    mpb_emit_integer(emit, 1, MPB_METRIC_WALL, NULL, wall_ns);
    for (size_t i = 1; i < n; i++) {
        m->sample_ns[i - 1] = done[i] - done[i - 1];
    }
    emit_percentiles(m->sample_ns, n - 1, gap, emit);
    for (size_t i = 0; i < n; i++) {
        m->sample_ns[i] = done[i] - sent[i];
    }
    emit_percentiles(m->sample_ns, n, e2e, emit);
}

/* total is the bare row, the parts are each node's. */
static void emit_sum(struct mpb_emit *emit, enum mpb_metric metric, const uint64_t value[2])
{
    emit->node = NULL;
    mpb_emit_integer(emit, 1, metric, NULL, value[0] + value[1]);
    for (int i = 0; i < MPB_RELAY__COUNT; i++) {
        emit->node = node_names[i];
        mpb_emit_integer(emit, 1, metric, NULL, value[i]);
    }
    emit->node = NULL;
}

/* A node's rejections or drops: its total, then each reason that occurred. */
static uint64_t emit_reasons(struct mpb_emit *emit, enum mpb_metric metric, const uint64_t *count,
                             const char *const *names, size_t n)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        total += count[i];
        if (count[i] > 0) {
            mpb_emit_integer(emit, 1, metric, names[i], count[i]);
        }
    }
    mpb_emit_integer(emit, 1, metric, NULL, total);
    return total;
}

static uint64_t emit_rejected(struct mpb_emit *emit, const struct mpb_relay_result *r)
{
    uint64_t count[MPB_STATUS__COUNT];
    const char *names[MPB_STATUS__COUNT];
    for (size_t i = 0; i < MPB_STATUS__COUNT; i++) {
        count[i] = r->node_end.rejected_by_codec[i] - r->node_start.rejected_by_codec[i];
        names[i] = mpb_status_name((enum mpb_status)(-1 - (int)i));
    }
    return emit_reasons(emit, MPB_METRIC_REJECTED, count, names, MPB_STATUS__COUNT);
}

static uint64_t emit_dropped(struct mpb_emit *emit, const struct mpb_relay_result *r)
{
    uint64_t count[MPB_DROP__COUNT];
    const char *names[MPB_DROP__COUNT];
    for (size_t i = 0; i < MPB_DROP__COUNT; i++) {
        count[i] = r->gossip_end.dropped[i] - r->gossip_start.dropped[i];
        names[i] = mpb_gossip_drop_name((enum mpb_drop)i);
    }
    return emit_reasons(emit, MPB_METRIC_DROPPED, count, names, MPB_DROP__COUNT);
}

static uint64_t emit_refused(struct mpb_emit *emit, const struct mpb_relay_result *r)
{
    uint64_t count[MPB_REFUSAL__COUNT];
    const char *names[MPB_REFUSAL__COUNT];
    for (size_t i = 0; i < MPB_REFUSAL__COUNT; i++) {
        count[i] = r->node_end.refused[i] - r->node_start.refused[i];
        names[i] = mpb_archive_refusal_name((enum mpb_refusal)i);
    }
    return emit_reasons(emit, MPB_METRIC_REFUSED, count, names, MPB_REFUSAL__COUNT);
}

typedef uint64_t (*emit_reasons_fn)(struct mpb_emit *emit, const struct mpb_relay_result *r);

static void emit_fates(const struct macro *m, struct mpb_emit *emit)
{
    static const struct {
        enum mpb_metric metric;
        emit_reasons_fn emit;
    } reasons[] = {{MPB_METRIC_REJECTED, emit_rejected},
                   {MPB_METRIC_DROPPED, emit_dropped},
                   {MPB_METRIC_REFUSED, emit_refused}};
    const struct mpb_relay_result *r = m->shared->result;
    uint64_t delivered[2], archived[2];
    for (int i = 0; i < MPB_RELAY__COUNT; i++) {
        delivered[i] = r[i].node_end.delivered - r[i].node_start.delivered;
        archived[i] = r[i].node_end.archived - r[i].node_start.archived;
    }
    mpb_emit_integer(emit, 1, MPB_METRIC_MESSAGES, NULL, m->cfg->n_messages);
    emit_sum(emit, MPB_METRIC_DELIVERED, delivered);
    emit_sum(emit, MPB_METRIC_ARCHIVED, archived);
    for (size_t k = 0; k < MPB_ARRAY_LEN(reasons); k++) {
        uint64_t total = 0;
        for (int i = 0; i < MPB_RELAY__COUNT; i++) {
            emit->node = node_names[i];
            total += reasons[k].emit(emit, &r[i]);
        }
        emit->node = NULL;
        mpb_emit_integer(emit, 1, reasons[k].metric, NULL, total);
    }
    mpb_emit_integer(emit, 1, MPB_METRIC_DIGEST, NULL, r[MPB_RELAY_RECEIVER].ledger[1].digest);
}

static void emit_retained(const struct mpb_relay_result *r, struct mpb_emit *emit)
{
    const struct {
        const char *owner;
        uint64_t n_bytes;
    } owned[] = {{"archive", r->archive_bytes},
                 {"message_cache", r->cache_bytes},
                 {"seen_cache", r->seen_bytes},
                 {"queue", r->queued_bytes_max}};
    for (size_t i = 0; i < MPB_ARRAY_LEN(owned); i++) {
        mpb_emit_integer(emit, 1, MPB_METRIC_RETAINED_BYTES, owned[i].owner, owned[i].n_bytes);
    }
}

static void emit_nodes(const struct macro *m, struct mpb_emit *emit)
{
    const struct mpb_relay_result *r = m->shared->result;
    uint64_t cpu[2], usable[2], freed[2];
    struct mpb_probe_counts sum = r[0].counts;
    for (size_t site = 0; site < MPB_SITE__COUNT; site++) {
        for (size_t metric = 0; metric < MPB_METRIC__COUNT; metric++) {
            sum.at[site][metric] += r[1].counts.at[site][metric];
        }
    }
    sum.live_bytes += r[1].counts.live_bytes;
    sum.peak_bytes += r[1].counts.peak_bytes;
    if (m->cfg->counting) {
        mpb_recorder_emit_counters(&sum, false, 1, emit);
    }
    for (int i = 0; i < MPB_RELAY__COUNT; i++) {
        emit->node = node_names[i];
        if (m->cfg->counting) {
            mpb_recorder_emit_counters(&r[i].counts, true, 1, emit);
            emit_retained(&r[i], emit);
        }
        mpb_recorder_emit_usage(&r[i].usage, 1, emit);
        cpu[i] = r[i].cpu_ns;
        usable[i] = r[i].totals.allocated_bytes;
        freed[i] = r[i].totals.freed_bytes;
    }
    emit_sum(emit, MPB_METRIC_CPU, cpu);
    if (!m->cfg->counting && r[0].has_allocator && r[1].has_allocator) {
        emit_sum(emit, MPB_METRIC_USABLE_BYTES, usable);
        emit_sum(emit, MPB_METRIC_FREED_BYTES, freed);
    }
}

static enum mpb_status run(const struct mpb_scenario_cfg *cfg, struct mpb_emit *emit,
                           struct mpb_error *err)
{
    struct macro m = {.cfg = cfg, .listen_fd = -1, .wake_fd = -1};
    enum mpb_status st = set_up(&m, err);
    if (st == MPB_OK) {
        st = cfg->as_processes ? run_processes(&m, err) : run_threads(&m, err);
    }
    if (st == MPB_OK) {
        st = outcome(&m, err);
    }
    if (st == MPB_OK) {
        emit_fates(&m, emit);
        emit_times(&m, emit);
        emit_nodes(&m, emit);
        mpb_recorder_emit_process(emit);
    }
    tear_down(&m);
    return st;
}

const struct mpb_scenario mpb_scenario_macro = {
    "macro", "two relay nodes over loopback TCP: publish, validate, deliver, archive", run};
