/* protocol.c: the strict reader of a worker's rows. */
#include "harness/protocol.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/parse.h"
#include "reports/csv.h"

#define ROWS_HEADER "scenario,run,metric,unit,value"

enum { SCENARIO, RUN, METRIC, UNIT, VALUE };
enum { METRIC_NAME_MAX = 128 };

struct reader {
    const struct mpb_pass *pass;
    struct mpb_session *session;
    struct mpb_protocol_rows rows;
    struct mpb_csv csv;
    char where[64]; /* "stdout:12" */
    struct mpb_error *err;
};

void mpb_protocol_rows_fini(struct mpb_protocol_rows *rows)
{
    free(rows->row);
    *rows = (struct mpb_protocol_rows){0};
}

enum mpb_class mpb_protocol_class(const struct mpb_session *session, const char *metric)
{
    const struct mpb_metric_info *info = mpb_metric_find(metric);
    if (info != NULL) {
        return info->class_;
    }
    const struct mpb_metric_note *note = mpb_session_find_metric(session, metric);
    return note != NULL ? note->class_ : MPB_CLASS_TIMED;
}

enum mpb_kind mpb_protocol_owner(const struct mpb_session *session, const char *metric)
{
    const struct mpb_metric_info *info = mpb_metric_find(metric);
    bool counting = info != NULL ? info->owner == MPB_OWNER_COUNTING
                                 : mpb_protocol_class(session, metric) == MPB_CLASS_EXACT;
    return counting ? MPB_KIND_COUNTING : MPB_KIND_TIMED;
}

static enum mpb_status refuse(const struct reader *r, const char *what, const char *is,
                              const char *instead)
{
    return mpb_error_set(r->err, MPB_E_INPUT, r->where, "%s is '%.80s', not %s", what, is, instead);
}

/* The unit this metric must have; NULL when nobody said. */
static const char *expected_unit(const struct reader *r, const char *metric)
{
    const struct mpb_metric_info *info = mpb_metric_find(metric);
    if (info != NULL) {
        return mpb_metric_unit_name(info->unit);
    }
    const struct mpb_metric_note *note = mpb_session_find_metric(r->session, metric);
    return note != NULL ? mpb_names_text(&r->session->names, note->unit) : NULL;
}

static bool is_metric_name(const char *name)
{
    size_t n = strlen(name);
    bool ok = n > 0 && n < METRIC_NAME_MAX && name[0] != '/' && name[n - 1] != '/';
    for (size_t i = 0; i < n && ok; i++) {
        ok = (unsigned char)name[i] > ' ' && name[i] != 0x7f;
    }
    return ok;
}

static enum mpb_status read_value(const struct reader *r, const char *metric, const char *text,
                                  struct mpb_row *row)
{
    char where[sizeof(r->where) + METRIC_NAME_MAX + 4];
    snprintf(where, sizeof(where), "%s: %s", r->where, metric);
    bool digits = text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
    if (digits || mpb_protocol_class(r->session, metric) == MPB_CLASS_EXACT) {
        row->is_integer = true;
        return mpb_parse_u64(text, where, 0, UINT64_MAX, &row->value.integer, r->err);
    }
    row->is_integer = false;
    enum mpb_status st = mpb_parse_double(text, where, &row->value.real, r->err);
    if (st == MPB_OK && row->value.real < 0 && mpb_metric_find(metric) != NULL) {
        return mpb_error_set(r->err, MPB_E_INPUT, where, "'%s' is negative", text);
    }
    return st;
}

static enum mpb_status check_names(const struct reader *r, char *const *f)
{
    const char *scenario = mpb_names_text(&r->session->names, r->pass->scenario);
    if (strcmp(f[SCENARIO], scenario) != 0) {
        return refuse(r, "scenario", f[SCENARIO], scenario);
    }
    if (!is_metric_name(f[METRIC])) {
        return refuse(r, "metric", f[METRIC], "a metric's name");
    }
    const char *unit = expected_unit(r, f[METRIC]);
    if (unit != NULL && strcmp(unit, f[UNIT]) != 0) {
        char what[METRIC_NAME_MAX + 16];
        snprintf(what, sizeof(what), "unit of %s", f[METRIC]);
        return refuse(r, what, f[UNIT], unit);
    }
    return f[UNIT][0] != '\0' ? MPB_OK : refuse(r, "unit", f[UNIT], "a unit");
}

static enum mpb_status append(struct reader *r, const struct mpb_row *row)
{
    struct mpb_protocol_rows *rows = &r->rows;
    if (rows->n == rows->cap) {
        size_t cap = rows->cap == 0 ? 256 : rows->cap * 2;
        struct mpb_row *grown = realloc(rows->row, cap * sizeof(*grown));
        if (grown == NULL) {
            return mpb_error_set(r->err, MPB_E_NOMEM, r->where, NULL);
        }
        rows->row = grown;
        rows->cap = cap;
    }
    rows->row[rows->n++] = *row;
    return MPB_OK;
}

static enum mpb_status take_record(struct reader *r)
{
    char *const *f = r->csv.fields;
    struct mpb_row row = {
        .arm = r->pass->arm, .scenario = r->pass->scenario, .pass = r->pass->pass};
    uint64_t run = 0;
    mpb_csv_where(&r->csv, r->where, sizeof(r->where));
    enum mpb_status st = check_names(r, f);
    if (st == MPB_OK) {
        st = mpb_parse_u64(f[RUN], r->where, 0, UINT16_MAX, &run, r->err);
    }
    if (st == MPB_OK) {
        st = read_value(r, f[METRIC], f[VALUE], &row);
    }
    bool ours = mpb_metric_find(f[METRIC]) == NULL ||
                mpb_protocol_owner(r->session, f[METRIC]) == r->pass->kind;
    if (st != MPB_OK || !ours) {
        return st;
    }
    row.run = (uint16_t)run;
    st = mpb_names_intern(&r->session->names, f[METRIC], &row.metric, r->err);
    if (st == MPB_OK) {
        st = mpb_names_intern(&r->session->names, f[UNIT], &row.unit, r->err);
    }
    return st == MPB_OK ? append(r, &row) : st;
}

/* A row under its name, for sorting: '/' comes before every other character, so that a name is
 * followed at once by all its parts. */
struct named {
    const char *name;
    const struct mpb_row *row;
};

static int compare_named(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    if (x->row->run != y->row->run) {
        return x->row->run < y->row->run ? -1 : 1;
    }
    const char *p = x->name, *q = y->name;
    while (*p != '\0' && *p == *q) {
        p++;
        q++;
    }
    int cp = *p == '/' ? 1 : (unsigned char)*p, cq = *q == '/' ? 1 : (unsigned char)*q;
    return cp - cq;
}

static bool is_part_of(const struct named *part, const struct named *whole)
{
    size_t n = strlen(whole->name);
    return part->row->run == whole->row->run && strncmp(part->name, whole->name, n) == 0 &&
           part->name[n] == '/';
}

/* named[0] against the sum of the leaves below it, if it has any. */
static enum mpb_status check_sum(const struct named *named, size_t n, struct mpb_error *err)
{
    const struct mpb_metric_info *info = mpb_metric_find(named[0].name);
    if (info == NULL || info->shape != MPB_SHAPE_SUM || n < 2 || !is_part_of(&named[1], named)) {
        return MPB_OK;
    }
    uint64_t sum = 0;
    bool overflow = false;
    for (size_t i = 1; i < n && is_part_of(&named[i], named); i++) {
        bool leaf = i + 1 == n || !is_part_of(&named[i + 1], &named[i]);
        overflow =
            overflow || (leaf && __builtin_add_overflow(sum, named[i].row->value.integer, &sum));
    }
    uint64_t whole = named[0].row->value.integer;
    if (overflow || sum != whole) {
        return mpb_error_set(err, MPB_E_INPUT, "stdout",
                             "run %u: %s is %llu, but its parts sum to %llu",
                             (unsigned)named[0].row->run, named[0].name, (unsigned long long)whole,
                             (unsigned long long)sum);
    }
    return MPB_OK;
}

/* No row twice, and additive names equal to the sum of their parts. */
static enum mpb_status check_rows(const struct reader *r)
{
    size_t n = r->rows.n;
    struct named *named = calloc(n, sizeof(*named));
    if (named == NULL) {
        return mpb_error_set(r->err, MPB_E_NOMEM, "stdout", NULL);
    }
    for (size_t i = 0; i < n; i++) {
        named[i].row = &r->rows.row[i];
        named[i].name = mpb_names_text(&r->session->names, named[i].row->metric);
    }
    qsort(named, n, sizeof(*named), compare_named);
    enum mpb_status st = MPB_OK;
    for (size_t i = 0; i < n && st == MPB_OK; i++) {
        if (i + 1 < n && compare_named(&named[i], &named[i + 1]) == 0) {
            st = mpb_error_set(r->err, MPB_E_INPUT, "stdout", "run %u: %s is there twice",
                               (unsigned)named[i].row->run, named[i].name);
        } else {
            st = check_sum(named + i, n - i, r->err);
        }
    }
    free(named);
    return st;
}

static enum mpb_status read_records(struct reader *r, FILE *f)
{
    bool got = false;
    enum mpb_status st = mpb_csv_begin(&r->csv, "stdout", f, ROWS_HEADER, r->err);
    while (st == MPB_OK && (st = mpb_csv_next(&r->csv, &got, r->err)) == MPB_OK && got) {
        st = take_record(r);
    }
    if (st == MPB_OK && r->csv.torn) {
        st = mpb_error_set(r->err, MPB_E_INPUT, "stdout", "the last line is torn");
    }
    if (st == MPB_OK && r->rows.n == 0) {
        st = mpb_error_set(r->err, MPB_E_INPUT, "stdout", "no row of a %s pass",
                           mpb_session_kind_name(r->pass->kind));
    }
    return st == MPB_OK ? check_rows(r) : st;
}

enum mpb_status mpb_protocol_read(const char *text, size_t len, const struct mpb_pass *pass,
                                  struct mpb_session *session, struct mpb_protocol_rows *out,
                                  struct mpb_error *err)
{
    struct reader r = {.pass = pass, .session = session, .err = err};
    if (len == 0) {
        return mpb_error_set(err, MPB_E_INPUT, "stdout", "nothing was printed");
    }
    char *copy = malloc(len);
    FILE *f = copy == NULL ? NULL : fmemopen(memcpy(copy, text, len), len, "r");
    enum mpb_status st =
        f == NULL ? mpb_error_set(err, MPB_E_NOMEM, "stdout", NULL) : read_records(&r, f);
    mpb_csv_fini(&r.csv);
    if (f != NULL) {
        fclose(f);
    }
    free(copy);
    if (st != MPB_OK) {
        mpb_protocol_rows_fini(&r.rows);
        return st;
    }
    *out = r.rows;
    return MPB_OK;
}

double mpb_protocol_spread_pct(const struct mpb_protocol_rows *rows,
                               const struct mpb_session *session, const char *metric)
{
    double min = INFINITY, max = 0;
    unsigned n = 0;
    uint16_t id = 0;
    bool known = mpb_names_find(&session->names, metric, &id);
    for (size_t i = 0; i < rows->n && known; i++) {
        if (rows->row[i].metric == id && rows->row[i].run >= 1) {
            double v = mpb_session_row_real(&rows->row[i]);
            min = fmin(min, v);
            max = fmax(max, v);
            n++;
        }
    }
    return n >= 2 && max > 0 ? (max - min) / max * 100 : (double)NAN;
}
