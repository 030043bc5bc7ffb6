/* verdict.h: from the values of two arms to a word. Pure: each function fills the figures, the
 * verdict and the reason of a row whose names, class and direction are already set.
 *
 * The rule under all of them: "not shown to differ" is never "the same". Sameness is a claim of
 * its own, with its own evidence: equal integers, or an interval inside the equivalence band. */
#ifndef MPB_HARNESS_VERDICT_H
#define MPB_HARNESS_VERDICT_H

#include "harness/contrast.h"

MPB_BEGIN_DECLS

/* What one arm measured, over its passes that count. */
struct mpb_verdict_range {
    double median, min, max;
    bool is_integer; /* min_exact and max_exact hold min and max exactly */
    uint64_t min_exact, max_exact;
    unsigned n; /* passes */
};

struct mpb_verdict_rules {
    double equal;        /* half-width of the equivalence band as a share, 0.02 */
    double level;        /* 0.05 */
    unsigned n_counting; /* counting passes an arm should have */
};

/* Blocks below which no timed claim is made: five cannot reach p = 0.05 in a sign test. */
#define MPB_VERDICT_BLOCKS_MIN 6
/* Passes an arm needs before a level metric that varies can be claimed on. */
#define MPB_VERDICT_LEVEL_PASSES_MIN 5

/* Integers compared for equality; varying between passes: inconclusive. */
void mpb_verdict_exact(struct mpb_ab_row *row, const struct mpb_verdict_range *a,
                       const struct mpb_verdict_range *b, const struct mpb_verdict_rules *rules);
/* Ranges: low = min b / max a, high = max b / min a. */
void mpb_verdict_level(struct mpb_ab_row *row, const struct mpb_verdict_range *a,
                       const struct mpb_verdict_range *b, const struct mpb_verdict_rules *rules);
/* Median of block values with the sign-test interval; sorts contrast->y. */
void mpb_verdict_timed(struct mpb_ab_row *row, struct mpb_contrast *contrast,
                       const struct mpb_verdict_rules *rules);

MPB_END_DECLS

#endif
