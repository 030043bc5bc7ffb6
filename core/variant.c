/* variant.c: the paths, memory models and variants as tables. */
#include "core/variant.h"

#include <string.h>

static const struct mpb_memory_model model_refc = {
    "refc",
    {
#define MPB_X(id, name, refc, orc, doc) refc,
        MPB_MECHANISM_LIST(MPB_X)
#undef MPB_X
    },
};

static const struct mpb_memory_model model_orc = {
    "orc",
    {
#define MPB_X(id, name, refc, orc, doc) orc,
        MPB_MECHANISM_LIST(MPB_X)
#undef MPB_X
    },
};

static const struct mpb_path path_before = {
    .by_value = true,
    .site =
        {
            [MPB_SITE_PUBLISH] = {.hash = MPB_HASH_COMPUTE, .encode = MPB_ENCODE_SERIALISE},
            [MPB_SITE_SELF_DELIVER] = {.decode = MPB_DECODE_OWNED},
            [MPB_SITE_ON_SEND] = {.decode = MPB_DECODE_OWNED,
                                  .hash = MPB_HASH_COMPUTE,
                                  .id_hash = true},
            [MPB_SITE_ON_RECV] = {.decode = MPB_DECODE_OWNED, .id_hash = true},
            [MPB_SITE_VALIDATOR] = {.decode = MPB_DECODE_OWNED},
            [MPB_SITE_ON_VALIDATED] = {.decode = MPB_DECODE_OWNED, .hash = MPB_HASH_COMPUTE},
            [MPB_SITE_TOPIC_HANDLER] = {.decode = MPB_DECODE_OWNED},
            [MPB_SITE_FILTER] = {.hash = MPB_HASH_COMPUTE},
            [MPB_SITE_PUSH] = {.hash = MPB_HASH_COMPUTE, .encode = MPB_ENCODE_SERIALISE},
            [MPB_SITE_ARCHIVE] = {.hash = MPB_HASH_COMPUTE},
            [MPB_SITE_STORE_SYNC] = {.hash = MPB_HASH_COMPUTE},
        },
};

static const struct mpb_path path_after = {
    .site =
        {
            [MPB_SITE_PUBLISH] = {.hash = MPB_HASH_COMPUTE, .encode = MPB_ENCODE_SERIALISE},
            [MPB_SITE_SELF_DELIVER] = {.decode = MPB_DECODE_OWNED, .hash = MPB_HASH_COMPUTE},
            [MPB_SITE_VALIDATOR] = {.decode = MPB_DECODE_OWNED},
            [MPB_SITE_TOPIC_HANDLER] = {.decode = MPB_DECODE_OWNED, .hash = MPB_HASH_COMPUTE},
            [MPB_SITE_FILTER] = {.hash = MPB_HASH_REUSE},
            [MPB_SITE_PUSH] = {.hash = MPB_HASH_REUSE, .encode = MPB_ENCODE_SERIALISE},
            [MPB_SITE_ARCHIVE] = {.hash = MPB_HASH_REUSE},
            [MPB_SITE_STORE_SYNC] = {.hash = MPB_HASH_REUSE},
        },
};

static const struct mpb_path path_floor = {
    .site =
        {
            [MPB_SITE_PUBLISH] = {.hash = MPB_HASH_COMPUTE, .encode = MPB_ENCODE_SCATTER},
            [MPB_SITE_SELF_DELIVER] = {.decode = MPB_DECODE_REUSE, .hash = MPB_HASH_REUSE},
            [MPB_SITE_VALIDATOR] = {.decode = MPB_DECODE_VIEW},
            [MPB_SITE_TOPIC_HANDLER] = {.decode = MPB_DECODE_REUSE, .hash = MPB_HASH_COMPUTE},
            [MPB_SITE_FILTER] = {.hash = MPB_HASH_REUSE},
            [MPB_SITE_PUSH] = {.hash = MPB_HASH_REUSE, .encode = MPB_ENCODE_SCATTER},
            [MPB_SITE_ARCHIVE] = {.hash = MPB_HASH_REUSE},
            [MPB_SITE_STORE_SYNC] = {.hash = MPB_HASH_REUSE},
        },
};

static const struct mpb_variant variants[] = {
    {"before", "decode, hash and deep-copy at every site (refc)", &path_before, &model_refc, 0},
    {"after", "one decode a trust boundary, one hash, one shared envelope", &path_after,
     &model_refc, 0},
    {"floor", "the theoretical minimum: one view decode, one hash, no copy", &path_floor,
     &model_refc, 0},
    {"before-orc", "before, with values moved where the runtime can", &path_before, &model_orc, 0},
    {"after-orc", "after, with values moved where the runtime can", &path_after, &model_orc, 0},
    {"churn2", "after plus 2 transient copies a message", &path_after, &model_refc, 2},
    {"churn4", "after plus 4 transient copies a message", &path_after, &model_refc, 4},
    {"churn8", "after plus 8 transient copies a message", &path_after, &model_refc, 8},
    {"churn16", "after plus 16 transient copies a message", &path_after, &model_refc, 16},
};

const struct mpb_variant *mpb_variant_all(size_t *n)
{
    *n = MPB_ARRAY_LEN(variants);
    return variants;
}

const struct mpb_variant *mpb_variant_find(const char *name)
{
    for (size_t i = 0; i < MPB_ARRAY_LEN(variants); i++) {
        if (strcmp(variants[i].name, name) == 0) {
            return &variants[i];
        }
    }
    return NULL;
}

unsigned mpb_variant_copies(const struct mpb_variant *variant, enum mpb_mechanism mechanism)
{
    return variant->path->by_value ? variant->model->copies[mechanism] : 0;
}
