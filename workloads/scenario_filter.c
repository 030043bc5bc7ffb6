/* scenario_filter.c: scenario macro whose receiver pushes each message to filter subscribers too,
 * over connections of their own. */
#include "workloads/macro.h"

enum { PEERS_DEFAULT = 20 };

static enum mpb_status run(const struct mpb_scenario_cfg *cfg, struct mpb_emit *emit,
                           struct mpb_error *err)
{
    struct mpb_scenario_cfg with_peers = *cfg;
    if (with_peers.n_filter_peers == 0) {
        with_peers.n_filter_peers = PEERS_DEFAULT;
    }
    return mpb_macro_run(&with_peers, emit, err);
}

const struct mpb_scenario mpb_scenario_filter = {
    "filter", "macro with a filter at the receiver: F subscribers over TCP, 20 unless given", run};
