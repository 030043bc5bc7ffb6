/* md_raw.c: rows of the session, not of the model: nothing is averaged here. */
#include "reports/md_raw.h"

#include <math.h>
#include <string.h>

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
    uint16_t max_run;
    size_t cursor; /* rows of a pass stand together: the next look-up starts here */
};

/* The row of a pass, run and metric, NULL if there is none. */
static const struct mpb_row *find_row(struct raw *raw, const struct mpb_pass *pass, uint16_t run,
                                      size_t column)
{
    const struct mpb_session *s = raw->session;
    for (size_t n = 0; raw->known[column] && n < s->n_rows; n++) {
        size_t i = (raw->cursor + n) % s->n_rows;
        const struct mpb_row *row = &s->row[i];
        if (row->pass == pass->pass && row->arm == pass->arm && row->scenario == pass->scenario &&
            row->run == run && row->metric == raw->metric[column]) {
            raw->cursor = i;
            return row;
        }
    }
    return NULL;
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
        raw->max_run = row->run > raw->max_run ? row->run : raw->max_run;
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

/* A pass's run, if it has any of the values. */
static void put_run(struct raw *raw, const struct mpb_pass *pass, uint16_t run,
                    struct mpb_md_table *table)
{
    char text[N_SHOWN][64];
    bool any = false;
    for (size_t c = 0; c < N_SHOWN; c++) {
        const struct mpb_row *row = find_row(raw, pass, run, c);
        mpb_units_format(row != NULL ? mpb_session_row_real(row) : (double)NAN, &raw->scale[c],
                         text[c], sizeof(text[c]));
        any = any || row != NULL;
    }
    if (!any) {
        return;
    }
    put_pass_cells(raw, pass, table);
    mpb_md_cellf(table, "%u", run);
    for (size_t c = 0; c < N_SHOWN; c++) {
        mpb_md_cell(table, text[c]);
    }
    mpb_md_cell(table, "accepted");
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
        for (uint16_t run = 1; pass->accepted && pass->kind == MPB_KIND_TIMED && run <= raw.max_run;
             run++) {
            put_run(&raw, pass, run, &table);
        }
    }
    mpb_md_end(&table);
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
