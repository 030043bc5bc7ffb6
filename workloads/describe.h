/* describe.h: what a worker offers, as CSV rows `kind,name,unit,better,class,doc`, so that the
 * harness needs to know nothing of it beforehand. Kinds: scenario, variant, mix, site, metric,
 * option (unit: its argument, class: its default), build (name: a fact, doc: its value). */
#ifndef MPB_WORKLOADS_DESCRIBE_H
#define MPB_WORKLOADS_DESCRIBE_H

#include <stdio.h>

#include "instrument/status.h"

MPB_BEGIN_DECLS

#define MPB_DESCRIBE_HEADER "kind,name,unit,better,class,doc"

/* All rows to f, flushed. counting: this build has its probes on. MPB_E_IO. */
MPB_MUST_USE enum mpb_status mpb_describe_print(FILE *f, bool counting, struct mpb_error *err);

/* What a limit program offers (bench/): one scenario, and the metrics. MPB_E_IO. */
MPB_MUST_USE enum mpb_status mpb_describe_limit(FILE *f, const char *scenario, const char *doc,
                                                struct mpb_error *err);

MPB_END_DECLS

#endif
