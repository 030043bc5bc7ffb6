/* plan.h: the order in which passes run, a pure function of the plan's seed.
 *
 * A block is a random permutation of the arms followed by its reverse, so a drift that is linear
 * over a block hits every arm alike, and the coin makes the labels random, which is what makes
 * the test valid whatever the noise looks like. Each block is drawn from (seed, scenario, block)
 * alone: a rerun block, or a session read back, has the order it would have had anyway. */
#ifndef MPB_HARNESS_PLAN_H
#define MPB_HARNESS_PLAN_H

#include "instrument/base.h"

MPB_BEGIN_DECLS

/* Arms of slots 1 .. 2 n_arms of a block into out_arm[2 * n_arms]. block is 1-based, scenario_idx
 * counts the session's scenarios from 0. Generator splitmix64, Fisher-Yates shuffle. */
void mpb_plan_block(uint64_t seed, size_t scenario_idx, uint32_t block, size_t n_arms,
                    uint16_t *out_arm);
/* A seed from the system's entropy; from the clock where there is none. */
uint64_t mpb_plan_random_seed(void);

MPB_END_DECLS

#endif
