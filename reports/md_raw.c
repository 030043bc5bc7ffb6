/* md_raw.c: rows of the session, not of the model: nothing is averaged here. */
#include "reports/md_raw.h"

#include <math.h>
#include <stdlib.h>

#include "reports/md.h"
#include "reports/units.h"

/* The columns of measured values. */
static const enum mpb_metric shown[] = {
    MPB_METRIC_WALL,
    MPB_METRIC_MSG_PER_S,
    MPB_METRIC_NS_PER_MSG_P50,
    MPB_METRIC_NS_PER_MSG_P99,
};
#define N_SHOWN MPB_ARRAY_LEN(shown)

struct raw {
    const struct mpb_session *session;
    uint16_t scenario;
    bool known[N_SHOWN]; /* any row has the metric */
    uint16_t metric[N_SHOWN];
    struct mpb_scale scale[N_SHOWN];
    const struct mpb_row **row; /* those shown: sorted by arm, pass and run */
    size_t n_rows;
};

/* The column of a row, N_SHOWN when it is not shown. */
static size_t column_of(const struct raw *raw, const struct mpb_row *row)
{
    size_t c = 0;
    while (c < N_SHOWN && !(raw->known[c] && raw->metric[c] == row->metric)) {
        c++;
    }
    return row->scenario == raw->scenario && row->run >= 1 ? c : N_SHOWN;
}

static int compare_rows(const void *a, const void *b)
{
    const struct mpb_row *x = *(const struct mpb_row *const *)a;
    const struct mpb_row *y = *(const struct mpb_row *const *)b;
    if (x->arm != y->arm) {
        return x->arm < y->arm ? -1 : 1;
    }
    if (x->pass != y->pass) {
        return x->pass < y->pass ? -1 : 1;
    }
    return (x->run > y->run) - (x->run < y->run);
}

static bool sort_rows(struct raw *raw)
{
    const struct mpb_session *s = raw->session;
    raw->row = calloc(s->n_rows + 1, sizeof(const struct mpb_row *));
    if (raw->row == NULL) {
        return false;
    }
    for (size_t i = 0; i < s->n_rows; i++) {
        if (column_of(raw, &s->row[i]) < N_SHOWN) {
            raw->row[raw->n_rows++] = &s->row[i];
        }
    }
    qsort(raw->row, raw->n_rows, sizeof(const struct mpb_row *), compare_rows);
    return true;
}

/* Where the rows of a pass begin, or would. */
static size_t first_row(const struct raw *raw, const struct mpb_pass *pass)
{
    const struct mpb_row key = {.arm = pass->arm, .pass = pass->pass};
    const struct mpb_row *wanted = &key;
    size_t low = 0, high = raw->n_rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_rows(&raw->row[middle], &wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* One scale for a column: from its smallest, largest and one value that is not whole. */
static void scale_column(struct raw *raw, size_t column)
{
    const struct mpb_session *s = raw->session;
    const struct mpb_metric_info *info = mpb_metric_info(shown[column]);
    double seen[3] = {NAN, NAN, NAN};
    raw->known[column] = mpb_names_find(&s->names, info->name, &raw->metric[column]);
    for (size_t i = 0; raw->known[column] && i < s->n_rows; i++) {
        const struct mpb_row *row = &s->row[i];
        if (row->scenario != raw->scenario || row->metric != raw->metric[column]) {
            continue;
        }
        double value = mpb_session_row_real(row);
        seen[0] = isfinite(seen[0]) && seen[0] < value ? seen[0] : value;
        seen[1] = isfinite(seen[1]) && seen[1] > value ? seen[1] : value;
        seen[2] = row->is_integer ? seen[2] : value;
    }
    raw->scale[column] = mpb_units_scale(mpb_metric_unit_name(info->unit), seen, 3);
}

static void put_pass_cells(const struct raw *raw, const struct mpb_pass *pass,
                           struct mpb_md_table *table)
{
    mpb_md_cell(table, raw->session->arm[pass->arm].label);
    mpb_md_cellf(table, "%u", pass->pass);
    if (pass->kind == MPB_KIND_TIMED) {
        mpb_md_cellf(table, "%u", pass->block);
        mpb_md_cellf(table, "%u", pass->slot);
    } else {
        mpb_md_cell(table, mpb_session_kind_name(pass->kind));
        mpb_md_cell(table, "");
    }
}

/* The rows from `at` on that are of one run of a pass; returns where the next run begins. */
static size_t put_run(const struct raw *raw, const struct mpb_pass *pass, size_t at,
                      struct mpb_md_table *table)
{
    double value[N_SHOWN];
    uint16_t run = raw->row[at]->run;
    for (size_t c = 0; c < N_SHOWN; c++) {
        value[c] = (double)NAN;
    }
    put_pass_cells(raw, pass, table);
    mpb_md_cellf(table, "%u", run);
    for (const struct mpb_row *first = raw->row[at];
         at < raw->n_rows && compare_rows(&raw->row[at], &first) == 0; at++) {
        value[column_of(raw, raw->row[at])] = mpb_session_row_real(raw->row[at]);
    }
    for (size_t c = 0; c < N_SHOWN; c++) {
        char text[64];
        mpb_units_format(value[c], &raw->scale[c], text, sizeof(text));
        mpb_md_cell(table, text);
    }
    mpb_md_cell(table, "accepted");
    return at;
}

/* Every run of a pass that has any of the values. */
static void put_runs(const struct raw *raw, const struct mpb_pass *pass, struct mpb_md_table *table)
{
    size_t at = first_row(raw, pass);
    while (at < raw->n_rows && raw->row[at]->arm == pass->arm && raw->row[at]->pass == pass->pass) {
        at = put_run(raw, pass, at, table);
    }
}

static void put_failed(const struct raw *raw, const struct mpb_pass *pass,
                       struct mpb_md_table *table)
{
    put_pass_cells(raw, pass, table);
    for (size_t i = 0; i < 1 + N_SHOWN; i++) {
        mpb_md_cell(table, "");
    }
    mpb_md_cellf(table, "not accepted: %s", pass->reason);
}

static void put_scenario(const struct mpb_session *s, uint16_t scenario, FILE *f)
{
    static const char *const head[] = {"arm",  "pass",      "block", "slot", "run",
                                       "wall", "msg_per_s", "p50",   "p99",  "accepted"};
    struct raw raw = {.session = s, .scenario = scenario};
    struct mpb_md_table table;
    for (size_t c = 0; c < N_SHOWN; c++) {
        scale_column(&raw, c);
    }
    if (!sort_rows(&raw)) {
        return;
    }
    mpb_md_heading(f, 3, "%s", mpb_names_text(&s->names, scenario));
    mpb_md_begin(&table, f, "lrrrrrrrrl");
    mpb_md_cells(&table, head, MPB_ARRAY_LEN(head));
    for (size_t i = 0; i < s->n_passes; i++) {
        const struct mpb_pass *pass = &s->pass[i];
        if (pass->scenario != scenario) {
            continue;
        }
        if (!pass->accepted) {
            put_failed(&raw, pass, &table);
        }
        if (pass->accepted && pass->kind == MPB_KIND_TIMED) {
            put_runs(&raw, pass, &table);
        }
    }
    mpb_md_end(&table);
    free(raw.row);
}

void mpb_md_raw_write(const struct mpb_model *model, FILE *f)
{
    const struct mpb_session *s = model->session;
    mpb_md_heading(f, 2, "Raw rows");
    mpb_md_paragraph(f, "Every timed pass in the order they ran, one row a run, not averaged; and "
                        "every pass that was not accepted. All metrics: rows.csv.");
    for (size_t i = 0; i < s->n_scenarios; i++) {
        put_scenario(s, s->scenario[i], f);
    }
}
