/* md_lines.c: lines of cells, or summary rows, as Markdown tables. */
#include "reports/md_lines.h"

#include <math.h>
#include <string.h>

#include "reports/md.h"
#include "reports/units.h"

void mpb_md_lines_name(const struct mpb_cells_line *line, char *out, size_t cap)
{
    snprintf(out, cap, "%s%s", line->name, line->per_message ? " / message" : "");
}

void mpb_md_lines_pair_name(const struct mpb_session *session, const struct mpb_scenario_note *note,
                            char *out, size_t cap)
{
    const char *a = session->arm[note->a_arm].label, *b = session->arm[note->b_arm].label;
    snprintf(out, cap, note->a_arm == note->b_arm ? "%s" : "%s -> %s", a, b);
}

/* Parts by site or reason have tables of their own; timed parts (cpu of each node) stand here. */
static bool is_wanted(const struct mpb_md_lines *lines, const char *metric, enum mpb_class class_)
{
    return (class_ == MPB_CLASS_TIMED || !mpb_cells_is_part(metric)) &&
           lines->wants(metric, class_);
}

static bool keep(const struct mpb_ab_row *row, const void *ctx)
{
    return is_wanted(ctx, row->metric, row->class_);
}

/* p as a reader wants it; never 0. */
static void put_p(struct mpb_md_table *table, double p)
{
    if (!isfinite(p)) {
        mpb_md_cell(table, "n/a");
    } else if (p < 0.0001) {
        mpb_md_cell(table, "< 0.0001");
    } else {
        mpb_md_cellf(table, "%.2g", p);
    }
}

static void put_head(const struct mpb_session *s, const struct mpb_scenario_note *note,
                     const struct mpb_md_lines *lines, struct mpb_md_table *table)
{
    char confidence[16];
    mpb_cells_confidence(s->plan.level, confidence, sizeof(confidence));
    mpb_md_cell(table, "metric");
    mpb_md_cell(table, s->arm[note->a_arm].label);
    mpb_md_cell(table, s->arm[note->b_arm].label);
    mpb_md_cell(table, "change");
    if (lines->with_interval) {
        mpb_md_cellf(table, lines->with_statistics ? "%s interval, %%" : "range, %%", confidence);
    }
    if (lines->with_statistics) {
        mpb_md_cell(table, "trimmed mean");
        mpb_md_cell(table, "p");
    }
    mpb_md_cell(table, "verdict");
}

static void put_line(const struct mpb_cells_line *line, const struct mpb_md_lines *lines,
                     struct mpb_md_table *table)
{
    char name[192], trimmed[64];
    mpb_md_lines_name(line, name, sizeof(name));
    const char *cells[] = {name, line->a, line->b, line->change};
    mpb_md_cells(table, cells, MPB_ARRAY_LEN(cells));
    if (lines->with_interval) {
        mpb_md_cell(table, line->interval);
    }
    if (lines->with_statistics) {
        mpb_units_change(line->row->trimmed, trimmed, sizeof(trimmed));
        mpb_md_cell(table, trimmed);
        put_p(table, line->row->p);
    }
    mpb_md_cellf(table, mpb_cells_wants_reason(line->row) ? "%s: %s" : "%s", line->verdict,
                 line->row->reason);
}

static enum mpb_status put_pair(const struct mpb_model *model, const struct mpb_scenario_note *note,
                                const struct mpb_md_lines *lines, FILE *f, struct mpb_error *err)
{
    const struct mpb_cells_filter filter = {.keep = keep, .ctx = lines};
    struct mpb_cells shown = {0};
    char pair[256];
    enum mpb_status st = mpb_cells_open(model, note, &filter, &shown, err);
    if (st != MPB_OK) {
        return st;
    }
    mpb_md_lines_pair_name(model->session, note, pair, sizeof(pair));
    mpb_md_heading(f, 3, "%s: %s", note->scenario, pair);
    if (shown.n == 0) {
        mpb_md_paragraph(f, "n/a: no such metric was measured on both sides.");
    } else {
        struct mpb_md_table table;
        mpb_md_begin(&table, f,
                     lines->with_statistics ? "lrrrrrrl"
                                            : (lines->with_interval ? "lrrrrl" : "lrrrl"));
        put_head(model->session, note, lines, &table);
        for (size_t i = 0; i < shown.n; i++) {
            put_line(&shown.line[i], lines, &table);
        }
        mpb_md_end(&table);
    }
    mpb_cells_close(&shown);
    return MPB_OK;
}

static void put_own_line(const struct mpb_model *model, const struct mpb_summary_row *row,
                         struct mpb_md_table *table)
{
    bool per_message = mpb_cells_is_per_message(row->metric);
    double messages =
        per_message ? mpb_cells_messages(model, row->arm, row->scenario, row->run) : 1;
    bool total = !isfinite(messages);
    messages = total ? 1 : messages;
    const double values[] = {row->median / messages, row->min / messages, row->max / messages};
    struct mpb_scale scale = mpb_units_scale(row->unit, values, MPB_ARRAY_LEN(values));
    if (per_message && !total && strcmp(row->unit, "count") == 0) {
        scale.decimals = 3;
    }
    char run[32] = "";
    if (row->run >= 0) {
        snprintf(run, sizeof(run), " run %d", row->run);
    }
    mpb_md_cellf(table, "%s%s%s", row->metric, run,
                 per_message ? (total ? " (total)" : " / message") : "");
    for (size_t i = 0; i < MPB_ARRAY_LEN(values); i++) {
        char text[64];
        mpb_units_format(values[i], &scale, text, sizeof(text));
        mpb_md_cell(table, text);
    }
    mpb_md_cellf(table, "%u", row->n);
}

static void put_own(const struct mpb_model *model, const char *scenario,
                    const struct mpb_md_lines *lines, FILE *f)
{
    static const char *const head[] = {"metric", "median", "min", "max", "passes"};
    struct mpb_md_table table;
    mpb_md_heading(f, 3, "%s: %s", scenario, model->session->arm[0].label);
    mpb_md_begin(&table, f, "lrrrr");
    mpb_md_cells(&table, head, MPB_ARRAY_LEN(head));
    for (size_t i = 0; i < model->n_summary; i++) {
        const struct mpb_summary_row *row = &model->summary[i];
        if (strcmp(row->scenario, scenario) == 0 && is_wanted(lines, row->metric, row->class_)) {
            put_own_line(model, row, &table);
        }
    }
    mpb_md_end(&table);
}

enum mpb_status mpb_md_lines_write(const struct mpb_model *model, const struct mpb_md_lines *lines,
                                   FILE *f, struct mpb_error *err)
{
    const struct mpb_session *s = model->session;
    enum mpb_status st = MPB_OK;
    for (size_t i = 0; s->n_arms == 1 && i < s->n_scenarios; i++) {
        put_own(model, mpb_names_text(&s->names, s->scenario[i]), lines, f);
    }
    for (size_t i = 0; s->n_arms > 1 && st == MPB_OK && i < model->n_scenarios; i++) {
        st = put_pair(model, &model->scenario[i], lines, f, err);
    }
    if (s->n_arms > 1 && model->n_scenarios == 0) {
        mpb_md_paragraph(f, "n/a: nothing was compared.");
    }
    return st;
}
