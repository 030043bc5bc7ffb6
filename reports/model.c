/* model.c: look-ups in a model, and the words for its verdicts. */
#include "reports/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *mpb_model_verdict_word(enum mpb_verdict verdict)
{
    static const char *const words[] = {
#define MPB_X(id, word, doc) word,
        MPB_VERDICT_LIST(MPB_X)
#undef MPB_X
    };
    _Static_assert(MPB_ARRAY_LEN(words) == MPB_VERDICT__COUNT, "one word a verdict");
    return words[verdict];
}

void mpb_model_fini(struct mpb_model *model)
{
    free(model->ab);
    free(model->summary);
    free(model->scenario);
    *model = (struct mpb_model){0};
}

const struct mpb_summary_row *mpb_model_find_summary(const struct mpb_model *model, size_t arm,
                                                     const char *scenario, const char *metric,
                                                     int run)
{
    for (size_t i = 0; i < model->n_summary; i++) {
        const struct mpb_summary_row *row = &model->summary[i];
        if (row->arm == arm && row->run == run && strcmp(row->metric, metric) == 0 &&
            strcmp(row->scenario, scenario) == 0) {
            return row;
        }
    }
    return NULL;
}

const struct mpb_ab_row *mpb_model_find_ab(const struct mpb_model *model, const char *scenario,
                                           const char *metric, int run, size_t a_arm, size_t b_arm)
{
    for (size_t i = 0; i < model->n_ab; i++) {
        const struct mpb_ab_row *row = &model->ab[i];
        if (row->a_arm == a_arm && row->b_arm == b_arm && row->run == run &&
            strcmp(row->metric, metric) == 0 && strcmp(row->scenario, scenario) == 0) {
            return row;
        }
    }
    return NULL;
}

/* Whether the integers themselves decided: the reader learns that no statistics were needed. */
static bool is_decided_by_integers(const struct mpb_ab_row *row)
{
    switch (row->verdict) {
    case MPB_VERDICT_EQUAL:
    case MPB_VERDICT_IMPROVED:
    case MPB_VERDICT_REGRESSED:
    case MPB_VERDICT_CHANGED:
    case MPB_VERDICT_NEW:
        return row->class_ == MPB_CLASS_EXACT;
    case MPB_VERDICT_UNCHANGED:
    case MPB_VERDICT_INCONCLUSIVE:
    case MPB_VERDICT_MISSING:
    case MPB_VERDICT_NOT_COMPARABLE:
    case MPB_VERDICT_NA:
    case MPB_VERDICT__COUNT:
        break;
    }
    return false;
}

void mpb_model_verdict_text(const struct mpb_ab_row *row, char *out, size_t cap)
{
    const char *word = mpb_model_verdict_word(row->verdict);
    const char *tail = row->negligible ? ", negligible" : "";
    if (!is_decided_by_integers(row)) {
        snprintf(out, cap, "%s%s", word, tail);
    } else if (row->verdict == MPB_VERDICT_EQUAL) {
        snprintf(out, cap, "exact");
    } else {
        snprintf(out, cap, "exact, %s%s", word, tail);
    }
}
