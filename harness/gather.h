/* gather.h: from a session's rows to values that can be compared: one group for each scenario,
 * metric and run, in it one value for each pass that counts.
 *
 * A pass counts when it was accepted and, if it is timed, its block is whole. Rows of the kind of
 * pass that does not own the metric are left out. Exact metrics stay apart by run; of all others
 * a pass has one value, the mean over its runs >= 1 (run 0, the whole process, stays itself). */
#ifndef MPB_HARNESS_GATHER_H
#define MPB_HARNESS_GATHER_H

#include "reports/model.h"

MPB_BEGIN_DECLS

struct mpb_gather_value {
    uint32_t pass_idx; /* into session->pass */
    uint16_t arm, unit;
    double real;
    bool is_integer; /* integer holds real exactly */
    uint64_t integer;
};

struct mpb_gather_group {
    size_t scenario_idx; /* into session->scenario */
    uint16_t metric;     /* name id */
    int run;             /* or MPB_RUN_MEAN */
    enum mpb_class class_;
    enum mpb_better better;
    bool is_part;                   /* name/part of an additive metric */
    struct mpb_gather_value *value; /* value[n]: by arm, then by pass */
    size_t n;
};

/* Groups by scenario, then in the order metrics were described (others behind, by name, parts
 * behind their whole), then mean, run 1, 2, ..., 0. Zero-initialised is empty. */
struct mpb_gather {
    struct mpb_gather_group *group;
    size_t n;
    struct mpb_gather_value *values; /* storage of all groups */
    bool *counts;                    /* [session->n_passes] */
};

/* MPB_E_NOMEM. O(rows log rows). */
MPB_MUST_USE enum mpb_status mpb_gather_session(const struct mpb_session *session,
                                                struct mpb_gather *out, struct mpb_error *err);
void mpb_gather_fini(struct mpb_gather *gather);
/* The values of one arm in a group: a pointer into it and *n, which may be 0. */
const struct mpb_gather_value *mpb_gather_of_arm(const struct mpb_gather_group *group, size_t arm,
                                                 size_t *n);

/* Accepted timed passes of a block against its slots. */
struct mpb_gather_blocks {
    unsigned done, torn;
};
struct mpb_gather_blocks mpb_gather_count_blocks(const struct mpb_session *session,
                                                 uint16_t scenario);
/* Has this block of the scenario an accepted pass in each of its slots? */
bool mpb_gather_is_whole(const struct mpb_session *session, uint16_t scenario, uint32_t block);

MPB_END_DECLS

#endif
