/* model.h: what a report says, computed once (by the harness, from a session) and printed by the
 * writers: the same words and digits in all of them. NAN in a figure means "none": writers print
 * an empty cell in CSV and n/a with the row's reason for readers. */
#ifndef MPB_REPORTS_MODEL_H
#define MPB_REPORTS_MODEL_H

#include "reports/session.h"

MPB_BEGIN_DECLS

/* X(ID, word, doc): every verdict. */
/* clang-format off */
#define MPB_VERDICT_LIST(X) \
    X(EQUAL,        "equal",        "exact: the same integers") \
    X(IMPROVED,     "improved",     "the interval excludes no change, towards better") \
    X(REGRESSED,    "regressed",    "the interval excludes no change, towards worse") \
    X(UNCHANGED,    "unchanged",    "the whole interval lies inside the equivalence band") \
    X(CHANGED,      "changed",      "differs, and the metric has no better direction") \
    X(INCONCLUSIVE, "inconclusive", "neither a change nor sameness is shown") \
    X(NEW,          "new",          "0 before, more than 0 now") \
    X(MISSING,      "missing",      "measured on one side only") \
    X(NOT_COMPARABLE, "not comparable", "the arms did not do the same work") \
    X(NA,           "n/a",          "cannot be measured here")
/* clang-format on */

enum mpb_verdict {
#define MPB_X(id, word, doc) MPB_VERDICT_##id,
    MPB_VERDICT_LIST(MPB_X)
#undef MPB_X
        MPB_VERDICT__COUNT
};
const char *mpb_model_verdict_word(enum mpb_verdict verdict);

/* The run column of a value averaged over a pass's runs. */
#define MPB_RUN_MEAN (-1)

/* One row of the A/B table. a and b: medians over the passes that count (timed, level), or the
 * integer (exact). Names are borrowed from the session. */
struct mpb_ab_row {
    const char *scenario, *metric, *unit;
    int run; /* or MPB_RUN_MEAN */
    enum mpb_class class_;
    enum mpb_better better;
    size_t a_arm, b_arm; /* indexes into session->arm */
    double a, b;
    bool is_integer; /* a_exact and b_exact hold a and b exactly */
    uint64_t a_exact, b_exact;
    double ratio; /* timed: exp(median block value); else b / a; NAN when a is 0 */
    double low, high;
    double level; /* the interval's nominal error, 0.05 */
    double p;
    double trimmed;             /* exp(20 % trimmed mean of block values) */
    double sign_low, sign_high; /* sign-test interval */
    double mde80;               /* smallest ratio change detectable at 80 % power, 0.016 = 1.6 % */
    unsigned blocks, look;
    enum mpb_verdict verdict;
    bool negligible; /* changed, and inside the equivalence band too: "improved, negligible" */
    char reason[160];
};

/* One arm's own figures: over its passes that count. Exact: min = max unless it varied. */
struct mpb_summary_row {
    const char *scenario, *metric, *unit;
    int run;
    enum mpb_class class_;
    enum mpb_better better;
    size_t arm;
    double median, min, max;
    bool is_integer;
    uint64_t min_exact, max_exact;
    unsigned n; /* passes */
};

/* Per scenario and pair: what the session could see. */
struct mpb_scenario_note {
    const char *scenario;
    size_t a_arm, b_arm;
    const char *headline; /* metric name; "" if nothing was timed */
    unsigned blocks_planned, blocks_done, blocks_torn;
    double noise_floor; /* A/A: median |ln ratio| of an arm's two passes in a block, as a ratio
                           change */
    double order_effect, order_low,
        order_high; /* second half of a block against the first, as ratio change */
    double mde80;   /* of the headline */
};

/* Zero-initialised is empty. Arrays owned; names borrowed from the session, which must outlive it.
 */
struct mpb_model {
    const struct mpb_session *session;
    struct mpb_ab_row *ab;
    size_t n_ab;
    struct mpb_summary_row *summary;
    size_t n_summary;
    struct mpb_scenario_note *scenario;
    size_t n_scenarios;
};

void mpb_model_fini(struct mpb_model *model);
/* The summary of an arm's metric, or NULL. run may be MPB_RUN_MEAN. */
const struct mpb_summary_row *mpb_model_find_summary(const struct mpb_model *model, size_t arm,
                                                     const char *scenario, const char *metric,
                                                     int run);
/* The A/B row, or NULL. */
const struct mpb_ab_row *mpb_model_find_ab(const struct mpb_model *model, const char *scenario,
                                           const char *metric, int run, size_t a_arm, size_t b_arm);
/* "improved, negligible", "exact, improved", ...: the words all writers print for a row. */
void mpb_model_verdict_text(const struct mpb_ab_row *row, char *out, size_t cap);

MPB_END_DECLS

#endif
