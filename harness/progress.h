/* progress.h: what is going on, for whoever waits: one line rewritten in place on a terminal,
 * nothing at all in a pipe. Failed passes are said at once in either case. */
#ifndef MPB_HARNESS_PROGRESS_H
#define MPB_HARNESS_PROGRESS_H

#include <stdio.h>

#include "harness/campaign.h"

MPB_BEGIN_DECLS

struct mpb_progress {
    FILE *f;
    bool is_terminal, quiet;
    uint64_t begin_ns;
    bool line_open;
    char estimate[160]; /* of the last whole block */
};

/* f is usually stderr. quiet: nothing is ever written. */
void mpb_progress_init(struct mpb_progress *progress, FILE *f, bool quiet);
/* A struct mpb_campaign's told(); ctx is the progress. At the end of a block it compares what
 * there is, which costs milliseconds and happens while no worker runs. */
void mpb_progress_told(void *ctx, const struct mpb_campaign_news *news);
/* Remove the line, so that what follows starts at the margin. */
void mpb_progress_end(struct mpb_progress *progress);

MPB_END_DECLS

#endif
