/* md_lines.h: the table that most sections of report.md are: metrics down, arms across, with
 * change, interval and verdict; or, with one arm, median and range. */
#ifndef MPB_REPORTS_MD_LINES_H
#define MPB_REPORTS_MD_LINES_H

#include <stdio.h>

#include "reports/cells.h"

MPB_BEGIN_DECLS

/* Which metrics, and what to add. */
struct mpb_md_lines {
    bool (*wants)(const char *metric, enum mpb_class class_);
    bool with_statistics; /* columns for the trimmed mean and p */
    bool with_interval;
};

/* One table for each scenario and pair of arms (each scenario, with one arm), each under a heading
 * of the third level; a sentence where there is nothing to show. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_md_lines_write(const struct mpb_model *model,
                                                const struct mpb_md_lines *lines, FILE *f,
                                                struct mpb_error *err);
/* "decodes / message" or the name alone. */
void mpb_md_lines_name(const struct mpb_cells_line *line, char *out, size_t cap);
/* "A -> B", or "A" where an arm is its own pair. */
void mpb_md_lines_pair_name(const struct mpb_session *session, const struct mpb_scenario_note *note,
                            char *out, size_t cap);

MPB_END_DECLS

#endif
