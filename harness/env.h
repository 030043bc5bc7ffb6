/* env.h: the machine a session runs on, as far as it could change a figure. What cannot be read
 * is "n/a", never left out: its absence is a fact too. */
#ifndef MPB_HARNESS_ENV_H
#define MPB_HARNESS_ENV_H

#include "reports/session.h"

MPB_BEGIN_DECLS

/* Set one pair a fact: cpu, cpus, kernel, governor, aslr, load1, ... MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_env_collect(struct mpb_pairs *environment, struct mpb_error *err);

/* The 1-minute load average and the CPU pressure of the last 10 s in per cent; NAN if unknown. */
void mpb_env_read_load(double *out_load1, double *out_psi_cpu);

MPB_END_DECLS

#endif
