/* catalog.c: `--describe` run and read. */
#include "harness/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/opt.h"
#include "reports/csv.h"

#define DESCRIBE_HEADER "kind,name,unit,better,class,doc"

/* Long enough for any start-up; a worker that takes longer to describe itself hangs. */
static const uint64_t describe_timeout_ns = 20000000000u;

static void row_fini(struct mpb_catalog_row *r)
{
    free(r->kind);
    free(r->name);
    free(r->unit);
    free(r->better);
    free(r->class_);
    free(r->doc);
}

void mpb_catalog_fini(struct mpb_catalog *d)
{
    for (size_t i = 0; i < d->n; i++) {
        row_fini(&d->row[i]);
    }
    free(d->row);
    *d = (struct mpb_catalog){0};
}

static bool add_row(struct mpb_catalog *d, char *const *fields)
{
    if (d->n == d->cap) {
        size_t cap = d->cap == 0 ? 64 : d->cap * 2;
        struct mpb_catalog_row *row = realloc(d->row, cap * sizeof(*row));
        if (row == NULL) {
            return false;
        }
        d->row = row;
        d->cap = cap;
    }
    struct mpb_catalog_row r = {strdup(fields[0]), strdup(fields[1]), strdup(fields[2]),
                                strdup(fields[3]), strdup(fields[4]), strdup(fields[5])};
    if (!r.kind || !r.name || !r.unit || !r.better || !r.class_ || !r.doc) {
        row_fini(&r);
        return false;
    }
    d->row[d->n++] = r;
    return true;
}

enum mpb_status mpb_catalog_read(const char *text, size_t len, const char *name,
                                 struct mpb_catalog *out, struct mpb_error *err)
{
    struct mpb_catalog d = {0};
    struct mpb_csv csv = {0};
    char *copy = len == 0 ? NULL : malloc(len);
    FILE *f = NULL;
    enum mpb_status st = MPB_OK;
    if (len == 0) {
        return mpb_error_set(err, MPB_E_INPUT, name, "--describe printed nothing");
    }
    if (copy == NULL || (f = fmemopen(memcpy(copy, text, len), len, "r")) == NULL) {
        st = mpb_error_set(err, MPB_E_NOMEM, name, NULL);
        goto out;
    }
    bool got = false;
    st = mpb_csv_begin(&csv, name, f, DESCRIBE_HEADER, err);
    while (st == MPB_OK && (st = mpb_csv_next(&csv, &got, err)) == MPB_OK && got) {
        if (!add_row(&d, csv.fields)) { /* the reader has checked that there are six */
            st = mpb_error_set(err, MPB_E_NOMEM, name, NULL);
        }
    }
    if (st == MPB_OK && csv.torn) {
        st = mpb_error_set(err, MPB_E_INPUT, name, "the last line of --describe is torn");
    }
out:
    mpb_csv_fini(&csv);
    if (f != NULL) {
        fclose(f);
    }
    free(copy);
    if (st != MPB_OK) {
        mpb_catalog_fini(&d);
        return st;
    }
    *out = d;
    return MPB_OK;
}

/* The worker's own sentence without "program: " in front (its file's name, or the name both
 * built-in workers give themselves): the user called us, not it. */
static const char *without_name(const char *complaint, const char *program)
{
    const char *slash = strrchr(program, '/');
    const char *const names[] = {slash != NULL ? slash + 1 : program, "msgpath-worker"};
    for (size_t i = 0; i < MPB_ARRAY_LEN(names); i++) {
        size_t n = strlen(names[i]);
        if (strncmp(complaint, names[i], n) == 0 && strncmp(complaint + n, ": ", 2) == 0) {
            return complaint + n + 2;
        }
    }
    return complaint;
}

static enum mpb_status judge(const struct mpb_spawn_job *job, const struct mpb_spawn_result *r,
                             struct mpb_error *err)
{
    if (r->end == MPB_SPAWN_EXITED && r->code == 0) {
        return MPB_OK;
    }
    if (r->end == MPB_SPAWN_EXITED && r->code == 2 && r->complaint[0] != '\0') {
        return mpb_error_set(err, MPB_E_INPUT, NULL, "%s",
                             without_name(r->complaint, job->argv[0]));
    }
    char how[400];
    mpb_spawn_explain(r, job, how, sizeof(how));
    return mpb_error_set(err, MPB_E_INCOMPLETE, job->argv[0], "--describe failed: %s", how);
}

static size_t count_words(char *const *words)
{
    size_t n = 0;
    while (words != NULL && words[n] != NULL) {
        n++;
    }
    return n;
}

enum mpb_status mpb_catalog_load(mpb_spawn_fn spawn, char *const *command, char *const *options,
                                 struct mpb_catalog *out, struct mpb_error *err)
{
    char flag[] = "--describe";
    size_t n = count_words(command), n_options = count_words(options);
    char **argv = calloc(n + n_options + 2, sizeof(*argv));
    if (argv == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, command[0], NULL);
    }
    memcpy(argv, command, n * sizeof(*argv));
    argv[n] = flag;
    if (n_options > 0) {
        memcpy(argv + n + 1, options, n_options * sizeof(*argv));
    }
    struct mpb_spawn_job job = {.argv = argv, .timeout_ns = describe_timeout_ns, .stop_fd = -1};
    struct mpb_spawn_result r = {0};
    enum mpb_status st = spawn(&job, &r, err);
    if (st == MPB_OK) {
        st = judge(&job, &r, err);
        if (st == MPB_OK) {
            st = mpb_catalog_read(r.out, r.out_len, command[0], out, err);
        }
        mpb_spawn_result_fini(&r);
    }
    free(argv);
    return st;
}

const struct mpb_catalog_row *mpb_catalog_find(const struct mpb_catalog *d, const char *kind,
                                               const char *name)
{
    for (size_t i = 0; i < d->n; i++) {
        if (strcmp(d->row[i].kind, kind) == 0 && strcmp(d->row[i].name, name) == 0) {
            return &d->row[i];
        }
    }
    return NULL;
}

const struct mpb_catalog_row *mpb_catalog_at(const struct mpb_catalog *d, const char *kind,
                                             size_t i)
{
    for (size_t at = 0; at < d->n; at++) {
        if (strcmp(d->row[at].kind, kind) == 0 && i-- == 0) {
            return &d->row[at];
        }
    }
    return NULL;
}

void mpb_catalog_unknown(const struct mpb_catalog *d, const char *kind, const char *typed,
                         char *out, size_t cap)
{
    enum { MAX = 64 };
    const char *words[MAX];
    size_t n = 0;
    const struct mpb_catalog_row *r = NULL;
    while (n < MAX && (r = mpb_catalog_at(d, kind, n)) != NULL) {
        words[n++] = r->name;
    }
    const char *near = mpb_opt_nearest(typed, words, n);
    if (near != NULL) {
        snprintf(out, cap, "unknown %s '%s' (did you mean '%s'?)", kind, typed, near);
        return;
    }
    int len = snprintf(out, cap, "unknown %s '%s' (known: ", kind, typed);
    for (size_t i = 0; i < n && len >= 0 && (size_t)len < cap; i++) {
        len += snprintf(out + len, cap - (size_t)len, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    if (len >= 0 && (size_t)len < cap) {
        snprintf(out + len, cap - (size_t)len, ")");
    }
}
