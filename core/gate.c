/* gate.c: copies at gates. */
#include "core/gate.h"

static const struct mpb_gate_info infos[] = {
#define MPB_X(id, site, mechanism, times, lives_until) \
    {#id, MPB_SITE_##site, MPB_MECHANISM_##mechanism, times, lives_until},
    MPB_GATE_LIST(MPB_X)
#undef MPB_X
};
_Static_assert(MPB_ARRAY_LEN(infos) == MPB_GATE__COUNT, "one row a gate");

#define MPB_X(id, site, mechanism, times, lives_until) \
    _Static_assert((times) <= MPB_GATE_COPIES_MAX, "a gate holds its copies");
MPB_GATE_LIST(MPB_X)
#undef MPB_X

const struct mpb_gate_info *mpb_gate_info(enum mpb_gate_id id)
{
    return &infos[id];
}

unsigned mpb_gate_copies(const struct mpb_variant *variant, enum mpb_gate_id id)
{
    return infos[id].times * mpb_variant_copies(variant, infos[id].mechanism);
}

enum mpb_status mpb_gate_pass(struct mpb_gate *gate, const struct mpb_variant *variant,
                              enum mpb_gate_id id, const struct mpb_msg *in,
                              const struct mpb_msg **out)
{
    const struct mpb_msg *last = in;
    unsigned n = mpb_gate_copies(variant, id);
    for (unsigned i = 0; i < n; i++) {
        struct mpb_copy *copy = mpb_copy_new(last);
        if (copy == NULL) {
            return MPB_E_NOMEM;
        }
        gate->held[gate->n++] = copy;
        last = &copy->msg;
    }
    *out = last;
    return MPB_OK;
}

struct mpb_copy *mpb_gate_take(struct mpb_gate *gate)
{
    return gate->n > 0 ? gate->held[--gate->n] : NULL;
}

void mpb_gate_close(struct mpb_gate *gate)
{
    while (gate->n > 0) {
        mpb_copy_free(gate->held[--gate->n]);
    }
}
