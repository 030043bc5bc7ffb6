/* cells.c: rows to cells. */
#include "reports/cells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/units.h"

/* A row on its way to a line: the two values as they will be shown. */
struct shown {
    const struct mpb_model *model;
    const struct mpb_ab_row *row;
    double value[2], low[2], high[2]; /* low, high: what an exact metric varied between */
    double messages[2];               /* what values were divided by; 1 if by nothing */
    bool per_message;
    struct mpb_scale scale;
};

double mpb_cells_messages(const struct mpb_model *model, size_t arm, const char *scenario, int run)
{
    const struct mpb_summary_row *row = mpb_model_find_summary(
        model, arm, scenario, mpb_metric_info(MPB_METRIC_MESSAGES)->name, run);
    return row != NULL && row->median > 0 ? row->median : (double)NAN;
}

bool mpb_cells_is_per_message(const char *metric)
{
    const struct mpb_metric_info *info = mpb_metric_find(metric);
    return info != NULL && info->class_ == MPB_CLASS_EXACT && info->shape == MPB_SHAPE_SUM;
}

bool mpb_cells_is_part(const char *metric)
{
    return strchr(metric, '/') != NULL && mpb_metric_find(metric) != NULL;
}

bool mpb_cells_is_worse(const struct mpb_ab_row *row)
{
    return row->verdict == MPB_VERDICT_REGRESSED ||
           (row->verdict == MPB_VERDICT_NEW && row->better == MPB_BETTER_LOWER);
}

bool mpb_cells_wants_reason(const struct mpb_ab_row *row)
{
    switch (row->verdict) {
    case MPB_VERDICT_INCONCLUSIVE:
    case MPB_VERDICT_MISSING:
    case MPB_VERDICT_NOT_COMPARABLE:
    case MPB_VERDICT_NA:
        return row->reason[0] != '\0';
    case MPB_VERDICT_EQUAL:
    case MPB_VERDICT_IMPROVED:
    case MPB_VERDICT_REGRESSED:
    case MPB_VERDICT_UNCHANGED:
    case MPB_VERDICT_CHANGED:
    case MPB_VERDICT_NEW:
    case MPB_VERDICT__COUNT:
        break;
    }
    return false;
}

void mpb_cells_confidence(double level, char *out, size_t cap)
{
    snprintf(out, cap, "%.4g %%", (1 - level) * 100);
}

/* The values of one side, divided by what they are shown per. */
static void show_side(struct shown *s, size_t side, double value, size_t arm)
{
    const struct mpb_ab_row *row = s->row;
    const struct mpb_summary_row *own =
        mpb_model_find_summary(s->model, arm, row->scenario, row->metric, row->run);
    bool varies = own != NULL && row->class_ == MPB_CLASS_EXACT && own->max > own->min;
    s->value[side] = value / s->messages[side];
    s->low[side] = varies ? own->min / s->messages[side] : (double)NAN;
    s->high[side] = varies ? own->max / s->messages[side] : (double)NAN;
}

/* Up to two more decimals where two different values would be printed as the same. */
static void tell_apart(struct shown *s)
{
    bool differ = fabs(s->value[0] - s->value[1]) > 0;
    for (int more = 0; differ && more < 2 && s->scale.divisor > 1; more++) {
        char a[64], b[64];
        mpb_units_format(s->value[0], &s->scale, a, sizeof(a));
        mpb_units_format(s->value[1], &s->scale, b, sizeof(b));
        if (strcmp(a, b) != 0) {
            return;
        }
        s->scale.decimals++;
    }
}

static struct shown show(const struct mpb_model *model, const struct mpb_ab_row *row)
{
    struct shown s = {.model = model, .row = row, .messages = {1, 1}};
    double a = mpb_cells_messages(model, row->a_arm, row->scenario, row->run);
    double b = mpb_cells_messages(model, row->b_arm, row->scenario, row->run);
    s.per_message = mpb_cells_is_per_message(row->metric) && isfinite(a) && isfinite(b);
    if (s.per_message) {
        s.messages[0] = a;
        s.messages[1] = b;
    }
    show_side(&s, 0, row->a, row->a_arm);
    show_side(&s, 1, row->b, row->b_arm);
    const double all[] = {s.value[0], s.value[1], s.low[0], s.high[0], s.low[1], s.high[1]};
    s.scale = mpb_units_scale(row->unit, all, MPB_ARRAY_LEN(all));
    if (s.per_message && strcmp(row->unit, "count") == 0) {
        s.scale.decimals = 3;
    }
    tell_apart(&s);
    return s;
}

static void put_cell(const struct shown *s, size_t side, char *out, size_t cap)
{
    bool is_count = s->row->is_integer && !s->per_message && strcmp(s->row->unit, "count") == 0;
    if (is_count && isfinite(s->value[side])) {
        /* A digest has more digits than a double. */
        mpb_units_integer(side == 0 ? s->row->a_exact : s->row->b_exact, out, cap);
        return;
    }
    if (!isfinite(s->low[side])) {
        mpb_units_format(s->value[side], &s->scale, out, cap);
        return;
    }
    char low[48], high[48];
    mpb_units_format(s->low[side], &s->scale, low, sizeof(low));
    mpb_units_format(s->high[side], &s->scale, high, sizeof(high));
    snprintf(out, cap, "%s .. %s", low, high);
}

static bool has_digit_above_zero(const char *text)
{
    return strpbrk(text, "123456789") != NULL;
}

/* An exact difference: counts as a count, all others as a share. What is too small for that is
 * said as a total. */
static void put_difference(const struct shown *s, char *out, size_t cap)
{
    if (strcmp(s->row->unit, "count") == 0) {
        snprintf(out, cap, "%+.*f", s->per_message ? 3 : 0, s->value[1] - s->value[0]);
    } else {
        mpb_units_change(s->value[1] / s->value[0], out, cap);
    }
    if (!has_digit_above_zero(out)) {
        snprintf(out, cap, "%+.0f in total", s->row->b - s->row->a);
    }
}

static void put_change(const struct shown *s, char *out, size_t cap)
{
    switch (s->row->verdict) {
    case MPB_VERDICT_EQUAL:
    case MPB_VERDICT_NEW:
        snprintf(out, cap, "%s", mpb_model_verdict_word(s->row->verdict));
        return;
    case MPB_VERDICT_MISSING:
    case MPB_VERDICT_NOT_COMPARABLE:
    case MPB_VERDICT_NA:
        snprintf(out, cap, "n/a");
        return;
    case MPB_VERDICT_IMPROVED:
    case MPB_VERDICT_REGRESSED:
    case MPB_VERDICT_UNCHANGED:
    case MPB_VERDICT_CHANGED:
    case MPB_VERDICT_INCONCLUSIVE:
    case MPB_VERDICT__COUNT:
        break;
    }
    if (s->row->class_ == MPB_CLASS_EXACT && isfinite(s->row->a) && isfinite(s->row->b)) {
        put_difference(s, out, cap);
    } else {
        mpb_units_change(s->row->ratio, out, cap);
    }
}

static void fill_line(const struct mpb_model *model, const struct mpb_ab_row *row,
                      struct mpb_cells_line *line)
{
    struct shown s = show(model, row);
    *line = (struct mpb_cells_line){.row = row, .per_message = s.per_message};
    put_cell(&s, 0, line->a, sizeof(line->a));
    put_cell(&s, 1, line->b, sizeof(line->b));
    put_change(&s, line->change, sizeof(line->change));
    if (row->class_ != MPB_CLASS_EXACT) {
        mpb_units_interval(row->low, row->high, line->interval, sizeof(line->interval));
    }
    mpb_model_verdict_text(row, line->verdict, sizeof(line->verdict));
}

static bool same_metric(const struct mpb_cells_line *x, const struct mpb_cells_line *y)
{
    return strcmp(x->row->metric, y->row->metric) == 0;
}

static bool says_the_same(const struct mpb_cells_line *x, const struct mpb_cells_line *y)
{
    return x->row->run > 0 && y->row->run > 0 && x->per_message == y->per_message &&
           x->row->verdict == y->row->verdict && strcmp(x->a, y->a) == 0 &&
           strcmp(x->b, y->b) == 0 && strcmp(x->change, y->change) == 0;
}

static void name_line(struct mpb_cells_line *line, bool with_run)
{
    bool total = mpb_cells_is_per_message(line->row->metric) && !line->per_message;
    char run[32] = "";
    if (with_run && line->row->run == 0) {
        snprintf(run, sizeof(run), " (process)");
    } else if (with_run && line->row->run > 0) {
        snprintf(run, sizeof(run), " run %d", line->row->run);
    }
    snprintf(line->name, sizeof(line->name), "%.110s%s%s", line->row->metric, run,
             total ? " (total)" : "");
}

/* Fold the runs of one metric, line[n] in run order, into one line where they say the same, and
 * name what is left. Returns how many are left. */
static size_t fold_runs(struct mpb_cells_line *line, size_t n)
{
    size_t n_runs = 0;
    bool same = true;
    for (size_t i = 0; i < n; i++) {
        n_runs += line[i].row->run != 0;
        same = same && (line[i].row->run == 0 || says_the_same(&line[0], &line[i]));
    }
    size_t left = 0;
    for (size_t i = 0; i < n; i++) {
        if (!same || i == 0 || line[i].row->run == 0) {
            line[left] = line[i];
            name_line(&line[left], n > 1 && (line[i].row->run == 0 || (!same && n_runs > 1)));
            left++;
        }
    }
    return left;
}

static void fold(struct mpb_cells *lines)
{
    size_t left = 0;
    for (size_t i = 0; i < lines->n;) {
        size_t n = 1;
        while (i + n < lines->n && same_metric(&lines->line[i], &lines->line[i + n])) {
            n++;
        }
        size_t kept = fold_runs(&lines->line[i], n);
        memmove(&lines->line[left], &lines->line[i], kept * sizeof(*lines->line));
        left += kept;
        i += n;
    }
    lines->n = left;
}

/* Where a line belongs; smaller is earlier. */
static double rank_of(const struct mpb_cells_line *line, const char *headline)
{
    static const int class_rank[MPB_CLASS__COUNT] = {
        [MPB_CLASS_TIMED] = 0, [MPB_CLASS_EXACT] = 1, [MPB_CLASS_LEVEL] = 2};
    double rank = 4.0 * class_rank[line->row->class_];
    double size = fabs(log(line->row->ratio));
    if (strcmp(line->row->metric, headline) == 0) {
        return rank;
    }
    if (mpb_cells_is_worse(line->row)) {
        return rank + (isfinite(size) ? 1 + 1 / (1 + size) : 1);
    }
    return rank + 3;
}

/* Stable: lines of one rank keep the order of the metrics. */
static void sort_lines(struct mpb_cells *lines, const char *headline)
{
    for (size_t i = 1; i < lines->n; i++) {
        struct mpb_cells_line line = lines->line[i];
        size_t at = i;
        while (at > 0 && rank_of(&lines->line[at - 1], headline) > rank_of(&line, headline)) {
            lines->line[at] = lines->line[at - 1];
            at--;
        }
        lines->line[at] = line;
    }
}

enum mpb_status mpb_cells_open(const struct mpb_model *model, const struct mpb_scenario_note *note,
                               const struct mpb_cells_filter *filter, struct mpb_cells *out,
                               struct mpb_error *err)
{
    struct mpb_cells lines = {.line = calloc(model->n_ab + 1, sizeof(*lines.line))};
    if (lines.line == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "report", NULL);
    }
    for (size_t i = 0; i < model->n_ab; i++) {
        const struct mpb_ab_row *row = &model->ab[i];
        if (row->a_arm == note->a_arm && row->b_arm == note->b_arm &&
            strcmp(row->scenario, note->scenario) == 0 && filter->keep(row, filter->ctx)) {
            fill_line(model, row, &lines.line[lines.n++]);
        }
    }
    fold(&lines);
    sort_lines(&lines, note->headline);
    *out = lines;
    return MPB_OK;
}

void mpb_cells_close(struct mpb_cells *lines)
{
    free(lines->line);
    *lines = (struct mpb_cells){0};
}

/* Counts worth a sentence, with their words. */
static const struct {
    enum mpb_metric metric;
    const char *one, *many;
} told_counts[] = {
    {MPB_METRIC_COPIES, "copy", "copies"},
    {MPB_METRIC_DECODES, "decode", "decodes"},
    {MPB_METRIC_HASHES, "hash", "hashes"},
    {MPB_METRIC_ENCODES, "encode", "encodes"},
};

/* 3 decimals, without zeros at the end. */
static void put_short(double value, char *out, size_t cap)
{
    snprintf(out, cap, "%.3f", value);
    size_t n = strlen(out);
    while (n > 0 && out[n - 1] == '0') {
        out[--n] = '\0';
    }
    if (n > 0 && out[n - 1] == '.') {
        out[n - 1] = '\0';
    }
}

static const struct mpb_ab_row *find_told(const struct mpb_model *model,
                                          const struct mpb_scenario_note *note, size_t i)
{
    const struct mpb_ab_row *row =
        mpb_model_find_ab(model, note->scenario, mpb_metric_info(told_counts[i].metric)->name, 1,
                          note->a_arm, note->b_arm);
    bool told =
        row != NULL && (row->verdict == MPB_VERDICT_IMPROVED ||
                        row->verdict == MPB_VERDICT_REGRESSED || row->verdict == MPB_VERDICT_NEW);
    return told ? row : NULL;
}

void mpb_cells_counts(const struct mpb_model *model, const struct mpb_scenario_note *note,
                      char *out, size_t cap)
{
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; i < MPB_ARRAY_LEN(told_counts) && n < cap; i++) {
        const struct mpb_ab_row *row = find_told(model, note, i);
        if (row == NULL) {
            continue;
        }
        struct shown s = show(model, row);
        double delta = s.value[1] - s.value[0];
        char number[64];
        put_short(fabs(delta), number, sizeof(number));
        n += (size_t)snprintf(out + n, cap - n, "%s%s %s %s", n > 0 ? ", " : "", number,
                              delta < 0 ? "fewer" : "more",
                              strcmp(number, "1") == 0 ? told_counts[i].one : told_counts[i].many);
    }
}
