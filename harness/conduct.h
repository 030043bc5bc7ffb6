/* conduct.h: a whole session, from what the user asked for to a finished folder: check everything
 * that can be checked without measuring, make the folder, measure. */
#ifndef MPB_HARNESS_CONDUCT_H
#define MPB_HARNESS_CONDUCT_H

#include "harness/campaign.h"

MPB_BEGIN_DECLS

/* Counting passes an arm and scenario get before the timed ones. */
#define MPB_CONDUCT_COUNTING_PASSES 3

struct mpb_conduct {
    struct mpb_arms *arms;         /* as typed; resolved by the call */
    const char *scenarios;         /* comma-separated; NULL: the default ones */
    const struct mpb_pairs *given; /* workload options the user gave */
    const char *filter;            /* a regular expression that must match a metric; NULL: none */
    struct mpb_plan_info plan;
    const char *path;    /* the folder to make */
    const char *command; /* the command line, for the record */
    const char *version;
    mpb_spawn_fn spawn;
    void (*told)(void *ctx, const struct mpb_campaign_news *news);
    void *ctx;
};

/* Run it. *made says whether the folder was made; from then on everything measured is in it,
 * whatever is returned: MPB_OK, MPB_E_INTERRUPTED, MPB_E_INCOMPLETE, MPB_E_IO. Before that:
 * MPB_E_USAGE, MPB_E_INPUT, MPB_E_EXISTS, MPB_E_IO and those of the workers' start. */
MPB_MUST_USE enum mpb_status mpb_conduct_session(const struct mpb_conduct *conduct, bool *made,
                                                 struct mpb_error *err);

MPB_END_DECLS

#endif
