/* plan.c: seeded block orders. */
#include "harness/plan.h"

#include <sys/random.h>

#include "instrument/clock.h"

/* splitmix64 (Steele, Lea, Flood 2014): the next value of a stream. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform in [0, n), n > 0: values of the incomplete last cycle are drawn again. */
static uint64_t below(uint64_t *state, uint64_t n)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % n, v = next(state);
    while (v >= limit) {
        v = next(state);
    }
    return v % n;
}

void mpb_plan_block(uint64_t seed, size_t scenario_idx, uint32_t block, size_t n_arms,
                    uint16_t *out_arm)
{
    /* Each coordinate passes through the mixer, so that neighbours share no stream. */
    uint64_t state = seed;
    state = next(&state) ^ (uint64_t)scenario_idx;
    state = next(&state) ^ block;
    for (size_t i = 0; i < n_arms; i++) {
        out_arm[i] = (uint16_t)i;
    }
    for (size_t i = n_arms; i > 1; i--) {
        size_t j = (size_t)below(&state, i);
        uint16_t swap = out_arm[i - 1];
        out_arm[i - 1] = out_arm[j];
        out_arm[j] = swap;
    }
    for (size_t i = 0; i < n_arms; i++) {
        out_arm[2 * n_arms - 1 - i] = out_arm[i];
    }
}

uint64_t mpb_plan_random_seed(void)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != (ssize_t)sizeof(seed)) {
        seed = mpb_clock_utc_ns() ^ (mpb_clock_now_ns() << 20);
    }
    return seed;
}
