/* view.c: the zero-copy decoder is the strict scan, counted. */
#include "core/view.h"

#include "core/scan.h"
#include "instrument/probe.h"

enum mpb_status mpb_view_decode(struct mpb_bytes wire, struct mpb_msg *out)
{
    bool has_skipped;
    MPB_PROBE_ADD(DECODES, 1);
    MPB_PROBE_ADD(DECODED_BYTES, wire.len);
    return mpb_scan_wire(wire, out, &has_skipped);
}
