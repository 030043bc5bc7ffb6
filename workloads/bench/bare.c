/* bare.c: the limit that the floor variant is held against: a worker that hashes the bytes that
 * arrive, once, with libcrypto, and does nothing else. Same messages, same fresh and retained
 * buffers filled outside the clock, same clocks, as scenario micro. It speaks the worker protocol,
 * so msgpath compares it as an exec: arm. */
#include <stdio.h>

#include "core/buffer.h"
#include "core/hasher.h"
#include "workloads/arena.h"
#include "workloads/describe.h"
#include "workloads/recorder.h"
#include "workloads/worker_opt.h"
#include "workloads/workload.h"

enum { N_RUNS = 2 };

struct bare {
    struct mpb_workload *workload;
    struct mpb_hasher *hasher;
    struct mpb_recorder recorder;
    struct mpb_buffer **kept; /* kept[messages in all] */
    size_t next;
};

static enum mpb_status hash_one(struct bare *b, bool recorded)
{
    uint8_t hash[MPB_MSG_HASH_LEN];
    struct mpb_buffer *buffer = mpb_buffer_new(mpb_workload_encoded_len(b->workload, b->next));
    if (buffer == NULL) {
        return MPB_E_NOMEM;
    }
    mpb_workload_encode(b->workload, b->next, buffer->data);
    if (recorded) {
        mpb_recorder_message_begin(&b->recorder);
    }
    enum mpb_status st = mpb_hasher_id(b->hasher, mpb_buffer_view(buffer), hash);
    if (recorded) {
        mpb_recorder_message_end(&b->recorder, mpb_clock_now_ns());
    }
    b->kept[b->next++] = buffer;
    return st;
}

static enum mpb_status hash_all(struct bare *b, size_t n, bool recorded)
{
    enum mpb_status st = MPB_OK;
    for (size_t i = 0; i < n && st == MPB_OK; i++) {
        st = hash_one(b, recorded);
    }
    return st;
}

static enum mpb_status run_all(struct bare *b, const struct mpb_scenario_cfg *cfg,
                               struct mpb_emit *emit)
{
    enum mpb_status st = hash_all(b, cfg->n_warmup, false);
    for (unsigned run = 1; run <= N_RUNS && st == MPB_OK; run++) {
        mpb_recorder_run_begin(&b->recorder);
        st = hash_all(b, cfg->n_messages, true);
        mpb_recorder_run_end(&b->recorder);
        mpb_emit_integer(emit, run, MPB_METRIC_MESSAGES, NULL, cfg->n_messages);
        mpb_recorder_emit_run(&b->recorder, run, emit);
    }
    return st;
}

static enum mpb_status set_up(struct bare *b, const struct mpb_scenario_cfg *cfg,
                              struct mpb_error *err)
{
    struct mpb_workload_cfg workload = {cfg->seed,       &cfg->mix, cfg->n_warmup,
                                        cfg->n_messages, N_RUNS,    0};
    enum mpb_status st = mpb_workload_new(&workload, &b->workload, err);
    if (st == MPB_OK) {
        st = mpb_hasher_new(&b->hasher, err);
    }
    if (st == MPB_OK) {
        st = mpb_recorder_init(&b->recorder, cfg->n_messages, false, err);
    }
    if (st == MPB_OK) {
        b->kept = mpb_arena_map(mpb_workload_len(b->workload) * sizeof(struct mpb_buffer *));
        st = b->kept != NULL ? MPB_OK : mpb_error_set(err, MPB_E_NOMEM, "buffers", NULL);
    }
    return st;
}

static void tear_down(struct bare *b)
{
    for (size_t i = 0; i < b->next; i++) {
        mpb_buffer_unref(b->kept[i]);
    }
    if (b->kept != NULL) {
        mpb_arena_unmap(b->kept, mpb_workload_len(b->workload) * sizeof(struct mpb_buffer *));
    }
    mpb_recorder_fini(&b->recorder);
    mpb_hasher_free(b->hasher);
    mpb_workload_free(b->workload);
}

static enum mpb_status run_pass(const struct mpb_worker_opt *opt, struct mpb_error *err)
{
    struct bare b = {.next = 0};
    struct mpb_emit emit = {.scenario = "micro"};
    enum mpb_status st = set_up(&b, &opt->cfg, err);
    if (st == MPB_OK && run_all(&b, &opt->cfg, &emit) != MPB_OK) {
        st = mpb_error_set(err, MPB_E_NOMEM, "bare", NULL);
    }
    if (st == MPB_OK) {
        st = mpb_emit_print(&emit, stdout, err);
    }
    mpb_emit_fini(&emit);
    tear_down(&b);
    return st;
}

int main(int argc, char **argv)
{
    struct mpb_worker_opt opt;
    struct mpb_error err = {.status = MPB_OK};
    enum mpb_status st = mpb_worker_opt_parse(argc - 1, argv + 1, &opt, &err);
    if (st == MPB_OK && opt.describe) {
        st = mpb_describe_limit(stdout, "micro", "hash each arriving message once", &err);
    } else if (st == MPB_OK) {
        st = run_pass(&opt, &err);
    }
    if (st != MPB_OK) {
        char line[600];
        mpb_error_format(&err, line, sizeof(line));
        fprintf(stderr, "msgpath-bare: %s\n", line);
    }
    return st == MPB_OK ? 0 : 1;
}
