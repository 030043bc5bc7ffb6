/* writer_csv.c: ab.csv, the A/B table for programs. */
#include "reports/csv.h"
#include "reports/units.h"
#include "reports/writer.h"

#include <math.h>
#include <stdlib.h>

/* The columns of ab.csv, in order. Others script against them: append, never change. */
/* clang-format off */
#define COLUMN_LIST(X) \
    X(scenario) X(run) X(metric) X(unit) X(class) X(better) X(a_arm) X(b_arm) X(a) X(b) X(ratio) \
    X(low) X(high) X(level) X(p) X(trimmed) X(sign_low) X(sign_high) X(mde80) X(blocks) X(look) \
    X(verdict) X(reason)
/* clang-format on */

static const char *const columns[] = {
#define X(name) #name,
    COLUMN_LIST(X)
#undef X
};

enum column {
#define X(name) COLUMN_##name,
    COLUMN_LIST(X)
#undef X
        COLUMN__COUNT
};

/* One record: text that was made for it, and borrowed text. */
struct record {
    char made[COLUMN__COUNT][64];
    const char *field[COLUMN__COUNT];
};

static void put_text(struct record *r, enum column column, const char *text)
{
    r->field[column] = text;
}

static void put_real(struct record *r, enum column column, double value)
{
    mpb_units_csv(value, r->made[column], sizeof(r->made[column]));
    r->field[column] = r->made[column];
}

static void put_integer(struct record *r, enum column column, uint64_t value)
{
    snprintf(r->made[column], sizeof(r->made[column]), "%llu", (unsigned long long)value);
    r->field[column] = r->made[column];
}

/* The names: which row this is. */
static void put_key(struct record *r, const struct mpb_ab_row *row, const struct mpb_session *s)
{
    put_text(r, COLUMN_scenario, row->scenario);
    if (row->run == MPB_RUN_MEAN) {
        put_text(r, COLUMN_run, "mean");
    } else {
        put_integer(r, COLUMN_run, (uint64_t)row->run);
    }
    put_text(r, COLUMN_metric, row->metric);
    put_text(r, COLUMN_unit, row->unit);
    put_text(r, COLUMN_class, mpb_metric_class_name(row->class_));
    put_text(r, COLUMN_better, mpb_metric_better_name(row->better));
    put_text(r, COLUMN_a_arm, s->arm[row->a_arm].label);
    put_text(r, COLUMN_b_arm, s->arm[row->b_arm].label);
}

static void put_values(struct record *r, const struct mpb_ab_row *row)
{
    put_real(r, COLUMN_a, row->a);
    put_real(r, COLUMN_b, row->b);
    if (row->is_integer) {
        if (isfinite(row->a)) {
            put_integer(r, COLUMN_a, row->a_exact);
        }
        if (isfinite(row->b)) {
            put_integer(r, COLUMN_b, row->b_exact);
        }
    }
    put_real(r, COLUMN_ratio, row->ratio);
}

/* Exact rows have no interval: whatever the model holds there is not printed. */
static void put_statistics(struct record *r, const struct mpb_ab_row *row)
{
    static const enum column reals[] = {COLUMN_low,       COLUMN_high,    COLUMN_level,
                                        COLUMN_p,         COLUMN_trimmed, COLUMN_sign_low,
                                        COLUMN_sign_high, COLUMN_mde80};
    const double values[] = {row->low,     row->high,     row->level,     row->p,
                             row->trimmed, row->sign_low, row->sign_high, row->mde80};
    bool exact = row->class_ == MPB_CLASS_EXACT;
    for (size_t i = 0; i < MPB_ARRAY_LEN(reals); i++) {
        put_real(r, reals[i], exact ? (double)NAN : values[i]);
    }
    put_integer(r, COLUMN_blocks, exact ? 0 : row->blocks);
    put_integer(r, COLUMN_look, exact ? 0 : row->look);
}

/* The class has a column of its own, so the verdict is the bare word. */
static void put_verdict(struct record *r, const struct mpb_ab_row *row)
{
    snprintf(r->made[COLUMN_verdict], sizeof(r->made[COLUMN_verdict]), "%s%s",
             mpb_model_verdict_word(row->verdict), row->negligible ? ", negligible" : "");
    put_text(r, COLUMN_verdict, r->made[COLUMN_verdict]);
    bool plain = row->class_ == MPB_CLASS_EXACT && row->reason[0] == '\0';
    put_text(r, COLUMN_reason, plain ? "exact" : row->reason);
}

static enum mpb_status write_csv(const struct mpb_model *model, FILE *f, struct mpb_error *err)
{
    (void)err;
    mpb_csv_put_record(f, columns, COLUMN__COUNT);
    for (size_t i = 0; i < model->n_ab; i++) {
        const struct mpb_ab_row *row = &model->ab[i];
        struct record r = {0};
        put_key(&r, row, model->session);
        put_values(&r, row);
        put_statistics(&r, row);
        put_verdict(&r, row);
        mpb_csv_put_record(f, r.field, COLUMN__COUNT);
    }
    return MPB_OK;
}

const struct mpb_writer mpb_writer_csv = {
    .name = "csv",
    .file_name = "ab.csv",
    .doc = "the A/B table for programs, one comparison a record",
    .write = write_csv,
};
