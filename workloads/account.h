/* account.h: everything a node's thread counts, read at once, so that what one connection caused
 * can be told from what the others did: a difference of two readings is charged to whoever was
 * served between them. */
#ifndef MPB_WORKLOADS_ACCOUNT_H
#define MPB_WORKLOADS_ACCOUNT_H

#include "core/gossip.h"
#include "instrument/allocator.h"
#include "instrument/probe.h"

MPB_BEGIN_DECLS

/* All members are totals of 64 bits; counts.peak_bytes is not additive. Zero-initialised is
 * nothing. */
struct mpb_account {
    struct mpb_node_stats node;
    struct mpb_gossip_stats gossip;
    struct mpb_allocator_totals totals; /* zero where the allocator has none */
    struct mpb_probe_counts counts;     /* used only in counting builds */
};

/* Where it is read: all borrowed. */
struct mpb_account_source {
    const struct mpb_node *node;
    const struct mpb_gossip *gossip;
    const struct mpb_allocator *allocator; /* NULL: no totals */
    bool counting;
};

/* The calling thread's totals now. Cost: below 100 ns; some kB copied when counting. */
void mpb_account_read(const struct mpb_account_source *source, struct mpb_account *out);
/* Add to *sum what happened from *start until now, and to its peak: the most it came to. */
void mpb_account_charge(const struct mpb_account_source *source, const struct mpb_account *start,
                        struct mpb_account *sum);
/* *to += *part, member by member; the peak stays. */
void mpb_account_add(struct mpb_account *to, const struct mpb_account *part);
/* *from -= *part, member by member; the peak stays. */
void mpb_account_subtract(struct mpb_account *from, const struct mpb_account *part);

MPB_END_DECLS

#endif
