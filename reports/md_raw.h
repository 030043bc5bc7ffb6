/* md_raw.h: the section of report.md that shows every timed pass as it was measured. */
#ifndef MPB_REPORTS_MD_RAW_H
#define MPB_REPORTS_MD_RAW_H

#include <stdio.h>

#include "reports/model.h"

MPB_BEGIN_DECLS

/* "Raw rows": one row a timed pass and run, in the order they ran, and every pass that failed. */
void mpb_md_raw_write(const struct mpb_model *model, FILE *f);

MPB_END_DECLS

#endif
