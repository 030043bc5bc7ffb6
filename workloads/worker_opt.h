/* worker_opt.h: a worker's command line: one table gives the parser and the option rows of
 * --describe, from which the harness takes its help and its checks. */
#ifndef MPB_WORKLOADS_WORKER_OPT_H
#define MPB_WORKLOADS_WORKER_OPT_H

#include "instrument/opt.h"
#include "workloads/scenario.h"

MPB_BEGIN_DECLS

struct mpb_worker_opt {
    bool help, describe;
    uint64_t protocol;                   /* 0: not given */
    const struct mpb_scenario *scenario; /* NULL: not given */
    struct mpb_scenario_cfg cfg;         /* variant NULL: not given */
};

/* Defaults, then argv[argc] (without the program's name). MPB_E_USAGE, MPB_E_INPUT. */
MPB_MUST_USE enum mpb_status mpb_worker_opt_parse(int argc, char *const *argv,
                                                  struct mpb_worker_opt *out,
                                                  struct mpb_error *err);
/* The options that describe the workload (no protocol, scenario, variant), ended by a NULL name. */
const struct mpb_opt *mpb_worker_opt_workload(void);
void mpb_worker_opt_print_help(FILE *f);

MPB_END_DECLS

#endif
