/* scan.h: one strict pass over an encoded WakuMessage: the acceptance rules, in one place.
 *
 * Both decoders start here, so both accept exactly the same inputs. The rules are in rule_list.h;
 * each check names its rule, and a build with one rule removed (MPB_RULE_REMOVED) must be caught
 * by the corpus replay. The scan reads tags, lengths and varints, never payload bytes. */
#ifndef MPB_CORE_SCAN_H
#define MPB_CORE_SCAN_H

#include "core/msg.h"

MPB_BEGIN_DECLS

/* What the scan found beside the fields. */
struct mpb_scan {
    struct mpb_msg msg;   /* last occurrence of each field, bytes borrowed from wire */
    bool has_skipped;     /* unknown, mistyped or repeated fields: they are dropped on re-encoding */
};

/* Scan wire. On failure *out is untouched and the status says which rule was broken:
 * MPB_E_TRUNCATED, MPB_E_OVERLONG_VARINT, MPB_E_VARINT_RANGE, MPB_E_WIRE_TYPE,
 * MPB_E_MISSING_FIELD, MPB_E_META_LENGTH. Counts nothing (the decoders do). No allocation. */
MPB_MUST_USE enum mpb_status mpb_scan_wire(struct mpb_bytes wire, struct mpb_scan *out);

MPB_END_DECLS

#endif
