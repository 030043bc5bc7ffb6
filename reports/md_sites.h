/* md_sites.h: exact counters by site: what each place on the path did for a message. */
#ifndef MPB_REPORTS_MD_SITES_H
#define MPB_REPORTS_MD_SITES_H

#include <stdio.h>

#include "reports/model.h"

MPB_BEGIN_DECLS

/* The metrics to show, metric[n], in this order. */
struct mpb_md_sites {
    const enum mpb_metric *metric;
    size_t n;
};

/* Sites down, metrics and arms across, per message, one table a run of the scenario (a sentence
 * where a run repeats run 1); metrics that are 0 everywhere are left out. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_md_sites_write(const struct mpb_model *model, const char *scenario,
                                                const struct mpb_md_sites *sites, FILE *f,
                                                struct mpb_error *err);

MPB_END_DECLS

#endif
