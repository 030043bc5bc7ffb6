/* emit.h: rows of a worker's output. They are gathered in memory and printed only after the work
 * has been verified: a worker that fails prints none. */
#ifndef MPB_WORKLOADS_EMIT_H
#define MPB_WORKLOADS_EMIT_H

#include <stdio.h>

#include "instrument/metric.h"
#include "instrument/status.h"

MPB_BEGIN_DECLS

#define MPB_EMIT_HEADER "scenario,run,metric,unit,value"

/* Zero-initialised, with a scenario's name, is ready. */
struct mpb_emit {
    const char *scenario; /* borrowed; a lower_snake word that needs no quoting */
    const char *node;     /* borrowed; rows added while it is set belong to this node; NULL: none */
    struct mpb_emit_row {
        unsigned run;
        enum mpb_metric metric;
        const char *node;
        const char *part; /* site or reason behind the '/', borrowed; NULL: the bare name */
        bool is_integer;
        uint64_t integer;
        double real;
    } * row;
    size_t n, cap;
    bool failed; /* a row was lost to lack of memory: printing fails */
};

void mpb_emit_integer(struct mpb_emit *emit, unsigned run, enum mpb_metric metric, const char *part,
                      uint64_t value);
void mpb_emit_real(struct mpb_emit *emit, unsigned run, enum mpb_metric metric, double value);
/* Header and rows to f, flushed. MPB_E_NOMEM if a row was lost, MPB_E_IO if f does not take them.
 */
MPB_MUST_USE enum mpb_status mpb_emit_print(const struct mpb_emit *emit, FILE *f,
                                            struct mpb_error *err);
void mpb_emit_fini(struct mpb_emit *emit);

MPB_END_DECLS

#endif
