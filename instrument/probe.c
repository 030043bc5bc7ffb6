/* probe.c: the thread-local counters behind probe.h. These slots are the one piece of mutable
 * global state in the project. */
#include "instrument/probe.h"

#include <malloc.h>
#include <string.h>

static _Thread_local struct mpb_probe_counts slot;
static _Thread_local enum mpb_site current_site;

void mpb_probe_site_(enum mpb_site site)
{
    current_site = site;
}

void mpb_probe_add_(enum mpb_metric metric, uint64_t n)
{
    slot.at[current_site][metric] += n;
}

void mpb_probe_alloc_(void *ptr, size_t n_bytes)
{
    if (ptr == NULL) {
        return;
    }
    size_t usable = malloc_usable_size(ptr);
    uint64_t *row = slot.at[current_site];
    row[MPB_METRIC_ALLOCS] += 1;
    row[MPB_METRIC_REQUESTED_BYTES] += n_bytes;
    row[MPB_METRIC_USABLE_BYTES] += usable;
    slot.live_bytes += (int64_t)usable;
    if (slot.live_bytes > slot.peak_bytes) {
        slot.peak_bytes = slot.live_bytes;
    }
}

void mpb_probe_free_(void *ptr)
{
    if (ptr == NULL) {
        return;
    }
    size_t usable = malloc_usable_size(ptr);
    uint64_t *row = slot.at[current_site];
    row[MPB_METRIC_FREES] += 1;
    row[MPB_METRIC_FREED_BYTES] += usable;
    slot.live_bytes -= (int64_t)usable;
}

void mpb_probe_reset(void)
{
    memset(slot.at, 0, sizeof(slot.at));
    slot.peak_bytes = slot.live_bytes;
}

void mpb_probe_read(struct mpb_probe_counts *out)
{
    *out = slot;
}

uint64_t mpb_probe_total(const struct mpb_probe_counts *counts, enum mpb_metric metric)
{
    uint64_t sum = 0;
    for (size_t site = 0; site < MPB_SITE__COUNT; site++) {
        sum += counts->at[site][metric];
    }
    return sum;
}
