/* model.h: a third decoder, for comparison only: slow, plain, and written apart from the others.
 * It works as running nodes do: one scan of the whole buffer for each field. */
#ifndef MPB_CORE_FUZZ_MODEL_H
#define MPB_CORE_FUZZ_MODEL_H

#include "core/msg.h"

struct mpb_model {
    struct mpb_msg msg; /* bytes borrowed from wire */
    bool has_skipped;   /* as mpb_scan_wire() says it */
    /* What plain protobuf-c takes otherwise than all others do: */
    bool has_wide_tag;      /* some tag is above 32 bits (it cuts the tag) */
    bool has_mistyped_bool; /* ephemeral in another wire type (it reads a bool from any) */
};

/* Decode wire. The contents of *out mean nothing on failure. */
MPB_MUST_USE enum mpb_status mpb_model_decode(struct mpb_bytes wire, struct mpb_model *out);

#endif
