/* campaign.c: the order of passes, and what a failed one does to the rest. */
#include "harness/campaign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/env.h"
#include "harness/launch.h"
#include "harness/plan.h"
#include "harness/protocol.h"
#include "harness/stop.h"
#include "instrument/clock.h"

enum { EXIT_SKIPPED = 77, REASON_MAX = 512 };

enum outcome { ACCEPTED, FAILED, SKIPPED, INTERRUPTED };

/* Where a scenario stands. */
struct lane {
    size_t scenario_idx;
    uint32_t next_pass[MPB_ARM_MAX]; /* per arm, 1-based */
    uint32_t next_block, blocks_done;
    unsigned failures; /* in a row */
    bool ended, failed;
    char reason[REASON_MAX]; /* why it failed */
};

struct state {
    const struct mpb_campaign *c;
    struct lane *lane;
    struct mpb_launch *launch; /* [scenario][arm][kind] */
    struct mpb_error *err;
};

/* One pass to make: who, what for, and where in the plan. */
struct slot {
    size_t arm;
    enum mpb_kind kind;
    uint32_t block, slot;
};

static const struct mpb_launch *launch_of(const struct state *s, size_t scenario, size_t arm,
                                          enum mpb_kind kind)
{
    return &s->launch[(scenario * s->c->arms->n + arm) * MPB_KIND__COUNT + kind];
}

static const char *scenario_name(const struct state *s, const struct lane *lane)
{
    const struct mpb_session *session = s->c->session;
    return mpb_names_text(&session->names, session->scenario[lane->scenario_idx]);
}

/* A pass being made. */
struct making {
    struct mpb_pass pass;
    struct mpb_spawn_job job;
    struct mpb_protocol_rows rows;
    char reason[REASON_MAX];
};

/* What a finished worker is worth: rows when it is accepted, a reason when it is not. */
static enum outcome judge(const struct state *s, const struct mpb_spawn_result *r, struct making *m)
{
    if (r->end == MPB_SPAWN_EXITED && r->code == 0) {
        struct mpb_error why = {.status = MPB_OK};
        enum mpb_status st =
            mpb_protocol_read(r->out, r->out_len, &m->pass, s->c->session, &m->rows, &why);
        mpb_error_format(&why, m->reason, REASON_MAX);
        return st == MPB_OK ? ACCEPTED : FAILED;
    }
    if (r->end == MPB_SPAWN_EXITED && r->code == EXIT_SKIPPED) {
        snprintf(m->reason, REASON_MAX, "skipped: %s",
                 r->complaint[0] != '\0' ? r->complaint : "no reason given");
        return SKIPPED;
    }
    mpb_spawn_explain(r, &m->job, m->reason, REASON_MAX);
    return r->end == MPB_SPAWN_STOPPED ? INTERRUPTED : FAILED;
}

/* To the folder first: what the session holds in memory has been committed. */
static enum mpb_status commit(const struct state *s, const struct lane *lane,
                              const struct mpb_pass *pass, const struct mpb_protocol_rows *rows)
{
    struct mpb_session *session = s->c->session;
    enum mpb_status st =
        mpb_session_dir_commit(s->c->dir, session, pass, rows->row, rows->n, s->err);
    if (st == MPB_OK) {
        st = mpb_session_add_pass(session, pass, s->err);
    }
    for (size_t i = 0; i < rows->n && st == MPB_OK; i++) {
        st = mpb_session_add_row(session, &rows->row[i], s->err);
    }
    if (st == MPB_OK && s->c->told != NULL) {
        bool ended =
            pass->accepted && pass->kind == MPB_KIND_TIMED && pass->slot == 2 * s->c->arms->n;
        const struct mpb_campaign_news news = {session, pass, lane->blocks_done + ended, ended};
        s->c->told(s->c->ctx, &news);
    }
    return st;
}

static enum outcome make_pass(const struct state *s, struct making *m)
{
    struct mpb_spawn_result r = {.code = 0};
    struct mpb_error why = {.status = MPB_OK};
    mpb_env_read_load(&m->pass.load1, &m->pass.psi_cpu);
    m->pass.started_utc_ns = mpb_clock_utc_ns();
    enum outcome outcome = FAILED;
    if (s->c->spawn(&m->job, &r, &why) == MPB_OK) {
        outcome = judge(s, &r, m);
    } else {
        mpb_error_format(&why, m->reason, sizeof(m->reason));
    }
    m->pass.wall_ns = r.wall_ns;
    m->pass.accepted = outcome == ACCEPTED;
    m->pass.reason = m->reason;
    m->pass.spread_pct = mpb_protocol_spread_pct(&m->rows, s->c->session, "msg_per_s");
    mpb_spawn_result_fini(&r);
    return outcome;
}

/* Run and commit one pass. Fails only when it could not be committed. */
static enum mpb_status run_pass(const struct state *s, struct lane *lane, const struct slot *slot,
                                enum outcome *outcome)
{
    const struct mpb_launch *launch = launch_of(s, lane->scenario_idx, slot->arm, slot->kind);
    const struct mpb_session *session = s->c->session;
    struct making m = {
        .pass = {.arm = (uint16_t)slot->arm,
                 .scenario = session->scenario[lane->scenario_idx],
                 .pass = lane->next_pass[slot->arm]++,
                 .kind = slot->kind,
                 .block = slot->block,
                 .slot = slot->slot},
        .job = {launch->argv.word, launch->envp.word, session->plan.pass_timeout_ns, s->c->stop_fd},
    };
    *outcome = make_pass(s, &m);
    enum mpb_status st = commit(s, lane, &m.pass, &m.rows);
    snprintf(lane->reason, sizeof(lane->reason), "arm %s, pass %u: %.440s",
             session->arm[slot->arm].label, (unsigned)m.pass.pass, m.reason);
    mpb_protocol_rows_fini(&m.rows);
    return st;
}

/* Book the outcome of a pass or block; ends the lane after too many failures in a row. */
static void book(struct lane *lane, enum outcome outcome)
{
    if (outcome == FAILED) {
        lane->failures++;
        lane->failed = lane->ended = lane->failures >= MPB_CAMPAIGN_FAILURES_MAX;
    } else if (outcome == SKIPPED) {
        lane->ended = true;
    } else {
        lane->failures = 0;
    }
}

static enum mpb_status stopped(const struct state *s)
{
    return mpb_error_set(s->err, MPB_E_INTERRUPTED, NULL, NULL);
}

/* One counting pass of every arm of a lane; a failed one is run again. */
static enum mpb_status run_counting_round(const struct state *s, struct lane *lane)
{
    enum mpb_status st = MPB_OK;
    for (size_t arm = 0; arm < s->c->arms->n && !lane->ended && st == MPB_OK; arm++) {
        enum outcome outcome = FAILED;
        while (st == MPB_OK && outcome == FAILED && !lane->ended) {
            const struct slot slot = {.arm = arm, .kind = MPB_KIND_COUNTING};
            if (s->c->stop_fd >= 0 && mpb_stop_is_set(s->c->stop_fd)) {
                return stopped(s);
            }
            st = run_pass(s, lane, &slot, &outcome);
            book(lane, outcome);
        }
        if (st == MPB_OK && outcome == INTERRUPTED) {
            st = stopped(s);
        }
    }
    return st;
}

/* One timed block. A failed pass voids it: its other slots are not run, the next block is. */
static enum mpb_status run_block(const struct state *s, struct lane *lane)
{
    uint16_t order[2 * MPB_ARM_MAX];
    size_t n = 2 * s->c->arms->n;
    uint32_t block = lane->next_block++;
    mpb_plan_block(s->c->session->plan.seed, lane->scenario_idx, block, s->c->arms->n, order);
    enum outcome outcome = ACCEPTED;
    for (size_t i = 0; i < n && outcome == ACCEPTED; i++) {
        const struct slot slot = {order[i], MPB_KIND_TIMED, block, (uint32_t)i + 1};
        if (s->c->stop_fd >= 0 && mpb_stop_is_set(s->c->stop_fd)) {
            return stopped(s);
        }
        enum mpb_status st = run_pass(s, lane, &slot, &outcome);
        if (st != MPB_OK) {
            return st;
        }
    }
    book(lane, outcome);
    lane->blocks_done += outcome == ACCEPTED;
    return outcome == INTERRUPTED ? stopped(s) : MPB_OK;
}

static bool wants_block(const struct state *s, const struct lane *lane)
{
    return !lane->ended && lane->blocks_done < s->c->session->plan.n_blocks;
}

static enum mpb_status run_lanes(const struct state *s)
{
    const struct mpb_session *session = s->c->session;
    enum mpb_status st = MPB_OK;
    for (uint32_t round = 0; round < session->plan.n_counting_passes; round++) {
        for (size_t i = 0; i < session->n_scenarios && st == MPB_OK; i++) {
            st = run_counting_round(s, &s->lane[i]);
        }
    }
    bool more = true;
    while (more && st == MPB_OK) {
        more = false;
        for (size_t i = 0; i < session->n_scenarios && st == MPB_OK; i++) {
            if (wants_block(s, &s->lane[i])) {
                st = run_block(s, &s->lane[i]);
                more = true;
            }
        }
    }
    return st;
}

/* The first scenario that failures ended. */
static enum mpb_status sum_up(const struct state *s)
{
    for (size_t i = 0; i < s->c->session->n_scenarios; i++) {
        const struct lane *lane = &s->lane[i];
        if (lane->failed) {
            return mpb_error_set(s->err, MPB_E_INCOMPLETE, scenario_name(s, lane),
                                 "ended after %d failures in a row, the last: %.300s",
                                 MPB_CAMPAIGN_FAILURES_MAX, lane->reason);
        }
    }
    return MPB_OK;
}

static enum mpb_status prepare(struct state *s)
{
    const struct mpb_session *session = s->c->session;
    size_t n_arms = s->c->arms->n, n = session->n_scenarios * n_arms * MPB_KIND__COUNT, at = 0;
    s->lane = calloc(session->n_scenarios, sizeof(*s->lane));
    s->launch = calloc(n, sizeof(*s->launch));
    if (s->lane == NULL || s->launch == NULL) {
        return mpb_error_set(s->err, MPB_E_NOMEM, "session", NULL);
    }
    enum mpb_status st = MPB_OK;
    for (size_t i = 0; i < session->n_scenarios; i++) {
        struct lane *lane = &s->lane[i];
        *lane = (struct lane){.scenario_idx = i, .next_block = 1};
        for (size_t arm = 0; arm < n_arms; arm++) {
            lane->next_pass[arm] = 1;
            for (unsigned kind = 0; kind < MPB_KIND__COUNT && st == MPB_OK; kind++) {
                st = mpb_launch_build(&s->c->arms->arm[arm], (enum mpb_kind)kind,
                                      scenario_name(s, lane), &s->launch[at++], s->err);
            }
        }
    }
    return st == MPB_OK ? mpb_launch_level(s->launch, n, s->err) : st;
}

enum mpb_status mpb_campaign_run(const struct mpb_campaign *campaign, struct mpb_error *err)
{
    struct state s = {.c = campaign, .err = err};
    enum mpb_status st = prepare(&s);
    if (st == MPB_OK) {
        st = run_lanes(&s);
    }
    if (st == MPB_OK) {
        st = sum_up(&s);
    }
    size_t n = campaign->session->n_scenarios * campaign->arms->n * MPB_KIND__COUNT;
    for (size_t i = 0; s.launch != NULL && i < n; i++) {
        mpb_launch_fini(&s.launch[i]);
    }
    free(s.launch);
    free(s.lane);
    return st;
}
