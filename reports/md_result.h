/* md_result.h: what report.md concludes: its title, the table that gets pasted, and its bottom
 * line, all from the same verdicts. */
#ifndef MPB_REPORTS_MD_RESULT_H
#define MPB_REPORTS_MD_RESULT_H

#include <stdio.h>

#include "reports/model.h"

MPB_BEGIN_DECLS

/* Title, first table (headline and key counts), cautions. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_md_result_write_first(const struct mpb_model *model, FILE *f,
                                                       struct mpb_error *err);
/* One sentence a scenario and pair. */
void mpb_md_result_write_last(const struct mpb_model *model, FILE *f);

MPB_END_DECLS

#endif
