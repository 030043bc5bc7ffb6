/* gate.h: a message passes a gate: the variant's copies are made, and what lies behind the gate
 * sees the last of them. Closing the gate frees them, which is when the closure they stand for
 * would end. */
#ifndef MPB_CORE_GATE_H
#define MPB_CORE_GATE_H

#include "core/copy.h"
#include "core/gate_list.h"
#include "core/variant.h"

MPB_BEGIN_DECLS

enum mpb_gate_id {
#define MPB_X(id, site, mechanism, times, lives_until) MPB_GATE_##id,
    MPB_GATE_LIST(MPB_X)
#undef MPB_X
        MPB_GATE__COUNT
};

struct mpb_gate_info {
    const char *name;
    enum mpb_site site;
    enum mpb_mechanism mechanism;
    unsigned times;
    const char *lives_until;
};

#define MPB_GATE_COPIES_MAX 2

/* Zero-initialised is a gate nothing passed. */
struct mpb_gate {
    struct mpb_copy *held[MPB_GATE_COPIES_MAX];
    unsigned n;
};

const struct mpb_gate_info *mpb_gate_info(enum mpb_gate_id id);
/* Copies one message costs at this gate (for PUSH_BUFFER: one peer). */
unsigned mpb_gate_copies(const struct mpb_variant *variant, enum mpb_gate_id id);
/* Pass `in`: *out is the last copy made, or `in` itself where the variant makes none. *out is valid
 * until the gate is closed. MPB_E_NOMEM, *out untouched; the gate must be closed all the same. */
MPB_MUST_USE enum mpb_status mpb_gate_pass(struct mpb_gate *gate, const struct mpb_variant *variant,
                                           enum mpb_gate_id id, const struct mpb_msg *in,
                                           const struct mpb_msg **out);
/* Take over the last copy (the caller frees it); NULL if the gate made none. */
struct mpb_copy *mpb_gate_take(struct mpb_gate *gate);
void mpb_gate_close(struct mpb_gate *gate);

MPB_END_DECLS

#endif
