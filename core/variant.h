/* variant.h: a variant of the path is data over one pipeline.
 *
 * A path says, for each site, whether it decodes, hashes, encodes or reuses what an earlier site
 * did, and whether messages travel by value. A memory model says how many deep copies each
 * mechanism of the runtime costs when they do. A variant is a path under a model:
 *
 *   before  decodes at every site, hashes where a hash is needed, passes messages by value
 *   after   decodes once a trust boundary, hashes once, passes one reference-counted envelope
 *   floor   the least that gives the same results: one decode (a view), one hash, no copy
 *
 * refc models a reference-counting runtime that deep-copies values at every asynchronous gate;
 * orc one that moves them where it can. */
#ifndef MPB_CORE_VARIANT_H
#define MPB_CORE_VARIANT_H

#include "instrument/metric.h"

MPB_BEGIN_DECLS

enum mpb_decode_plan { MPB_DECODE_NONE, MPB_DECODE_OWNED, MPB_DECODE_VIEW, MPB_DECODE_REUSE };
enum mpb_hash_plan { MPB_HASH_NONE, MPB_HASH_COMPUTE, MPB_HASH_REUSE };
/* SERIALISE writes a new buffer; SCATTER sends header, bytes at hand and trailer unjoined. */
enum mpb_encode_plan { MPB_ENCODE_NONE, MPB_ENCODE_SERIALISE, MPB_ENCODE_SCATTER };

struct mpb_site_plan {
    enum mpb_decode_plan decode;
    enum mpb_hash_plan hash;
    enum mpb_encode_plan encode;
    bool id_hash; /* an observer that computes the gossipsub id for itself */
};

struct mpb_path {
    bool by_value; /* messages are copied at gates; else one envelope is passed by reference */
    struct mpb_site_plan site[MPB_SITE__COUNT];
};

/* X(ID, name, refc, orc, doc): what makes a copy, and how many it costs in each model. */
/* clang-format off */
#define MPB_MECHANISM_LIST(X) \
    X(RESULT,      "result",          1, 0, "a result is wrapped, or bound out of its wrapper") \
    X(ASYNC_PARAM, "async_parameter", 1, 0, "a parameter is captured by an asynchronous procedure") \
    X(COMPLETION,  "completion",      1, 1, "a future is completed with a value") \
    X(AWAIT_BIND,  "await_bind",      1, 1, "an awaited value is bound to a variable") \
    X(PEER_BUFFER, "peer_buffer",     1, 0, "a buffer is captured once for each peer")
/* clang-format on */

enum mpb_mechanism {
#define MPB_X(id, name, refc, orc, doc) MPB_MECHANISM_##id,
    MPB_MECHANISM_LIST(MPB_X)
#undef MPB_X
        MPB_MECHANISM__COUNT
};

struct mpb_memory_model {
    const char *name;
    unsigned copies[MPB_MECHANISM__COUNT]; /* deep copies each use of the mechanism costs */
};

struct mpb_variant {
    const char *name, *doc;
    const struct mpb_path *path;
    const struct mpb_memory_model *model;
    unsigned churn_copies; /* transient copies at the topic handler, each freed before the next */
};

/* All variants, *n of them, in the order users see. */
const struct mpb_variant *mpb_variant_all(size_t *n);
/* By name; NULL if unknown. */
const struct mpb_variant *mpb_variant_find(const char *name);
/* Deep copies one use of the mechanism costs in this variant; 0 when it passes by reference. */
unsigned mpb_variant_copies(const struct mpb_variant *variant, enum mpb_mechanism mechanism);

MPB_END_DECLS

#endif
