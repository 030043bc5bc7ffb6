/* campaign.h: run a session: the counting passes of every arm, then timed blocks in the plan's
 * order, scenarios taking turns, each pass a fresh process, each committed to the session's
 * folder before the next one starts. Whatever stops it, what was measured is kept. */
#ifndef MPB_HARNESS_CAMPAIGN_H
#define MPB_HARNESS_CAMPAIGN_H

#include "harness/arm.h"
#include "reports/session_dir.h"

MPB_BEGIN_DECLS

/* Voided blocks (or failed counting passes) in a row that end a scenario. */
#define MPB_CAMPAIGN_FAILURES_MAX 3

/* What just happened. Borrowed, for the length of the call. */
struct mpb_campaign_news {
    const struct mpb_session *session;
    const struct mpb_pass *pass; /* finished and committed */
    uint32_t blocks_done;        /* of the pass's scenario */
    bool block_ended;            /* it completed a block */
};

struct mpb_campaign {
    struct mpb_session *session; /* arms, scenarios, metrics and plan are set */
    struct mpb_session_dir *dir;
    const struct mpb_arms *arms; /* resolved, in the session's order */
    mpb_spawn_fn spawn;
    int stop_fd;                                                   /* stop.h; -1: none */
    void (*told)(void *ctx, const struct mpb_campaign_news *news); /* NULL: nobody listens */
    void *ctx;
};

/* Run it all. MPB_E_INTERRUPTED by stop_fd; MPB_E_INCOMPLETE when a scenario was ended by
 * failures, naming scenario, arm and reason (the others ran to their end); MPB_E_IO when a pass
 * could not be committed. In every case what was committed stays and is in the session. */
MPB_MUST_USE enum mpb_status mpb_campaign_run(const struct mpb_campaign *campaign,
                                              struct mpb_error *err);

MPB_END_DECLS

#endif
