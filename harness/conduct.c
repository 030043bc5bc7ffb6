/* conduct.c: the order in which a session comes about. */
#include "harness/conduct.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/env.h"
#include "harness/resolve.h"
#include "harness/select.h"
#include "harness/stop.h"
#include "instrument/clock.h"

static enum mpb_status copy_text(const char *text, char **out, struct mpb_error *err)
{
    *out = strdup(text);
    return *out != NULL ? MPB_OK : mpb_error_set(err, MPB_E_NOMEM, "session", NULL);
}

static enum mpb_status set_heading(const struct mpb_conduct *c, struct mpb_session *session,
                                   struct mpb_error *err)
{
    time_t now = (time_t)(mpb_clock_utc_ns() / 1000000000u);
    struct tm tm;
    char started[40];
    gmtime_r(&now, &tm);
    strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", &tm);
    session->plan = c->plan;
    enum mpb_status st = copy_text(started, &session->started, err);
    st = st != MPB_OK ? st : copy_text(c->command, &session->command, err);
    return st != MPB_OK ? st : copy_text(c->version, &session->version, err);
}

/* Everything that can be known before a folder is made. */
static enum mpb_status prepare(const struct mpb_conduct *c, struct mpb_session *session,
                               struct mpb_error *err)
{
    const struct mpb_resolve_input in = {c->spawn, c->given};
    enum mpb_status st = set_heading(c, session, err);
    st = st != MPB_OK ? st : mpb_resolve_arms(c->arms, &in, &session->workload, err);
    st = st != MPB_OK ? st : mpb_resolve_scenarios(c->arms, c->scenarios, session, err);
    st = st != MPB_OK ? st : mpb_resolve_record(c->arms, session, err);
    st = st != MPB_OK ? st : mpb_env_collect(&session->environment, err);
    if (st == MPB_OK && c->filter != NULL) {
        st = mpb_select_check(c->filter, session, err);
    }
    return st;
}

enum mpb_status mpb_conduct_session(const struct mpb_conduct *conduct, bool *made,
                                    struct mpb_error *err)
{
    struct mpb_session session = {0};
    struct mpb_session_dir dir = {0};
    struct mpb_stop stop;
    *made = false;
    /* Until there is something to keep, a signal ends the process as signals do, even while a
     * worker takes its time to describe itself. */
    enum mpb_status st = prepare(conduct, &session, err);
    if (st == MPB_OK) {
        st = mpb_stop_open(&stop, err);
    }
    if (st != MPB_OK) {
        mpb_session_fini(&session);
        return st;
    }
    st = mpb_session_dir_create(&dir, conduct->path, &session, err);
    *made = st == MPB_OK;
    if (st == MPB_OK) {
        const struct mpb_campaign campaign = {
            .session = &session,
            .dir = &dir,
            .arms = conduct->arms,
            .spawn = conduct->spawn,
            .stop_fd = stop.fd,
            .told = conduct->told,
            .ctx = conduct->ctx,
        };
        st = mpb_campaign_run(&campaign, err);
    }
    mpb_session_dir_close(&dir);
    mpb_session_fini(&session);
    mpb_stop_close(&stop);
    return st;
}
