/* scenario.h: a workload plus the driver that pushes it through the path. The list is in
 * meson.build; adding one is one file and one word there. */
#ifndef MPB_WORKLOADS_SCENARIO_H
#define MPB_WORKLOADS_SCENARIO_H

#include "core/variant.h"
#include "workloads/emit.h"
#include "workloads/hostile.h"
#include "workloads/mix.h"

MPB_BEGIN_DECLS

/* Everything a worker was asked for; one struct, read-only once the scenario starts. */
struct mpb_scenario_cfg {
    const struct mpb_variant *variant;
    uint64_t seed;
    struct mpb_mix mix;
    size_t n_messages; /* of each run, at least 1 */
    size_t n_warmup;
    uint32_t n_filter_peers;    /* 0: filter not mounted */
    size_t archive_capacity;    /* 0: no archive */
    bool no_archive;            /* asked for by name: archive_capacity becomes 0 */
    const char *archive_db;     /* NULL: archive in memory; else SQLite, see core/archive.h */
    uint64_t window;            /* macro: most messages in flight, at least 1 */
    uint64_t rate_per_s;        /* macro: open loop at this rate; 0: closed loop with the window */
    uint64_t heartbeat_ns;      /* macro: of virtual time */
    struct mpb_hostile hostile; /* macro: a third connection; kind MPB_HOSTILE__COUNT: none */
    bool as_processes;          /* macro: nodes are processes instead of threads */
    bool counting;              /* this build has its probes on */
    bool check_bytes;           /* compare every byte at the application (a test build) */
};

struct mpb_scenario {
    const char *name, *doc;
    /* Run it all, verify it, and leave its rows in emit. A failure leaves none that count:
     * MPB_E_VERIFY names what does not add up; MPB_E_UNAVAILABLE: skipped, with the reason. */
    enum mpb_status (*run)(const struct mpb_scenario_cfg *cfg, struct mpb_emit *emit,
                           struct mpb_error *err);
};

/* All scenarios, *n of them. */
const struct mpb_scenario *const *mpb_scenario_all(size_t *n);
/* By name; NULL if unknown. */
const struct mpb_scenario *mpb_scenario_find(const char *name);

MPB_END_DECLS

#endif
