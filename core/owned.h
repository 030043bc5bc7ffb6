/* owned.h: the materialising decoder: protobuf-c unpacks into memory of its own, through the
 * measured heap, as the decoders of running nodes do. */
#ifndef MPB_CORE_OWNED_H
#define MPB_CORE_OWNED_H

#include "core/msg.h"

MPB_BEGIN_DECLS

struct mpb_owned; /* a decoded message with its own memory */

/* Decode wire. Counts 1 decode and wire.len decoded bytes, whatever the outcome. Errors as
 * mpb_scan_wire(), and MPB_E_NOMEM (also for a field above 2^31-1 bytes, more than protobuf-c
 * holds); *out untouched then. The caller frees *out. Unknown, mistyped and repeated fields are
 * removed before protobuf-c sees the bytes, so a hostile wire costs at most twice the memory of
 * the fields that count (once more for the cleaned bytes, freed before this returns). */
MPB_MUST_USE enum mpb_status mpb_owned_decode(struct mpb_bytes wire, struct mpb_owned **out);
/* The message; valid until mpb_owned_free(). */
const struct mpb_msg *mpb_owned_msg(const struct mpb_owned *owned);
void mpb_owned_free(struct mpb_owned *owned); /* NULL is a no-op */

/* What decodes here: "protobuf-c 1.4.1". Never NULL. */
const char *mpb_owned_library(void);

MPB_END_DECLS

#endif
