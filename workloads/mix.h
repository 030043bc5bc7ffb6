/* mix.h: payload sizes of a workload: a named mix or a list SIZE:WEIGHT,... */
#ifndef MPB_WORKLOADS_MIX_H
#define MPB_WORKLOADS_MIX_H

#include "instrument/status.h"
#include "workloads/mix_list.h"
#include "workloads/rng.h"

MPB_BEGIN_DECLS

#define MPB_MIX_BINS_MAX 32
#define MPB_MIX_PAYLOAD_MIN 8        /* bytes: the unique prefix */
#define MPB_MIX_PAYLOAD_MAX 16777216 /* bytes: 16 MiB */
#define MPB_MIX_WEIGHT_MAX 1000000

struct mpb_mix {
    struct mpb_mix_bin {
        uint32_t low_bytes, high_bytes; /* both included */
        uint32_t weight;
    } bin[MPB_MIX_BINS_MAX];
    size_t n_bins;
    uint32_t max_bytes; /* the largest high_bytes */
};

struct mpb_mix_info {
    const char *name, *bins, *doc;
};
const struct mpb_mix_info *mpb_mix_all(size_t *n);

/* A mix from its name or its list. MPB_E_INPUT naming the option, the list and the wrong part. */
MPB_MUST_USE enum mpb_status mpb_mix_parse(const char *text, const char *option,
                                           struct mpb_mix *out, struct mpb_error *err);
/* Fill payload_bytes[n] with exact quotas (largest remainder; ties to the heavier bin, then to the
 * earlier), in an order shuffled by rng. */
void mpb_mix_fill(const struct mpb_mix *mix, struct mpb_rng *rng, uint32_t *payload_bytes,
                  size_t n);

MPB_END_DECLS

#endif
