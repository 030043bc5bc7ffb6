/* rng.h: the one random generator of workloads and plans: xoshiro256++ (Blackman and Vigna, public
 * domain), seeded by splitmix64: the same numbers on every machine for the same seed and stream. */
#ifndef MPB_WORKLOADS_RNG_H
#define MPB_WORKLOADS_RNG_H

#include "instrument/base.h"

MPB_BEGIN_DECLS

struct mpb_rng {
    uint64_t s[4];
};

/* Streams of one seed are independent: each purpose takes its own. */
void mpb_rng_init(struct mpb_rng *rng, uint64_t seed, uint64_t stream);
uint64_t mpb_rng_next(struct mpb_rng *rng);
/* Uniform in [0, n), n > 0, without bias. */
uint64_t mpb_rng_below(struct mpb_rng *rng, uint64_t n);
/* Fisher-Yates over x[n]. */
void mpb_rng_shuffle(struct mpb_rng *rng, uint32_t *x, size_t n);

MPB_END_DECLS

#endif
