/* macro.c: a macro session: set up, run its nodes as threads or processes, say how it went. What
 * the publisher publishes, the receiver validates, delivers and archives; closed loop with a
 * window, or open loop at a rate. One run. */
#include "workloads/macro.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "workloads/arena.h"
#include "workloads/link.h"

enum { FDS_BESIDES = 64 /* open files of a worker that has no filter peers, generously */ };

#define END_LIMIT_NS UINT64_C(600000000000) /* a child may verify for so long after the parent */
#define GRACE_NS UINT64_C(2000000000)       /* and once a node has failed, end itself */

/* Each filter peer is two open files here: the node's end and the subscriber's. */
static enum mpb_status raise_fd_limit(uint32_t n_peers, struct mpb_error *err)
{
    struct rlimit limit;
    rlim_t n_needed = (rlim_t)n_peers * 2 + FDS_BESIDES;
    if (n_peers == 0 || (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= n_needed)) {
        return MPB_OK;
    }
    if (limit.rlim_max < n_needed) {
        return mpb_error_set(err, MPB_E_UNAVAILABLE, "--filter-peers",
                             "%u peers need %llu open files; the hard limit is %llu",
                             (unsigned)n_peers, (unsigned long long)n_needed,
                             (unsigned long long)limit.rlim_max);
    }
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0
               ? MPB_OK
               : mpb_error_sys(err, MPB_E_UNAVAILABLE, "--filter-peers",
                               "cannot raise the limit on open files");
}

/* A longer message could not be sent at all. */
static enum mpb_status check_fits(const struct mpb_workload *workload, struct mpb_error *err)
{
    uint8_t header[MPB_RPC_HEADER_MAX], trailer[MPB_RPC_TOPIC_MAX + 4];
    size_t trailer_len = 0, len = mpb_workload_max_encoded_len(workload);
    if (mpb_rpc_publish(len, MPB_BYTES_OF(MPB_WORKLOAD_PUBSUB_TOPIC), header, trailer,
                        &trailer_len) > 0) {
        return MPB_OK;
    }
    return mpb_error_set(err, MPB_E_INPUT, "--mix",
                         "a message of %zu encoded bytes does not fit a frame of %zu", len,
                         (size_t)MPB_RPC_FRAME_MAX);
}

static enum mpb_status map_shared(struct mpb_macro *m, struct mpb_error *err)
{
    m->total = mpb_workload_len(m->workload);
    m->shared = mpb_arena_map_shared(sizeof(*m->shared));
    m->sample_ns = mpb_arena_map(m->cfg->n_messages * sizeof(m->sample_ns[0]));
    if (m->shared != NULL) {
        m->shared->sent_ns = mpb_arena_map_shared(m->total * sizeof(uint64_t));
        m->shared->done_ns = mpb_arena_map_shared(m->total * sizeof(uint64_t));
        m->shared->lost = mpb_arena_map_shared(m->total);
        m->shared->arrived = mpb_arena_map_shared(m->total * sizeof(uint32_t));
        atomic_store(&m->shared->wake_at, UINT64_MAX);
    }
    if (m->shared == NULL || m->sample_ns == NULL || m->shared->sent_ns == NULL ||
        m->shared->done_ns == NULL || m->shared->lost == NULL || m->shared->arrived == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "macro", NULL);
    }
    return MPB_OK;
}

static enum mpb_status set_up(struct mpb_macro *m, struct mpb_error *err)
{
    const struct mpb_scenario_cfg *cfg = m->cfg;
    struct mpb_workload_cfg workload = {cfg->seed,       &cfg->mix, cfg->n_warmup,
                                        cfg->n_messages, 1,         cfg->rate_per_s};
    enum mpb_status st = mpb_workload_new(&workload, &m->workload, err);
    if (st == MPB_OK) {
        st = check_fits(m->workload, err);
    }
    if (st == MPB_OK) {
        st = map_shared(m, err);
    }
    if (st == MPB_OK) {
        st = raise_fd_limit(cfg->n_filter_peers, err);
    }
    if (st == MPB_OK) {
        m->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        st =
            m->wake_fd >= 0 ? MPB_OK : mpb_error_sys(err, MPB_E_UNAVAILABLE, "macro", "no eventfd");
    }
    if (st == MPB_OK && cfg->n_filter_peers > 0) {
        st = mpb_subscribers_new(cfg->n_filter_peers, &m->subscribers, err);
    }
    return st == MPB_OK ? mpb_link_listen(&m->listen_fd, &m->port, err) : st;
}

static void tear_down(struct mpb_macro *m)
{
    mpb_attacker_free(m->attacker);
    mpb_subscribers_free(m->subscribers);
    if (m->shared != NULL) {
        mpb_arena_unmap(m->shared->sent_ns, m->total * sizeof(uint64_t));
        mpb_arena_unmap(m->shared->done_ns, m->total * sizeof(uint64_t));
        mpb_arena_unmap(m->shared->lost, m->total);
        mpb_arena_unmap(m->shared->arrived, m->total * sizeof(uint32_t));
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

static struct mpb_relay relay_of(const struct mpb_macro *m, enum mpb_relay_role role)
{
    return (struct mpb_relay){
        .cfg = m->cfg,
        .workload = m->workload,
        .shared = m->shared,
        .role = role,
        .listen_fd = m->listen_fd,
        .port = m->port,
        .subscribers_port = m->subscribers != NULL ? mpb_subscribers_port(m->subscribers) : 0,
        .wake_fd = m->wake_fd,
        .drained = true,
    };
}

/* The harness's own threads, in the process that emits the rows. */
static enum mpb_status start_helpers(struct mpb_macro *m, struct mpb_error *err)
{
    struct mpb_attacker_cfg attacker = {m->cfg->hostile, m->workload, m->shared, m->port,
                                        m->cfg->seed};
    enum mpb_status st =
        m->subscribers != NULL ? mpb_subscribers_start(m->subscribers, err) : MPB_OK;
    return st == MPB_OK && m->cfg->hostile.kind != MPB_HOSTILE__COUNT
               ? mpb_attacker_start(&attacker, &m->attacker, err)
               : st;
}

static enum mpb_status finish_helpers(struct mpb_macro *m, struct mpb_error *err)
{
    enum mpb_status st = MPB_OK;
    if (m->attacker != NULL) {
        st = mpb_attacker_finish(m->attacker, &m->n_hostile_frames, err);
    }
    return st == MPB_OK && m->subscribers != NULL ? mpb_subscribers_finish(m->subscribers, err)
                                                  : st;
}

static void *thread_main(void *relay)
{
    mpb_relay_main(relay);
    return NULL;
}

/* Both nodes as threads of their own, so that each has its own counters. */
static enum mpb_status run_threads(struct mpb_macro *m, struct mpb_error *err)
{
    struct mpb_relay relay[MPB_RELAY__COUNT];
    pthread_t thread[MPB_RELAY__COUNT];
    int n = 0;
    enum mpb_status st = start_helpers(m, err);
    if (st != MPB_OK) {
        return st;
    }
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
    struct mpb_macro *m = ctx;
    if (m->child > 0 && waitpid(m->child, &m->child_status, WNOHANG) == m->child) {
        m->child = 0;
    }
    return m->child > 0;
}

/* Wait for the child's end; one that does not come is brought about. */
static void reap(struct mpb_macro *m)
{
    uint64_t since_ns = mpb_clock_now_ns();
    while (child_lives(m)) {
        uint64_t limit_ns = atomic_load(&m->shared->failed) ? GRACE_NS : END_LIMIT_NS;
        if (mpb_clock_now_ns() - since_ns > limit_ns) {
            kill(m->child, SIGKILL);
            waitpid(m->child, NULL, 0); /* that end is ours, not what went wrong */
            m->child = 0;
            atomic_store(&m->shared->failed, true);
            return;
        }
        nanosleep(&(struct timespec){0, 200000}, NULL);
    }
}

/* An end that the receiver did not bring about itself is what went wrong, whatever followed. */
static enum mpb_status judge_child(const struct mpb_macro *m, struct mpb_error *err)
{
    if (WIFSIGNALED(m->child_status)) {
        return mpb_error_set(err, MPB_E_INCOMPLETE, "macro",
                             "the receiver's process was killed by signal %d",
                             WTERMSIG(m->child_status));
    }
    if (!WIFEXITED(m->child_status) || WEXITSTATUS(m->child_status) != 0) {
        return mpb_error_set(err, MPB_E_INCOMPLETE, "macro", "the receiver's process ended early");
    }
    return MPB_OK;
}

static enum mpb_status run_processes(struct mpb_macro *m, struct mpb_error *err)
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
    enum mpb_status st = start_helpers(m, err);
    if (st == MPB_OK) {
        mpb_relay_main(&relay);
    } else {
        atomic_store(&m->shared->failed, true);
    }
    reap(m);
    return st == MPB_OK ? judge_child(m, err) : st;
}

/* The error that came first: what a node says that saw the other give up is not the cause. */
static enum mpb_status outcome(const struct mpb_macro *m, struct mpb_error *err)
{
    const struct mpb_relay_result *cause = NULL;
    for (int i = 0; i < MPB_RELAY__COUNT; i++) {
        const struct mpb_relay_result *r = &m->shared->result[i];
        if (r->status != MPB_OK && (cause == NULL || !cause->failed_first)) {
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

static enum mpb_status expect(const char *what, uint64_t got, uint64_t want, struct mpb_error *err)
{
    return got == want ? MPB_OK
                       : mpb_error_set(err, MPB_E_VERIFY, "verify", "%s: got %llu, expected %llu",
                                       what, (unsigned long long)got, (unsigned long long)want);
}

/* The run's sums close: what was published was queued or dropped; what was queued arrived; what
 * arrived was delivered, rejected or dropped. */
static enum mpb_status verify_sums(const struct mpb_macro *m, struct mpb_error *err)
{
    const struct mpb_account *from = &m->shared->result[MPB_RELAY_PUBLISHER].own;
    const struct mpb_account *to = &m->shared->result[MPB_RELAY_RECEIVER].own;
    uint64_t n_fates = to->node.delivered;
    for (size_t i = 0; i < MPB_DROP__COUNT; i++) {
        n_fates += to->gossip.dropped[i];
    }
    for (size_t i = 0; i < MPB_STATUS__COUNT; i++) {
        n_fates += to->node.rejected_by_codec[i];
    }
    enum mpb_status st = expect("published", from->gossip.published, m->cfg->n_messages, err);
    if (st == MPB_OK) {
        st = expect("queued and dropped",
                    from->gossip.sent + from->gossip.dropped[MPB_DROP_QUEUE_FULL],
                    from->gossip.published, err);
    }
    if (st == MPB_OK) {
        st = expect("received", to->gossip.received, from->gossip.sent, err);
    }
    return st == MPB_OK
               ? expect("delivered, rejected and dropped", n_fates, to->gossip.received, err)
               : st;
}

static enum mpb_status verify_pushes(const struct mpb_macro *m, struct mpb_error *err)
{
    const struct mpb_relay_shared *shared = m->shared;
    if (m->subscribers == NULL) {
        return MPB_OK;
    }
    struct mpb_subscribers_claim claim = {
        .workload = m->workload,
        .index = shared->arrived,
        .n_messages = shared->n_arrived[0] + shared->n_arrived[1],
        .n_taken = shared->result[MPB_RELAY_RECEIVER].n_pushes_taken,
    };
    return mpb_subscribers_verify(m->subscribers, &claim, err);
}

/* Every hostile frame is on the receiver's books, under the reason of its kind and no other. */
static enum mpb_status verify_hostile(const struct mpb_macro *m, struct mpb_error *err)
{
    const struct mpb_account *bill = &m->shared->result[MPB_RELAY_RECEIVER].guests;
    uint64_t n_all = 0, n_expected = 0;
    if (m->attacker == NULL) {
        return MPB_OK;
    }
    const char *fate = mpb_hostile_info(m->cfg->hostile.kind)->fate;
    for (size_t i = 0; i < MPB_DROP__COUNT; i++) {
        n_all += bill->gossip.dropped[i];
        n_expected +=
            strcmp(mpb_gossip_drop_name((enum mpb_drop)i), fate) == 0 ? bill->gossip.dropped[i] : 0;
    }
    for (size_t i = 0; i < MPB_STATUS__COUNT; i++) {
        n_all += bill->node.rejected_by_codec[i];
        n_expected += strcmp(fate, "rejected") == 0 ? bill->node.rejected_by_codec[i] : 0;
    }
    n_all += bill->node.delivered;
    enum mpb_status st =
        expect("hostile frames by their reason", n_expected, m->n_hostile_frames, err);
    return st == MPB_OK ? expect("hostile frames in all", n_all, m->n_hostile_frames, err) : st;
}

/* The error that came first: whoever only saw another give up is not the cause. */
static enum mpb_status conclude(struct mpb_macro *m, enum mpb_status run_status,
                                struct mpb_error *err)
{
    struct mpb_error helper_err;
    enum mpb_status st = run_status == MPB_OK ? outcome(m, err) : run_status;
    enum mpb_status helper = finish_helpers(m, &helper_err);
    if (run_status == MPB_OK && helper != MPB_OK && (st == MPB_OK || st == MPB_E_INCOMPLETE)) {
        *err = helper_err;
        return helper;
    }
    return st;
}

enum mpb_status mpb_macro_run(const struct mpb_scenario_cfg *cfg, struct mpb_emit *emit,
                              struct mpb_error *err)
{
    struct mpb_macro m = {.cfg = cfg, .listen_fd = -1, .wake_fd = -1};
    enum mpb_status st = set_up(&m, err);
    if (st == MPB_OK) {
        st = cfg->as_processes ? run_processes(&m, err) : run_threads(&m, err);
    }
    st = conclude(&m, st, err);
    if (st == MPB_OK) {
        st = verify_sums(&m, err);
    }
    if (st == MPB_OK) {
        st = verify_hostile(&m, err);
    }
    if (st == MPB_OK) {
        st = verify_pushes(&m, err);
    }
    if (st == MPB_OK) {
        mpb_macro_rows_emit(&m, emit);
    }
    tear_down(&m);
    return st;
}
