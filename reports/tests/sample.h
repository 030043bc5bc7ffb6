/* sample.h: small made-up sessions and models for the writers' tests. Every figure is invented. */
#ifndef MPB_REPORTS_TESTS_SAMPLE_H
#define MPB_REPORTS_TESTS_SAMPLE_H

#include "reports/model.h"

/* How the sample is to look. */
struct sample_cfg {
    const char *scenario, *label[2]; /* label[1] NULL: one arm */
    const char *reason;              /* of a failed pass; NULL: none failed */
    unsigned blocks_done;            /* of 8 planned */
    const char *fact;                /* a build fact of the second arm that differs; NULL: none */
};

struct sample {
    struct mpb_session session;
    struct mpb_model model;
};

/* Build it; aborts when out of memory. */
void sample_make(const struct sample_cfg *cfg, struct sample *out);
void sample_fini(struct sample *sample);

#endif
