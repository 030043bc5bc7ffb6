/* writer_console.c: the result for a terminal: one block a scenario and pair, one unit a row, at
 * most 100 columns for names of ordinary length, no colours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/caution.h"
#include "reports/cells.h"
#include "reports/units.h"
#include "reports/writer.h"

#define LINE_WIDTH 100

/* A column's width; negative: text stands on the left. */
static const int ab_widths[] = {-23, 13, 13, 11, 17, -21};
static const int own_widths[] = {-23, 14, 32, 8};

/* What the report has and a terminal need not show: it repeats another row, or is the harness's. */
static const enum mpb_metric left_to_report[] = {
    MPB_METRIC_WALL,        MPB_METRIC_LOOP_WALL,        MPB_METRIC_FREES,
    MPB_METRIC_FREED_BYTES, MPB_METRIC_CLOCK_RESOLUTION, MPB_METRIC_CLOCK_READ,
};

/* Characters of UTF-8 text. */
static int count_characters(const char *text)
{
    int n = 0;
    for (; *text != '\0'; text++) {
        n += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return n;
}

/* A terminal obeys the controls of ASCII and those of U+0080 to U+009F. */
static void put_plain(FILE *f, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text, next = (unsigned char)text[1];
        if (c == 0xc2 && (next & 0xe0) == 0x80) {
            c = 0x7f;
            text++;
        }
        putc(c < 0x20 || c == 0x7f ? '?' : c, f);
    }
}

static void put_spaces(FILE *f, int n)
{
    for (int i = 0; i < n; i++) {
        putc(' ', f);
    }
}

/* One row of cells. A first cell that is too long gets a line of its own; blanks at the end of a
 * line are never written. */
static void put_row(FILE *f, const int *widths, const char *const *cells, size_t n)
{
    size_t last = n;
    int pending = 0;
    while (last > 1 && cells[last - 1][0] == '\0') {
        last--;
    }
    for (size_t i = 0; i < last; i++) {
        int width = abs(widths[i]), missing = width - count_characters(cells[i]);
        bool left = widths[i] < 0;
        if (left && i > 0) {
            pending += 2;
        }
        put_spaces(f, pending + (left || missing < 0 ? 0 : missing));
        if (!left && missing <= 0) {
            putc(' ', f);
        }
        put_plain(f, cells[i]);
        pending = left && missing > 0 ? missing : 0;
        if (i == 0 && missing < 0 && last > 1) {
            putc('\n', f);
            pending = width;
        }
    }
    putc('\n', f);
}

/* A sentence, broken between words at the line's width, further lines indented. */
static void put_wrapped(FILE *f, const char *prefix, const char *text)
{
    int column = count_characters(prefix);
    bool begins = true;
    fputs(prefix, f);
    while (*(text += strspn(text, " ")) != '\0') {
        char word[LINE_WIDTH * 4];
        size_t len = strcspn(text, " ");
        snprintf(word, sizeof(word), "%.*s", (int)len, text);
        int width = count_characters(word);
        if (!begins && column + 1 + width > LINE_WIDTH) {
            fputs("\n  ", f);
            column = 2;
        } else if (!begins) {
            putc(' ', f);
            column++;
        }
        put_plain(f, word);
        column += width;
        text += len;
        begins = false;
    }
    putc('\n', f);
}

static bool is_left_to_report(const char *metric)
{
    for (size_t i = 0; i < MPB_ARRAY_LEN(left_to_report); i++) {
        if (strcmp(metric, mpb_metric_info(left_to_report[i])->name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_zero(double x)
{
    return !(fabs(x) > 0);
}

static bool keep(const struct mpb_ab_row *row, const void *ctx)
{
    (void)ctx;
    const struct mpb_metric_info *info = mpb_metric_find(row->metric);
    if (mpb_cells_is_part(row->metric)) {
        return false;
    }
    if (mpb_cells_is_worse(row)) {
        return true;
    }
    if (is_left_to_report(row->metric) || (is_zero(row->a) && is_zero(row->b))) {
        return false;
    }
    /* That the same work was done is what comparing means. */
    bool work = info != NULL && info->class_ == MPB_CLASS_EXACT && info->better == MPB_BETTER_NONE;
    return !work || row->verdict != MPB_VERDICT_EQUAL;
}

static void put_blocks(const struct mpb_scenario_note *note, char *out, size_t cap)
{
    if (note->blocks_done == note->blocks_planned) {
        snprintf(out, cap, "%s   %u block%s", note->scenario, note->blocks_done,
                 note->blocks_done == 1 ? "" : "s");
    } else {
        snprintf(out, cap, "%s   %u of %u blocks", note->scenario, note->blocks_done,
                 note->blocks_planned);
    }
}

static void put_head(const struct mpb_session *s, const struct mpb_scenario_note *note, FILE *f)
{
    char title[256], a[64], b[64], confidence[16], interval[32];
    put_blocks(note, title, sizeof(title));
    mpb_cells_confidence(s->plan.level, confidence, sizeof(confidence));
    snprintf(a, sizeof(a), "%.50s", s->arm[note->a_arm].label);
    snprintf(b, sizeof(b), "%.50s", s->arm[note->b_arm].label);
    snprintf(interval, sizeof(interval), "%s interval", confidence);
    const char *cells[] = {title, a, b, "change", interval, "verdict"};
    put_row(f, ab_widths, cells, MPB_ARRAY_LEN(cells));
}

/* What the session could see; with one arm (its own pair), only its noise. */
static void put_resolution(const struct mpb_scenario_note *note, FILE *f)
{
    char noise[32], mde[32], effect[32], range[64], text[320], seen[96] = "";
    mpb_units_share(note->noise_floor, noise, sizeof(noise));
    mpb_units_share(note->mde80, mde, sizeof(mde));
    mpb_units_change(1 + note->order_effect, effect, sizeof(effect));
    mpb_units_interval(1 + note->order_low, 1 + note->order_high, range, sizeof(range));
    if (note->a_arm != note->b_arm) {
        snprintf(seen, sizeof(seen), " smallest effect at 80 %% power %s,", mde);
    }
    snprintf(text, sizeof(text), "noise floor %s (A/A),%s order effect %s [%s]", noise, seen,
             effect, range);
    put_wrapped(f, "", text);
    if (!isfinite(note->order_low)) {
        fprintf(f, "  n/a: too few blocks (%u)\n", note->blocks_done);
    }
}

static bool same_reason(const struct mpb_cells_line *x, const struct mpb_cells_line *y)
{
    return mpb_cells_wants_reason(x->row) && x->row->verdict == y->row->verdict &&
           strcmp(x->row->reason, y->row->reason) == 0;
}

/* Each reason for a verdict that settles nothing, once, with the rows it holds for. */
static void put_reasons(const struct mpb_cells *lines, FILE *f)
{
    for (size_t i = 0; i < lines->n; i++) {
        bool first = mpb_cells_wants_reason(lines->line[i].row);
        for (size_t j = 0; first && j < i; j++) {
            first = !same_reason(&lines->line[i], &lines->line[j]);
        }
        if (!first) {
            continue;
        }
        char text[512];
        size_t n = 0;
        for (size_t j = i; j < lines->n; j++) {
            n += same_reason(&lines->line[i], &lines->line[j]);
        }
        snprintf(text, sizeof(text), "%s (%s%s): %s",
                 mpb_model_verdict_word(lines->line[i].row->verdict), lines->line[i].name,
                 n > 1 ? " and others" : "", lines->line[i].row->reason);
        put_wrapped(f, "  ", text);
    }
}

static enum mpb_status put_pair(const struct mpb_model *model, const struct mpb_scenario_note *note,
                                FILE *f, struct mpb_error *err)
{
    struct mpb_cells lines = {0};
    const struct mpb_cells_filter filter = {.keep = keep};
    bool per_message = false;
    enum mpb_status st = mpb_cells_open(model, note, &filter, &lines, err);
    if (st != MPB_OK) {
        return st;
    }
    put_head(model->session, note, f);
    for (size_t i = 0; i < lines.n; i++) {
        const struct mpb_cells_line *line = &lines.line[i];
        char name[sizeof(line->name) + 2];
        snprintf(name, sizeof(name), "  %s", line->name);
        const char *cells[] = {name, line->a, line->b, line->change, line->interval, line->verdict};
        put_row(f, ab_widths, cells, MPB_ARRAY_LEN(cells));
        per_message = per_message || line->per_message;
    }
    if (per_message) {
        fputs("  exact rows: per message (a run's total / its messages), compared as integers\n",
              f);
    }
    put_reasons(&lines, f);
    put_resolution(note, f);
    putc('\n', f);
    mpb_cells_close(&lines);
    return MPB_OK;
}

/* One arm's metric: median, range, passes; exact additive ones per message. */
static void put_own_row(const struct mpb_model *model, const struct mpb_summary_row *row, FILE *f)
{
    double messages = mpb_cells_is_per_message(row->metric)
                          ? mpb_cells_messages(model, row->arm, row->scenario, row->run)
                          : 1;
    bool total = !isfinite(messages);
    messages = total ? 1 : messages;
    const double values[] = {row->median / messages, row->min / messages, row->max / messages};
    struct mpb_scale scale = mpb_units_scale(row->unit, values, MPB_ARRAY_LEN(values));
    if (mpb_cells_is_per_message(row->metric) && !total && strcmp(row->unit, "count") == 0) {
        scale.decimals = 3;
    }
    char name[160], median[64], low[64], high[64], range[140] = "", n[16], run[16] = "";
    if (row->run > 1) {
        snprintf(run, sizeof(run), " run %d", row->run);
    }
    snprintf(name, sizeof(name), "  %.120s%s%s", row->metric, run, total ? " (total)" : "");
    mpb_units_format(values[0], &scale, median, sizeof(median));
    mpb_units_format(values[1], &scale, low, sizeof(low));
    mpb_units_format(values[2], &scale, high, sizeof(high));
    if (values[2] > values[1] || row->class_ != MPB_CLASS_EXACT) {
        snprintf(range, sizeof(range), "%s .. %s", low, high);
    }
    snprintf(n, sizeof(n), "%u", row->n);
    const char *cells[] = {name, median, range, n};
    put_row(f, own_widths, cells, MPB_ARRAY_LEN(cells));
}

/* Run 2 of an exact metric is shown only where it is not run 1. */
static bool keep_own(const struct mpb_model *model, const struct mpb_summary_row *row)
{
    bool work = row->class_ == MPB_CLASS_EXACT && row->better == MPB_BETTER_NONE;
    if (mpb_cells_is_part(row->metric) || is_left_to_report(row->metric) || is_zero(row->max) ||
        work) {
        return false;
    }
    const struct mpb_summary_row *first =
        mpb_model_find_summary(model, row->arm, row->scenario, row->metric, 1);
    return row->run < 2 || first == NULL || row->median < first->median ||
           row->median > first->median;
}

static void put_own(const struct mpb_model *model, const char *scenario, FILE *f)
{
    static const enum mpb_class classes[] = {MPB_CLASS_TIMED, MPB_CLASS_EXACT, MPB_CLASS_LEVEL};
    char title[256];
    snprintf(title, sizeof(title), "%.200s   %.40s", scenario, model->session->arm[0].label);
    const char *cells[] = {title, "median", "min .. max", "passes"};
    put_row(f, own_widths, cells, MPB_ARRAY_LEN(cells));
    for (size_t c = 0; c < MPB_ARRAY_LEN(classes); c++) {
        for (size_t i = 0; i < model->n_summary; i++) {
            const struct mpb_summary_row *row = &model->summary[i];
            if (row->class_ == classes[c] && strcmp(row->scenario, scenario) == 0 &&
                keep_own(model, row)) {
                put_own_row(model, row, f);
            }
        }
    }
    fputs("  counts and cumulative bytes are per message (a run's total / its messages)\n", f);
    for (size_t i = 0; i < model->n_scenarios; i++) {
        if (strcmp(model->scenario[i].scenario, scenario) == 0) {
            put_resolution(&model->scenario[i], f);
        }
    }
    putc('\n', f);
}

static void put_warning(void *ctx, const char *sentence)
{
    put_wrapped(ctx, "warning: ", sentence);
}

static enum mpb_status write_console(const struct mpb_model *model, FILE *f, struct mpb_error *err)
{
    const struct mpb_session *s = model->session;
    enum mpb_status st = MPB_OK;
    for (size_t i = 0; s->n_arms == 1 && i < s->n_scenarios; i++) {
        put_own(model, mpb_names_text(&s->names, s->scenario[i]), f);
    }
    for (size_t i = 0; s->n_arms > 1 && st == MPB_OK && i < model->n_scenarios; i++) {
        st = put_pair(model, &model->scenario[i], f, err);
    }
    if (s->n_arms > 1 && model->n_ab == 0) {
        fputs("nothing was compared: no pass of two arms counts\n", f);
    }
    if (st == MPB_OK) {
        mpb_caution_each(model, put_warning, f);
    }
    return st;
}

const struct mpb_writer mpb_writer_console = {
    .name = "console",
    .file_name = NULL,
    .doc = "the result as a terminal shows it",
    .write = write_console,
};
