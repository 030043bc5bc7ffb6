/* scan.h: one strict pass over an encoded WakuMessage: the acceptance rules, in one place.
 *
 * Both decoders start here, so both accept exactly the same inputs. The rules are in rule_list.h;
 * each check names its rule, and a build with one rule removed (MPB_RULE_REMOVED) must be caught
 * by the corpus replay. The scan reads tags, lengths and varints, never payload bytes. */
#ifndef MPB_CORE_SCAN_H
#define MPB_CORE_SCAN_H

#include "core/msg.h"

MPB_BEGIN_DECLS

/* Scan wire. *out gets the last occurrence of each field, its bytes borrowed from wire;
 * *has_skipped says that wire has unknown, mistyped or repeated fields, which re-encoding drops.
 * On failure both are untouched and the status says which rule was broken: MPB_E_TRUNCATED,
 * MPB_E_OVERLONG_VARINT, MPB_E_VARINT_RANGE, MPB_E_WIRE_TYPE, MPB_E_MISSING_FIELD,
 * MPB_E_META_LENGTH. Of several, the one that a running node meets first: faults of the wire in
 * wire order, then the missing fields, version, meta, ephemeral. Counts nothing (the decoders
 * do). No allocation. Cost: a dozen ns, whatever the payload's size. */
MPB_MUST_USE enum mpb_status mpb_scan_wire(struct mpb_bytes wire, struct mpb_msg *out,
                                           bool *has_skipped);

MPB_END_DECLS

#endif
