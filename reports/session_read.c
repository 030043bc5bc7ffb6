/* session_read.c: passes.csv and rows.csv back into a session, column by column. */
#include "reports/session_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "instrument/parse.h"
#include "reports/csv.h"
#include "reports/keymap.h"
#include "reports/session_put.h"

enum pass_column {
    PASS_ARM,
    PASS_SCENARIO,
    PASS_PASS,
    PASS_KIND,
    PASS_BLOCK,
    PASS_SLOT,
    PASS_ACCEPTED,
    PASS_REASON,
    PASS_STARTED,
    PASS_WALL_NS,
    PASS_LOAD1,
    PASS_PSI_CPU,
    PASS_SPREAD_PCT,
};
enum row_column { ROW_ARM, ROW_SCENARIO, ROW_PASS, ROW_RUN, ROW_METRIC, ROW_UNIT, ROW_VALUE };

/* A file being read: the reader, the session it fills, and which pass each key stands for. */
struct reading {
    struct mpb_csv csv;
    struct mpb_session *session;
    struct mpb_keymap passes; /* arm, scenario, pass -> index into session->pass */
    struct mpb_keymap seen;   /* pass index, run, metric */
    size_t n_uncommitted, n_rejected;
    struct mpb_error *err;
};

/* "file:line: column" for a field of the current record. The column names are the file's own
 * header, already checked. */
static void field_where(const struct mpb_csv *csv, const char *column, char *out, size_t cap)
{
    mpb_csv_where(csv, out, cap - strlen(column) - 2);
    size_t len = strlen(out);
    snprintf(out + len, cap - len, ": %s", column);
}

static enum mpb_status fail(struct reading *in, const char *column, const char *text,
                            const char *value)
{
    char where[sizeof(in->err->where)];
    field_where(&in->csv, column, where, sizeof(where));
    return mpb_error_set(in->err, MPB_E_INPUT, where, "'%s' %s", value, text);
}

static enum mpb_status read_u64(struct reading *in, size_t idx, const char *column, uint64_t max,
                                uint64_t *out)
{
    char where[sizeof(in->err->where)];
    field_where(&in->csv, column, where, sizeof(where));
    return mpb_parse_u64(in->csv.fields[idx], where, 0, max, out, in->err);
}

static enum mpb_status read_u32(struct reading *in, size_t idx, const char *column, uint32_t *out)
{
    uint64_t v = 0;
    enum mpb_status st = read_u64(in, idx, column, UINT32_MAX, &v);
    if (st == MPB_OK) {
        *out = (uint32_t)v;
    }
    return st;
}

/* An empty field is NAN: not known. */
static enum mpb_status read_real(struct reading *in, size_t idx, const char *column, double *out)
{
    char where[sizeof(in->err->where)];
    if (in->csv.fields[idx][0] == '\0') {
        *out = (double)NAN;
        return MPB_OK;
    }
    field_where(&in->csv, column, where, sizeof(where));
    return mpb_parse_double(in->csv.fields[idx], where, out, in->err);
}

/* Arm and scenario are the first two columns of every file. */
static enum mpb_status read_owner(struct reading *in, uint16_t *arm, uint16_t *scenario)
{
    const struct mpb_session *s = in->session;
    const char *label = in->csv.fields[0], *name = in->csv.fields[1];
    size_t a = 0, i = 0;
    uint16_t id = 0;
    while (a < s->n_arms && strcmp(s->arm[a].label, label) != 0) {
        a++;
    }
    if (a == s->n_arms) {
        return fail(in, "arm", "is not an arm of this session", label);
    }
    bool known = mpb_names_find(&s->names, name, &id);
    while (known && i < s->n_scenarios && s->scenario[i] != id) {
        i++;
    }
    if (!known || i == s->n_scenarios) {
        return fail(in, "scenario", "is not a scenario of this session", name);
    }
    *arm = (uint16_t)a;
    *scenario = id;
    return MPB_OK;
}

static enum mpb_status read_kind(struct reading *in, enum mpb_kind *out)
{
    for (int kind = 0; kind < MPB_KIND__COUNT; kind++) {
        if (strcmp(in->csv.fields[PASS_KIND], mpb_session_kind_name((enum mpb_kind)kind)) == 0) {
            *out = (enum mpb_kind)kind;
            return MPB_OK;
        }
    }
    return fail(in, "kind", "is not timed or counting", in->csv.fields[PASS_KIND]);
}

static enum mpb_status read_accepted(struct reading *in, bool *out)
{
    const char *text = in->csv.fields[PASS_ACCEPTED];
    if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0) {
        return fail(in, "accepted", "is not 0 or 1", text);
    }
    *out = text[0] == '1';
    return MPB_OK;
}

/* "2026-01-31T23:59:59.123Z", exactly. */
static enum mpb_status read_time(struct reading *in, uint64_t *out_ns)
{
    static const char shape[] = "0000-00-00T00:00:00.000Z";
    const char *text = in->csv.fields[PASS_STARTED];
    bool good = strlen(text) == sizeof(shape) - 1;
    for (size_t i = 0; good && i < sizeof(shape) - 1; i++) {
        good = shape[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == shape[i];
    }
    struct tm tm = {0};
    time_t seconds = -1;
    if (good) {
        tm.tm_year = (int)strtol(text, NULL, 10) - 1900;
        tm.tm_mon = (int)strtol(text + 5, NULL, 10) - 1;
        tm.tm_mday = (int)strtol(text + 8, NULL, 10);
        tm.tm_hour = (int)strtol(text + 11, NULL, 10);
        tm.tm_min = (int)strtol(text + 14, NULL, 10);
        tm.tm_sec = (int)strtol(text + 17, NULL, 10);
        int day = tm.tm_mday, month = tm.tm_mon;
        seconds = timegm(&tm);
        good = tm.tm_mday == day && tm.tm_mon == month; /* not the 31st of February */
    }
    if (!good || seconds < 0) {
        return fail(in, "started", "is not a UTC time such as 2026-01-31T23:59:59.123Z", text);
    }
    *out_ns = (uint64_t)seconds * 1000000000U + (uint64_t)strtol(text + 20, NULL, 10) * 1000000U;
    return MPB_OK;
}

static uint64_t pass_key(uint16_t arm, uint16_t scenario, uint32_t pass)
{
    return (uint64_t)arm << 48 | (uint64_t)scenario << 32 | pass;
}

static enum mpb_status parse_pass(struct reading *in, struct mpb_pass *pass)
{
    enum mpb_status st = read_owner(in, &pass->arm, &pass->scenario);
    st = st != MPB_OK ? st : read_u32(in, PASS_PASS, "pass", &pass->pass);
    st = st != MPB_OK ? st : read_kind(in, &pass->kind);
    st = st != MPB_OK ? st : read_u32(in, PASS_BLOCK, "block", &pass->block);
    st = st != MPB_OK ? st : read_u32(in, PASS_SLOT, "slot", &pass->slot);
    st = st != MPB_OK ? st : read_accepted(in, &pass->accepted);
    st = st != MPB_OK ? st : read_time(in, &pass->started_utc_ns);
    st = st != MPB_OK ? st : read_u64(in, PASS_WALL_NS, "wall_ns", UINT64_MAX, &pass->wall_ns);
    st = st != MPB_OK ? st : read_real(in, PASS_LOAD1, "load1", &pass->load1);
    st = st != MPB_OK ? st : read_real(in, PASS_PSI_CPU, "psi_cpu", &pass->psi_cpu);
    st = st != MPB_OK ? st : read_real(in, PASS_SPREAD_PCT, "spread_pct", &pass->spread_pct);
    pass->reason = in->csv.fields[PASS_REASON];
    return st;
}

static enum mpb_status take_pass(struct reading *in)
{
    struct mpb_pass pass = {0};
    bool added = false;
    enum mpb_status st = parse_pass(in, &pass);
    if (st == MPB_OK) {
        st = mpb_keymap_add(&in->passes, pass_key(pass.arm, pass.scenario, pass.pass), 0, &added,
                            in->err);
    }
    if (st == MPB_OK && !added) {
        st = fail(in, "pass", "is there twice for its arm and scenario", in->csv.fields[PASS_PASS]);
    }
    return st != MPB_OK ? st : mpb_session_add_pass(in->session, &pass, in->err);
}

/* Digits are an integer, anything else a real. */
static enum mpb_status read_value(struct reading *in, struct mpb_row *row)
{
    const char *text = in->csv.fields[ROW_VALUE];
    row->is_integer = text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
    if (row->is_integer) {
        return read_u64(in, ROW_VALUE, "value", UINT64_MAX, &row->value.integer);
    }
    char where[sizeof(in->err->where)];
    field_where(&in->csv, "value", where, sizeof(where));
    return mpb_parse_double(text, where, &row->value.real, in->err);
}

static enum mpb_status parse_row(struct reading *in, struct mpb_row *row)
{
    uint64_t run = 0;
    struct mpb_names *names = &in->session->names;
    enum mpb_status st = read_owner(in, &row->arm, &row->scenario);
    st = st != MPB_OK ? st : read_u32(in, ROW_PASS, "pass", &row->pass);
    st = st != MPB_OK ? st : read_u64(in, ROW_RUN, "run", UINT16_MAX, &run);
    st = st != MPB_OK ? st : read_value(in, row);
    if (st == MPB_OK && in->csv.fields[ROW_METRIC][0] == '\0') {
        st = fail(in, "metric", "is not a metric's name", "");
    }
    st = st != MPB_OK ? st
                      : mpb_names_intern(names, in->csv.fields[ROW_METRIC], &row->metric, in->err);
    st = st != MPB_OK ? st : mpb_names_intern(names, in->csv.fields[ROW_UNIT], &row->unit, in->err);
    row->run = (uint16_t)run;
    return st;
}

static enum mpb_status take_row(struct reading *in)
{
    struct mpb_row row = {0};
    uint32_t idx = 0;
    bool added = false;
    enum mpb_status st = parse_row(in, &row);
    if (st != MPB_OK) {
        return st;
    }
    if (!mpb_keymap_find(&in->passes, pass_key(row.arm, row.scenario, row.pass), &idx)) {
        in->n_uncommitted++;
        return MPB_OK;
    }
    if (!in->session->pass[idx].accepted) {
        in->n_rejected++;
        return MPB_OK;
    }
    uint64_t key = (uint64_t)idx << 32 | (uint64_t)row.run << 16 | row.metric;
    st = mpb_keymap_add(&in->seen, key, 0, &added, in->err);
    if (st == MPB_OK && !added) {
        st = fail(in, "metric", "is there twice in this run of this pass",
                  in->csv.fields[ROW_METRIC]);
    }
    return st != MPB_OK ? st : mpb_session_add_row(in->session, &row, in->err);
}

/* The last part of a path. */
static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Every record of f through take (NULL: only checked). A file that is torn is said in the notes,
 * also when all of it that is left is a part of its header. */
static enum mpb_status read_all(struct reading *in, const char *name, FILE *f, const char *header,
                                enum mpb_status (*take)(struct reading *))
{
    bool got = false;
    enum mpb_status st = mpb_csv_begin(&in->csv, name, f, header, in->err);
    if (st != MPB_OK && in->csv.torn) {
        mpb_session_add_note(in->session, "%s ends inside its header: read as empty",
                             file_of(name));
        return MPB_OK;
    }
    while (st == MPB_OK && (st = mpb_csv_next(&in->csv, &got, in->err)) == MPB_OK && got) {
        st = take != NULL ? take(in) : MPB_OK;
    }
    if (st == MPB_OK && in->csv.torn) {
        mpb_session_add_note(in->session, "%s:%zu: a torn last line was left out", file_of(name),
                             in->csv.line);
    }
    return st;
}

static void fini(struct reading *in)
{
    mpb_csv_fini(&in->csv);
    mpb_keymap_fini(&in->passes);
    mpb_keymap_fini(&in->seen);
}

enum mpb_status mpb_session_read_passes(struct mpb_session *session, const char *name, FILE *f,
                                        struct mpb_error *err)
{
    struct reading in = {.session = session, .err = err};
    enum mpb_status st = read_all(&in, name, f, MPB_SESSION_COLUMNS_PASSES, take_pass);
    fini(&in);
    return st;
}

static enum mpb_status index_passes(struct reading *in)
{
    enum mpb_status st = MPB_OK;
    bool added = false;
    for (size_t i = 0; st == MPB_OK && i < in->session->n_passes; i++) {
        const struct mpb_pass *pass = &in->session->pass[i];
        st = mpb_keymap_add(&in->passes, pass_key(pass->arm, pass->scenario, pass->pass),
                            (uint32_t)i, &added, in->err);
    }
    return st;
}

enum mpb_status mpb_session_read_rows(struct mpb_session *session, const char *name, FILE *f,
                                      struct mpb_error *err)
{
    struct reading in = {.session = session, .err = err};
    enum mpb_status st = index_passes(&in);
    if (st == MPB_OK) {
        st = read_all(&in, name, f, MPB_SESSION_COLUMNS_ROWS, take_row);
    }
    if (st == MPB_OK && in.n_uncommitted > 0) {
        mpb_session_add_note(session, "%s: rows of passes that never finished, left out: %zu",
                             file_of(name), in.n_uncommitted);
    }
    if (st == MPB_OK && in.n_rejected > 0) {
        mpb_session_add_note(session, "%s: rows of passes that were not accepted, left out: %zu",
                             file_of(name), in.n_rejected);
    }
    fini(&in);
    return st;
}

enum mpb_status mpb_session_read_check(struct mpb_session *session, const char *name, FILE *f,
                                       const char *header, struct mpb_error *err)
{
    struct reading in = {.session = session, .err = err};
    enum mpb_status st = read_all(&in, name, f, header, NULL);
    fini(&in);
    return st;
}
