/* view.h: the zero-copy decoder: the message's bytes stay where they arrived. */
#ifndef MPB_CORE_VIEW_H
#define MPB_CORE_VIEW_H

#include "core/msg.h"

MPB_BEGIN_DECLS

/* Borrowing decode: *out points into wire and is valid as long as wire is. Counts 1 decode and
 * wire.len decoded bytes, whatever the outcome. Errors as mpb_scan_wire(); *out untouched then. */
MPB_MUST_USE enum mpb_status mpb_view_decode(struct mpb_bytes wire, struct mpb_msg *out);

MPB_END_DECLS

#endif
