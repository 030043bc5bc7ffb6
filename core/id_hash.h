/* id_hash.h: where a table looks for a message id (internal to core). */
#ifndef MPB_CORE_ID_HASH_H
#define MPB_CORE_ID_HASH_H

#include <string.h>

#include "core/msg.h"

/* 64 bits of which the lowest are as good as any. Ids are digests, so few of their bits would do;
 * all of them go in, so that ids which share some share no places. */
static inline uint64_t mpb__id_hash(const uint8_t id[MPB_MSG_HASH_LEN])
{
    uint64_t words[MPB_MSG_HASH_LEN / sizeof(uint64_t)], x = 0;
    memcpy(words, id, sizeof(words));
    for (size_t i = 0; i < MPB_ARRAY_LEN(words); i++) {
        x = (x ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio */
        x ^= x >> 32;
    }
    return x;
}

#endif
