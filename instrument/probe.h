/* probe.h: counters on the hot path, per thread, site and metric, that cost nothing when off.
 *
 * MPB_PROBES is always 0 or 1. Off-code is still parsed and type-checked, its arguments are
 * never evaluated, and no call site has an #if. A third flavour (MPB_PROBES_STRIP) replaces the
 * macros by nothing: a test compares its machine code with the off flavour's, which is the proof.
 * Times are taken from a worker built with probes off, counts from one built with them on.
 *
 * The counters of a thread are its own (no locks, no sharing); a driver reads and resets them at
 * run edges, in that thread. */
#ifndef MPB_INSTRUMENT_PROBE_H
#define MPB_INSTRUMENT_PROBE_H

#include "instrument/metric.h"

#ifndef MPB_PROBES
#define MPB_PROBES 0
#endif

MPB_BEGIN_DECLS

/* One thread's counters since its last mpb_probe_reset(). live and peak are usable bytes of the
 * measured heap; live survives a reset (objects do), peak restarts at live. */
struct mpb_probe_counts {
    uint64_t at[MPB_SITE__COUNT][MPB_METRIC__COUNT];
    int64_t live_bytes;
    int64_t peak_bytes;
};

#ifdef MPB_PROBES_STRIP
#define MPB_PROBE_SITE(site) ((void)0)
#define MPB_PROBE_ADD(metric, n) ((void)0)
#define MPB_PROBE_ALLOC(ptr, n_bytes) ((void)0)
#define MPB_PROBE_FREE(ptr) ((void)0)
#else
/* clang-format off */
/* From here on this thread's counts belong to the site. */
#define MPB_PROBE_SITE(site) \
    do { if (MPB_PROBES) mpb_probe_site_(site); } while (0)
/* Add n to a metric, given by its list id (DECODES, HASHED_BYTES, ...), at the current site. */
#define MPB_PROBE_ADD(metric, n) \
    do { if (MPB_PROBES) mpb_probe_add_(MPB_METRIC_##metric, (n)); } while (0)
/* ptr was just allocated for n_bytes, or is about to be freed. NULL is ignored. */
#define MPB_PROBE_ALLOC(ptr, n_bytes) \
    do { if (MPB_PROBES) mpb_probe_alloc_((ptr), (n_bytes)); } while (0)
#define MPB_PROBE_FREE(ptr) \
    do { if (MPB_PROBES) mpb_probe_free_(ptr); } while (0)
/* clang-format on */
#endif

/* Targets of the macros; not called directly. */
void mpb_probe_site_(enum mpb_site site);
void mpb_probe_add_(enum mpb_metric metric, uint64_t n);
void mpb_probe_alloc_(void *ptr, size_t n_bytes);
void mpb_probe_free_(void *ptr);

/* Zero this thread's counters (not live_bytes). */
void mpb_probe_reset(void);
/* Copy this thread's counters to *out. */
void mpb_probe_read(struct mpb_probe_counts *out);
/* The sum of a metric over all sites. */
uint64_t mpb_probe_total(const struct mpb_probe_counts *counts, enum mpb_metric metric);

MPB_END_DECLS

#endif
