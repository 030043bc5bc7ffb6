/* ledger.h: did the work really happen? The application's handler folds what it sees; afterwards
 * the same fold is computed from the generator, every archived byte is compared with it, hashes are
 * computed anew, and the sums of what became of each message must close. */
#ifndef MPB_WORKLOADS_LEDGER_H
#define MPB_WORKLOADS_LEDGER_H

#include "core/node.h"
#include "workloads/workload.h"

MPB_BEGIN_DECLS

/* What the application saw. Zero-initialised is the start. O(1) a message. */
struct mpb_ledger {
    uint64_t digest;      /* fold of prefix, length and timestamp, in order */
    uint64_t hash_digest; /* fold of the hashes that came with messages */
    uint64_t n_seen, n_hashed;
    uint64_t n_pushes, pushed_bytes;
};

/* Fold one delivery. */
void mpb_ledger_see(struct mpb_ledger *ledger, const struct mpb_msg *msg, const uint8_t *hash);

struct mpb_ledger_claim {
    const struct mpb_workload *workload;
    const struct mpb_node *node;
    const struct mpb_ledger *run; /* run[n_runs + 1]: warm-up first */
    /* Messages that reached the node: of the warm-up, of each run. index[n_warmup + n_messages *
     * n_runs] says which, in ascending order; NULL: all of the workload. */
    size_t n_warmup, n_messages, n_runs;
    const uint32_t *index;
    size_t archive_capacity;
    bool no_store_sync;
    uint32_t n_filter_peers;
};

/* MPB_E_VERIFY naming the first thing that does not add up; MPB_E_NOMEM, MPB_E_UNAVAILABLE.
 * Cost: one SHA-256 and one comparison of every message. */
MPB_MUST_USE enum mpb_status mpb_ledger_verify(const struct mpb_ledger_claim *claim,
                                               struct mpb_error *err);

MPB_END_DECLS

#endif
