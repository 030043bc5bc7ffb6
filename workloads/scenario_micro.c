/* scenario_micro.c: the receiver's path in one process: bytes into the ordered validator, then
 * the topic handler and the whole chain. No network. Two runs on one node, of consecutive messages,
 * so that run 2 inserts nothing that run 1 already did. */
#include "core/node.h"
#include "workloads/fanout.h"
#include "workloads/ledger.h"
#include "workloads/recorder.h"
#include "workloads/scenario.h"
#include "workloads/workload.h"

enum { N_RUNS = 2 };

struct micro {
    const struct mpb_scenario_cfg *cfg;
    struct mpb_workload *workload;
    struct mpb_node *node;
    struct mpb_recorder recorder;
    struct mpb_ledger ledger[N_RUNS + 1]; /* warm-up first */
    struct mpb_ledger *current;
    struct mpb_node_stats before; /* at the run's start */
    size_t next;                  /* index of the next message */
    bool bytes_differ;            /* the byte-checking build saw a wrong message */
};

static void app(void *ctx, const struct mpb_delivery *delivery)
{
    struct micro *m = ctx;
    if (m->cfg->check_bytes && !mpb_workload_is_message(m->workload, m->next, delivery->msg)) {
        m->bytes_differ = true;
    }
    mpb_ledger_see(m->current, delivery->msg, delivery->hash);
}

static void push(void *ctx, uint32_t peer, const struct mpb_parts *push)
{
    struct micro *m = ctx;
    (void)peer;
    m->current->n_pushes++;
    m->current->pushed_bytes += mpb_buffer_parts_len(push);
}

static enum mpb_status set_up(struct micro *m, struct mpb_error *err)
{
    const struct mpb_scenario_cfg *cfg = m->cfg;
    struct mpb_filter *filter = NULL;
    enum mpb_status st = mpb_workload_new(
        &(struct mpb_workload_cfg){cfg->seed, &cfg->mix, cfg->n_warmup, cfg->n_messages, N_RUNS, 0},
        &m->workload, err);
    if (st == MPB_OK) {
        st = mpb_recorder_init(&m->recorder, cfg->n_messages, cfg->counting, err);
    }
    if (st == MPB_OK && mpb_fanout_filter(cfg->n_filter_peers, &filter) != MPB_OK) {
        st = mpb_error_set(err, MPB_E_NOMEM, "filter", NULL);
    }
    if (st != MPB_OK) {
        return st;
    }
    st = mpb_node_new(
        &(struct mpb_node_cfg){
            .variant = cfg->variant,
            .pubsub_topic = MPB_BYTES_OF(MPB_WORKLOAD_PUBSUB_TOPIC),
            .archive_capacity = cfg->archive_capacity,
            .archive_db = cfg->archive_db,
            .filter = filter,
            .app = app,
            .app_ctx = m,
            .push = push,
            .push_ctx = m,
        },
        &m->node, err);
    if (st != MPB_OK) {
        mpb_filter_free(filter);
    }
    return st;
}

static void tear_down(struct micro *m)
{
    mpb_node_free(m->node);
    mpb_recorder_fini(&m->recorder);
    mpb_workload_free(m->workload);
}

/* What arrives is the path's own memory: written and its pages touched before the clock starts. */
static struct mpb_buffer *arrive(const struct micro *m)
{
    MPB_PROBE_SITE(MPB_SITE_INBOUND);
    struct mpb_buffer *buffer = mpb_buffer_new(mpb_workload_encoded_len(m->workload, m->next));
    if (buffer != NULL) {
        mpb_workload_encode(m->workload, m->next, buffer->data);
    }
    return buffer;
}

static enum mpb_status push_one(struct micro *m, bool recorded)
{
    struct mpb_buffer *buffer = arrive(m);
    if (buffer == NULL) {
        return MPB_E_NOMEM;
    }
    if (recorded) {
        mpb_recorder_message_begin(&m->recorder);
    }
    enum mpb_status st =
        mpb_node_receive(m->node, buffer, mpb_workload_timestamp_ns(m->workload, m->next));
    if (recorded) {
        mpb_recorder_message_end(&m->recorder, mpb_clock_now_ns());
    }
    m->next++;
    return st;
}

static enum mpb_status push_all(struct micro *m, size_t n, bool recorded, struct mpb_error *err)
{
    for (size_t i = 0; i < n; i++) {
        enum mpb_status st = push_one(m, recorded);
        if (st != MPB_OK) {
            return mpb_error_set(err, st, "micro", "message %zu: %s", m->next - 1,
                                 mpb_node_reason(m->node, st));
        }
    }
    return MPB_OK;
}

static void emit_fates(const struct micro *m, unsigned run, struct mpb_emit *emit)
{
    const struct mpb_node_stats *now = mpb_node_stats(m->node), *then = &m->before;
    uint64_t rejected = 0, refused = 0;
    size_t first = m->next - m->cfg->n_messages;
    mpb_emit_integer(emit, run, MPB_METRIC_MESSAGES, NULL, m->cfg->n_messages);
    mpb_emit_integer(emit, run, MPB_METRIC_PAYLOAD_BYTES, NULL,
                     mpb_workload_payload_sum(m->workload, first, m->cfg->n_messages));
    mpb_emit_integer(emit, run, MPB_METRIC_DELIVERED, NULL, now->delivered - then->delivered);
    mpb_emit_integer(emit, run, MPB_METRIC_ARCHIVED, NULL, now->archived - then->archived);
    for (size_t i = 0; i < MPB_STATUS__COUNT; i++) {
        uint64_t n = now->rejected_by_codec[i] - then->rejected_by_codec[i];
        rejected += n;
        if (n > 0) {
            mpb_emit_integer(emit, run, MPB_METRIC_REJECTED,
                             mpb_status_name((enum mpb_status)(-1 - (int)i)), n);
        }
    }
    mpb_emit_integer(emit, run, MPB_METRIC_REJECTED, NULL, rejected);
    for (size_t i = 0; i < MPB_REFUSAL__COUNT; i++) {
        uint64_t n = now->refused[i] - then->refused[i];
        refused += n;
        if (n > 0) {
            mpb_emit_integer(emit, run, MPB_METRIC_REFUSED,
                             mpb_archive_refusal_name((enum mpb_refusal)i), n);
        }
    }
    mpb_emit_integer(emit, run, MPB_METRIC_REFUSED, NULL, refused);
    mpb_emit_integer(emit, run, MPB_METRIC_PUSHED, NULL, now->pushed - then->pushed);
    mpb_emit_integer(emit, run, MPB_METRIC_DIGEST, NULL, m->current->digest);
}

static enum mpb_status run_all(struct micro *m, struct mpb_emit *emit, struct mpb_error *err)
{
    m->current = &m->ledger[0];
    enum mpb_status st = push_all(m, m->cfg->n_warmup, false, err);
    for (unsigned run = 1; run <= N_RUNS && st == MPB_OK; run++) {
        m->current = &m->ledger[run];
        m->before = *mpb_node_stats(m->node);
        mpb_recorder_run_begin(&m->recorder);
        st = push_all(m, m->cfg->n_messages, true, err);
        mpb_recorder_run_end(&m->recorder);
        if (st == MPB_OK) {
            emit_fates(m, run, emit);
            mpb_recorder_emit_run(&m->recorder, run, emit);
        }
    }
    if (st == MPB_OK && m->bytes_differ) {
        st = mpb_error_set(err, MPB_E_VERIFY, "verify", "the application saw other bytes");
    }
    return st;
}

static enum mpb_status run(const struct mpb_scenario_cfg *cfg, struct mpb_emit *emit,
                           struct mpb_error *err)
{
    struct micro m = {.cfg = cfg};
    enum mpb_status st = set_up(&m, err);
    if (st == MPB_OK) {
        st = run_all(&m, emit, err);
    }
    if (st == MPB_OK) {
        mpb_recorder_emit_process(emit);
        struct mpb_ledger_claim claim = {
            .workload = m.workload,
            .node = m.node,
            .run = m.ledger,
            .n_warmup = cfg->n_warmup,
            .n_messages = cfg->n_messages,
            .n_runs = N_RUNS,
            .archive_capacity = cfg->archive_capacity,
            .n_filter_peers = cfg->n_filter_peers,
        };
        st = mpb_ledger_verify(&claim, err);
    }
    tear_down(&m);
    return st;
}

const struct mpb_scenario mpb_scenario_micro = {
    "micro", "one receiver's path in process: validator, then the handler chain; two runs", run};
