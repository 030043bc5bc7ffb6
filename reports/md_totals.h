/* md_totals.h: exact totals of each run: bytes in MB (1 MB = 1 000 000 bytes), and what became of
 * the messages. */
#ifndef MPB_REPORTS_MD_TOTALS_H
#define MPB_REPORTS_MD_TOTALS_H

#include <stdio.h>

#include "reports/model.h"

MPB_BEGIN_DECLS

/* One table of a scenario, arms across. */
void mpb_md_totals_write(const struct mpb_model *model, const char *scenario, FILE *f);

MPB_END_DECLS

#endif
