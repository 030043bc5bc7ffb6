/* md_result.c: verdicts as a title, a table and sentences. */
#include "reports/md_result.h"

#include <stdlib.h>
#include <string.h>

#include "reports/caution.h"
#include "reports/cells.h"
#include "reports/md.h"
#include "reports/md_lines.h"
#include "reports/units.h"

#define LISTED_MAX 5

/* Beside the headline, what the first table shows. */
static const enum mpb_metric key_metrics[] = {
    MPB_METRIC_NS_PER_MSG_P50, MPB_METRIC_DECODES,         MPB_METRIC_HASHES,
    MPB_METRIC_COPIES,         MPB_METRIC_REQUESTED_BYTES, MPB_METRIC_PEAK_BYTES,
};
static bool is_key(const char *metric)
{
    for (size_t i = 0; i < MPB_ARRAY_LEN(key_metrics); i++) {
        if (strcmp(metric, mpb_metric_info(key_metrics[i])->name) == 0) {
            return true;
        }
    }
    return false;
}

/* The comparison the title is about: the last arm against the first, or the first pair there is. */
static bool is_main_pair(const struct mpb_model *model, const struct mpb_scenario_note *note)
{
    size_t last = model->session->n_arms - 1;
    for (size_t i = 0; i < model->n_scenarios; i++) {
        if (model->scenario[i].a_arm == 0 && model->scenario[i].b_arm == last) {
            return note->a_arm == 0 && note->b_arm == last;
        }
    }
    return note->a_arm == model->scenario[0].a_arm && note->b_arm == model->scenario[0].b_arm;
}

static const char *headline_words(const char *metric)
{
    return strcmp(metric, mpb_metric_info(MPB_METRIC_MSG_PER_S)->name) == 0 ? "msg/s" : metric;
}

static const struct mpb_ab_row *find_headline(const struct mpb_model *model,
                                              const struct mpb_scenario_note *note)
{
    return mpb_model_find_ab(model, note->scenario, note->headline, MPB_RUN_MEAN, note->a_arm,
                             note->b_arm);
}

/* One arm's headline: "micro 9 184/s". */
static void put_own_result(const struct mpb_model *model, const struct mpb_scenario_note *note,
                           char *out, size_t cap)
{
    const struct mpb_summary_row *row =
        mpb_model_find_summary(model, note->a_arm, note->scenario, note->headline, MPB_RUN_MEAN);
    char text[64] = "not timed";
    if (row != NULL) {
        struct mpb_scale scale = mpb_units_scale(row->unit, &row->median, 1);
        mpb_units_format(row->median, &scale, text, sizeof(text));
    }
    snprintf(out, cap, "%s %s %s", note->scenario, row != NULL ? row->metric : "", text);
}

/* "micro +187.5 % msg/s", "micro msg/s inconclusive". */
static void put_result(const struct mpb_model *model, const struct mpb_scenario_note *note,
                       char *out, size_t cap)
{
    const struct mpb_ab_row *row = find_headline(model, note);
    char change[64], verdict[48];
    if (note->a_arm == note->b_arm) {
        put_own_result(model, note, out, cap);
        return;
    }
    if (row == NULL) {
        snprintf(out, cap, "%s not timed", note->scenario);
        return;
    }
    mpb_units_change(row->ratio, change, sizeof(change));
    mpb_model_verdict_text(row, verdict, sizeof(verdict));
    if (row->verdict == MPB_VERDICT_IMPROVED || row->verdict == MPB_VERDICT_REGRESSED ||
        row->verdict == MPB_VERDICT_CHANGED) {
        snprintf(out, cap, "%s %s %s%s", note->scenario, change, headline_words(row->metric),
                 row->negligible ? " (negligible)" : "");
    } else {
        snprintf(out, cap, "%s %s %s", note->scenario, headline_words(row->metric), verdict);
    }
}

static void put_title(const struct mpb_model *model, FILE *f)
{
    const struct mpb_session *s = model->session;
    char title[1024] = "", counts[256] = "", part[320];
    const struct mpb_scenario_note *first = NULL;
    for (size_t i = 0; i < model->n_scenarios; i++) {
        const struct mpb_scenario_note *note = &model->scenario[i];
        if (!is_main_pair(model, note)) {
            continue;
        }
        size_t n = strlen(title);
        put_result(model, note, part, sizeof(part));
        snprintf(title + n, sizeof(title) - n, "%s%s", first != NULL ? ", " : "", part);
        if (counts[0] == '\0') {
            mpb_cells_counts(model, note, counts, sizeof(counts));
        }
        first = first != NULL ? first : note;
    }
    if (first == NULL) {
        mpb_md_heading(f, 1, "%s: nothing was compared",
                       s->n_arms > 0 ? s->arm[0].label : "no arm");
        return;
    }
    char pair[256];
    mpb_md_lines_pair_name(s, first, pair, sizeof(pair));
    mpb_md_heading(f, 1, "%s: %s%s%s%s", pair, title, counts[0] != '\0' ? "; " : "", counts,
                   counts[0] != '\0' ? " a message" : "");
}

static bool keep_key(const struct mpb_ab_row *row, const void *ctx)
{
    const char *headline = ctx;
    return strcmp(row->metric, headline) == 0 || is_key(row->metric);
}

static enum mpb_status put_key_rows(const struct mpb_model *model,
                                    const struct mpb_scenario_note *note,
                                    struct mpb_md_table *table, struct mpb_error *err)
{
    const struct mpb_cells_filter filter = {.keep = keep_key, .ctx = note->headline};
    struct mpb_cells lines = {0};
    enum mpb_status st = mpb_cells_open(model, note, &filter, &lines, err);
    for (size_t i = 0; st == MPB_OK && i < lines.n; i++) {
        const struct mpb_cells_line *line = &lines.line[i];
        char name[192];
        mpb_md_lines_name(line, name, sizeof(name));
        const char *cells[] = {note->scenario, name,           line->a,      line->b,
                               line->change,   line->interval, line->verdict};
        mpb_md_cells(table, cells, MPB_ARRAY_LEN(cells));
    }
    mpb_cells_close(&lines);
    return st;
}

/* One table of one pair of arms, all scenarios. */
static enum mpb_status put_key_table(const struct mpb_model *model,
                                     const struct mpb_scenario_note *pair, FILE *f,
                                     struct mpb_error *err)
{
    const struct mpb_session *s = model->session;
    struct mpb_md_table table;
    char confidence[16];
    enum mpb_status st = MPB_OK;
    mpb_cells_confidence(s->plan.level, confidence, sizeof(confidence));
    mpb_md_begin(&table, f, "llrrrrl");
    mpb_md_cell(&table, "scenario");
    mpb_md_cell(&table, "metric");
    mpb_md_cell(&table, s->arm[pair->a_arm].label);
    mpb_md_cell(&table, s->arm[pair->b_arm].label);
    mpb_md_cell(&table, "change");
    mpb_md_cellf(&table, "%s interval, %%", confidence);
    mpb_md_cell(&table, "verdict");
    for (size_t i = 0; st == MPB_OK && i < model->n_scenarios; i++) {
        const struct mpb_scenario_note *note = &model->scenario[i];
        if (note->a_arm == pair->a_arm && note->b_arm == pair->b_arm) {
            st = put_key_rows(model, note, &table, err);
        }
    }
    mpb_md_end(&table);
    return st;
}

static bool is_first_of_pair(const struct mpb_model *model, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (model->scenario[i].a_arm == model->scenario[at].a_arm &&
            model->scenario[i].b_arm == model->scenario[at].b_arm) {
            return false;
        }
    }
    return true;
}

static void put_caution(void *ctx, const char *sentence)
{
    mpb_md_item(ctx, "%s", sentence);
}

enum mpb_status mpb_md_result_write_first(const struct mpb_model *model, FILE *f,
                                          struct mpb_error *err)
{
    enum mpb_status st = MPB_OK;
    put_title(model, f);
    for (size_t i = 0; st == MPB_OK && i < model->n_scenarios && model->session->n_arms > 1; i++) {
        if (is_first_of_pair(model, i)) {
            st = put_key_table(model, &model->scenario[i], f, err);
        }
    }
    if (mpb_caution_each(model, put_caution, f) > 0) {
        putc('\n', f);
    }
    return st;
}

/* Of a metric with no better direction (the clock's own quality) nobody waits for a verdict. */
static bool is_open(const struct mpb_ab_row *row)
{
    return row->verdict == MPB_VERDICT_INCONCLUSIVE && row->better != MPB_BETTER_NONE;
}

/* Names of the rows of a pair that `is` holds for, "a, b and 3 more"; "nothing" if there are none.
 */
static void list_rows(const struct mpb_model *model, const struct mpb_scenario_note *note,
                      bool (*is)(const struct mpb_ab_row *row), char *out, size_t cap)
{
    size_t n = 0, len = 0;
    const char *last = "";
    snprintf(out, cap, "nothing");
    for (size_t i = 0; i < model->n_ab; i++) {
        const struct mpb_ab_row *row = &model->ab[i];
        if (!is(row) || row->a_arm != note->a_arm || row->b_arm != note->b_arm ||
            strcmp(row->scenario, note->scenario) != 0 || mpb_cells_is_part(row->metric) ||
            strcmp(row->metric, last) == 0) {
            continue;
        }
        last = row->metric;
        if (n++ < LISTED_MAX) {
            len += (size_t)snprintf(out + len, cap - len, "%s%.60s%s", n > 1 ? ", " : "", last,
                                    row->negligible                   ? " (negligible)"
                                    : row->verdict == MPB_VERDICT_NEW ? " (new)"
                                                                      : "");
        }
    }
    if (n > LISTED_MAX) {
        snprintf(out + len, cap - len, " and %zu more", n - LISTED_MAX);
    }
}

static void put_bottom_line(const struct mpb_model *model, const struct mpb_scenario_note *note,
                            FILE *f)
{
    const struct mpb_ab_row *row = find_headline(model, note);
    char pair[256], counts[256], worse[512], open[512], interval[80] = "n/a", verdict[48] = "n/a";
    char change[64] = "n/a";
    mpb_md_lines_pair_name(model->session, note, pair, sizeof(pair));
    mpb_cells_counts(model, note, counts, sizeof(counts));
    list_rows(model, note, mpb_cells_is_worse, worse, sizeof(worse));
    list_rows(model, note, is_open, open, sizeof(open));
    if (row != NULL) {
        mpb_units_change(row->ratio, change, sizeof(change));
        mpb_units_interval(row->low, row->high, interval, sizeof(interval));
        mpb_model_verdict_text(row, verdict, sizeof(verdict));
    }
    mpb_md_item(f,
                "In %s, %s: %s %s, %s (interval %s); per message %s. Worse: %s. "
                "Inconclusive: %s.",
                note->scenario, pair, note->headline[0] != '\0' ? note->headline : "no headline",
                verdict, change, interval,
                counts[0] != '\0' ? counts : "as many copies, decodes, hashes and encodes", worse,
                open);
}

void mpb_md_result_write_last(const struct mpb_model *model, FILE *f)
{
    for (size_t i = 0; model->session->n_arms > 1 && i < model->n_scenarios; i++) {
        put_bottom_line(model, &model->scenario[i], f);
    }
    if (model->session->n_arms < 2) {
        mpb_md_paragraph(f, "One arm was measured; there is no comparison to conclude from.");
    } else if (model->n_scenarios == 0) {
        mpb_md_paragraph(f, "Nothing was compared.");
    }
}
