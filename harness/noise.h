/* noise.h: what a session could see at all, from each arm against itself: a block holds two passes
 * of every arm, identical code, so their difference is noise. */
#ifndef MPB_HARNESS_NOISE_H
#define MPB_HARNESS_NOISE_H

#include "harness/contrast.h"

MPB_BEGIN_DECLS

/* Set noise_floor (median of |ln(last / first)| over the blocks of both arms, as a ratio change)
 * and order_effect with its sign-test interval (second half of a block against the first, mean
 * over the arms, median over the blocks) from the note's arms in a group. With a_arm = b_arm: of
 * that one arm. The interval stays as it is below six blocks. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_noise_measure(const struct mpb_session *session,
                                               const struct mpb_gather_group *group,
                                               struct mpb_scenario_note *note,
                                               struct mpb_error *err);

MPB_END_DECLS

#endif
