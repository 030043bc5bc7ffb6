/* cells.h: comparisons as text cells, made once for all writers that readers see, so that a figure
 * has the same digits and the same words wherever it is printed.
 *
 * Additive exact metrics are shown per message (the run's total / the run's messages), everything
 * else as it was measured. Runs of an exact metric that say the same become one line. */
#ifndef MPB_REPORTS_CELLS_H
#define MPB_REPORTS_CELLS_H

#include "reports/model.h"

MPB_BEGIN_DECLS

/* One comparison. Texts are plain: a writer escapes them. */
struct mpb_cells_line {
    const struct mpb_ab_row *row;
    char name[160]; /* metric, its run where runs differ, "(total)" where messages are not known */
    char a[112], b[112];
    char change[64];   /* "equal", "new", "-1.000", "+187.5 %", "n/a" */
    char interval[80]; /* "" for exact rows */
    char verdict[48];
    bool per_message;
};

/* Lines: timed, exact, level; the headline first, what got worse next, then in metric order. */
struct mpb_cells {
    struct mpb_cells_line *line;
    size_t n;
};

/* Which rows: those for which keep(row, ctx) is true. */
struct mpb_cells_filter {
    bool (*keep)(const struct mpb_ab_row *row, const void *ctx);
    const void *ctx;
};

/* The lines of a scenario and pair. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_cells_open(const struct mpb_model *model,
                                            const struct mpb_scenario_note *note,
                                            const struct mpb_cells_filter *filter,
                                            struct mpb_cells *out, struct mpb_error *err);
void mpb_cells_close(struct mpb_cells *lines);

/* Messages of a run of an arm, NAN if not known. */
double mpb_cells_messages(const struct mpb_model *model, size_t arm, const char *scenario, int run);
/* Is this metric shown per message (exact and additive)? */
bool mpb_cells_is_per_message(const char *metric);
/* Does the row's verdict leave a question that its reason answers? */
bool mpb_cells_wants_reason(const struct mpb_ab_row *row);
/* Did it get worse: regressed, or new where less is better? */
bool mpb_cells_is_worse(const struct mpb_ab_row *row);
/* Is this a part ("decodes/app") of a metric of the list? */
bool mpb_cells_is_part(const char *metric);
/* "95 %" for a level of 0.05, into out[cap]. */
void mpb_cells_confidence(double level, char *out, size_t cap);
/* What counts changed per message, as in "13 fewer copies, 1 fewer hash"; "" if none did. */
void mpb_cells_counts(const struct mpb_model *model, const struct mpb_scenario_note *note,
                      char *out, size_t cap);

MPB_END_DECLS

#endif
