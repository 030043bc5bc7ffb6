/* rng.c: xoshiro256++ and splitmix64. */
#include "workloads/rng.h"

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t rotate_left(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

void mpb_rng_init(struct mpb_rng *rng, uint64_t seed, uint64_t stream)
{
    uint64_t base = stream;
    uint64_t state = seed ^ splitmix64(&base);
    for (size_t i = 0; i < MPB_ARRAY_LEN(rng->s); i++) {
        rng->s[i] = splitmix64(&state);
    }
}

uint64_t mpb_rng_next(struct mpb_rng *rng)
{
    uint64_t *s = rng->s;
    uint64_t result = rotate_left(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t mpb_rng_below(struct mpb_rng *rng, uint64_t n)
{
    uint64_t reject_below = (0 - n) % n; /* 2^64 mod n: what would favour small results */
    uint64_t x = mpb_rng_next(rng);
    while (x < reject_below) {
        x = mpb_rng_next(rng);
    }
    return x % n;
}

void mpb_rng_shuffle(struct mpb_rng *rng, uint32_t *x, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)mpb_rng_below(rng, i);
        uint32_t t = x[i - 1];
        x[i - 1] = x[j];
        x[j] = t;
    }
}
