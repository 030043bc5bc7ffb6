/* macro.h: the session that scenarios macro and filter share: two relay nodes over loopback TCP,
 * with filter subscribers if asked for. */
#ifndef MPB_WORKLOADS_MACRO_H
#define MPB_WORKLOADS_MACRO_H

#include <sys/types.h>

#include "workloads/attacker.h"
#include "workloads/relay.h"
#include "workloads/subscribers.h"

MPB_BEGIN_DECLS

/* One session. */
struct mpb_macro {
    const struct mpb_scenario_cfg *cfg;
    struct mpb_workload *workload;
    struct mpb_relay_shared *shared;
    size_t total;
    int listen_fd, wake_fd;
    uint16_t port;
    uint64_t *sample_ns;                 /* sample_ns[n_messages], for sorting */
    struct mpb_subscribers *subscribers; /* NULL: no filter peers */
    struct mpb_attacker *attacker;       /* NULL: nobody hostile */
    uint64_t n_hostile_frames;           /* that it sent */
    pid_t child;      /* --nodes processes: the receiver; 0: not yet or no more */
    int child_status; /* as waitpid() left it, once it has ended */
};

/* A scenario's run(), see scenario.h. */
MPB_MUST_USE enum mpb_status mpb_macro_run(const struct mpb_scenario_cfg *cfg,
                                           struct mpb_emit *emit, struct mpb_error *err);

/* Within macro*.c: all rows of a session that verified. Sorts its samples. */
void mpb_macro_rows_emit(const struct mpb_macro *macro, struct mpb_emit *emit);

MPB_END_DECLS

#endif
