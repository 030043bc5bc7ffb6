/* md_method.h: the section of report.md that says how its figures came about. */
#ifndef MPB_REPORTS_MD_METHOD_H
#define MPB_REPORTS_MD_METHOD_H

#include <stdio.h>

#include "reports/model.h"

MPB_BEGIN_DECLS

/* "How this was measured": the session, the machine, the estimators, and each arm's facts. */
void mpb_md_method_write(const struct mpb_model *model, FILE *f);

MPB_END_DECLS

#endif
