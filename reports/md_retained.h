/* md_retained.h: who holds messages, and whether it still grows: retention by owner. */
#ifndef MPB_REPORTS_MD_RETAINED_H
#define MPB_REPORTS_MD_RETAINED_H

#include <stdio.h>

#include "reports/model.h"

MPB_BEGIN_DECLS

/* A heading, a sentence and a table for each scenario that printed retained_bytes/...; nothing at
 * all where none did. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_md_retained_write(const struct mpb_model *model, FILE *f,
                                                   struct mpb_error *err);

MPB_END_DECLS

#endif
