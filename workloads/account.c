/* account.c: reading, adding and subtracting accounts, word by word: a member added to any of the
 * structs is carried without a line here. */
#include "workloads/account.h"

#include <stddef.h>

#define IS_WORDS(type) \
    (sizeof(type) % sizeof(uint64_t) == 0 && _Alignof(type) == _Alignof(uint64_t))
_Static_assert(IS_WORDS(struct mpb_node_stats) && IS_WORDS(struct mpb_gossip_stats) &&
                   IS_WORDS(struct mpb_allocator_totals) && IS_WORDS(struct mpb_probe_counts),
               "an account is words");

enum {
    STATS_WORDS = offsetof(struct mpb_account, counts) / sizeof(uint64_t),
    ALL_WORDS = sizeof(struct mpb_account) / sizeof(uint64_t),
};

void mpb_account_read(const struct mpb_account_source *source, struct mpb_account *out)
{
    out->node = *mpb_node_stats(source->node);
    out->gossip = *mpb_gossip_stats(source->gossip);
    out->totals = source->allocator != NULL ? mpb_allocator_read(source->allocator)
                                            : (struct mpb_allocator_totals){0};
    if (source->counting) {
        mpb_probe_read(&out->counts);
    }
}

void mpb_account_charge(const struct mpb_account_source *source, const struct mpb_account *start,
                        struct mpb_account *sum)
{
    struct mpb_account now;
    mpb_account_read(source, &now);
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *then = (const uint64_t *)start, *at = (const uint64_t *)&now;
    int64_t peak = sum->counts.peak_bytes;
    size_t n = source->counting ? ALL_WORDS : STATS_WORDS;
    for (size_t i = 0; i < n; i++) {
        to[i] += at[i] - then[i];
    }
    int64_t live = sum->counts.live_bytes;
    sum->counts.peak_bytes = live > peak ? live : peak;
}

/* sign: 1 or all ones, which is -1. */
static void combine(struct mpb_account *to, const struct mpb_account *part, uint64_t sign)
{
    uint64_t *sum = (uint64_t *)to;
    const uint64_t *word = (const uint64_t *)part;
    int64_t peak = to->counts.peak_bytes;
    for (size_t i = 0; i < ALL_WORDS; i++) {
        sum[i] += sign * word[i];
    }
    to->counts.peak_bytes = peak;
}

void mpb_account_add(struct mpb_account *to, const struct mpb_account *part)
{
    combine(to, part, 1);
}

void mpb_account_subtract(struct mpb_account *from, const struct mpb_account *part)
{
    combine(from, part, UINT64_MAX);
}
