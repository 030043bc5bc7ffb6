/* contrast.h: block values: what one block of passes says about two arms, about one arm against
 * itself, and about the place in the block. All in natural logarithms, so that swapping the arms
 * changes the sign and nothing else.
 *
 * A pass that measured 0 has no logarithm, but it has a rank: its ratio counts as infinite (two
 * zeros as equal), which a median and a sign test can bear. */
#ifndef MPB_HARNESS_CONTRAST_H
#define MPB_HARNESS_CONTRAST_H

#include "harness/gather.h"

MPB_BEGIN_DECLS

/* Block values of one pair of arms; y is owned, one value a block in block order. */
struct mpb_contrast {
    double *y;
    size_t n;
    size_t n_values, n_zeros; /* passes behind them, and how many measured 0 or less */
};
void mpb_contrast_fini(struct mpb_contrast *contrast);

/* y = mean of ln(b / a) over the block's two pairs: the first pass of a with the first of b, the
 * last with the last. Blocks in which a pass lacks the metric are left out. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_contrast_arms(const struct mpb_session *session,
                                               const struct mpb_gather_group *group, size_t a_arm,
                                               size_t b_arm, struct mpb_contrast *out,
                                               struct mpb_error *err);
/* y = ln(last / first) of one arm's two passes in each block: identical code, so what is not 0 is
 * noise, and what does not average out is the effect of the order. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_contrast_self(const struct mpb_session *session,
                                               const struct mpb_gather_group *group, size_t arm,
                                               struct mpb_contrast *out, struct mpb_error *err);

MPB_END_DECLS

#endif
