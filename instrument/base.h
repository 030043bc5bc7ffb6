/* base.h: the few words every other header needs: attributes, array length, a borrowed
 * view of bytes. Nothing here allocates, fails or keeps state. */
#ifndef MPB_INSTRUMENT_BASE_H
#define MPB_INSTRUMENT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define MPB_BEGIN_DECLS extern "C" {
#define MPB_END_DECLS }
#else
#define MPB_BEGIN_DECLS
#define MPB_END_DECLS
#endif

#define MPB_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define MPB_MUST_USE __attribute__((warn_unused_result))
#define MPB_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define MPB_COLD __attribute__((cold, noinline))

/* Borrowed bytes: data[len], valid as long as their owner says. data may be NULL when len is 0. */
struct mpb_bytes {
    const uint8_t *data;
    size_t len;
};

/* A string constant as bytes, without its terminating NUL. */
/* clang-format off */
#define MPB_BYTES_OF(literal) \
    (struct mpb_bytes) { (const uint8_t *)(literal), sizeof(literal) - 1 }
/* clang-format on */

#endif
