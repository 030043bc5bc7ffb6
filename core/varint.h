/* varint.h: reading varints, fast where ordinary messages are, exact everywhere (internal to core).
 *
 * A varint is a number in groups of seven bits, least significant first, all bytes but the last
 * with the top bit set. Nothing here judges: the faults of a varint are reported, what they mean
 * is the scan's business. All functions read at[*] up to end and not beyond. */
#ifndef MPB_CORE_VARINT_H
#define MPB_CORE_VARINT_H

#include <string.h>

#include "instrument/base.h"

#define MPB__VARINT_LEN_MAX 10 /* bytes of a 64-bit varint */

/* What may be wrong with a varint, as bits. */
enum {
    MPB__VARINT_CUT = 1,      /* the buffer ends before it does */
    MPB__VARINT_WIDE = 2,     /* more than 10 bytes or 64 bits */
    MPB__VARINT_OVERLONG = 4, /* its last byte adds nothing */
};

struct mpb__varint {
    const uint8_t *next; /* behind it */
    uint64_t value;      /* its low 64 bits, as far as it goes */
    unsigned faults;
};

/* A varint of any length. Ten continued bytes are too wide whatever follows them; fewer that meet
 * the buffer's end are cut. */
static inline struct mpb__varint mpb__varint_read(const uint8_t *at, const uint8_t *end)
{
    struct mpb__varint out = {at, 0, 0};
    for (unsigned shift = 0; shift < 7 * MPB__VARINT_LEN_MAX; shift += 7) {
        if (out.next == end) {
            out.faults = MPB__VARINT_CUT;
            return out;
        }
        uint8_t byte = *out.next++;
        out.value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            out.faults = (byte == 0 && shift > 0 ? MPB__VARINT_OVERLONG : 0) |
                         (byte > 1 && shift == 63 ? MPB__VARINT_WIDE : 0);
            return out;
        }
    }
    out.faults = MPB__VARINT_WIDE;
    return out;
}

/* A faultless varint of 2 or 3 bytes (a tag above 15, a payload's length): returns its bytes and
 * sets *value. 0 if it is anything else. The first byte is known to be continued. */
static inline size_t mpb__varint_take_short(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    ptrdiff_t n_left = end - at;
    if (n_left >= 2 && at[1] < 0x80 && at[1] > 0) {
        *value = (at[0] & 0x7fU) | (uint64_t)at[1] << 7;
        return 2;
    }
    if (n_left >= 3 && at[1] >= 0x80 && at[2] < 0x80 && at[2] > 0) {
        *value = (at[0] & 0x7fU) | (at[1] & 0x7fU) << 7 | (uint64_t)at[2] << 14;
        return 3;
    }
    return 0;
}

static inline uint64_t mpb__varint_load_le64(const uint8_t *at)
{
    uint64_t x = 0;
    memcpy(&x, at, sizeof(x));
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(x) : x;
}

/* A faultless varint of 9 bytes (the nanoseconds of our time): returns 9 and sets *value, 0 if it
 * is anything else. Groups of seven bits are joined in three steps: pairs, fours, all eight. */
static inline size_t mpb__varint_take_nine(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    if (end - at < 9 || at[8] == 0 || at[8] >= 0x80) {
        return 0;
    }
    uint64_t x = mpb__varint_load_le64(at);
    if ((~x & 0x8080808080808080) != 0) {
        return 0;
    }
    x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
    x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
    x = (x & 0x000000000fffffff) | (x & 0x0fffffff00000000) >> 4;
    *value = x | (uint64_t)at[8] << 56;
    return 9;
}

#endif
