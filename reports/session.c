/* session.c: the session's lists. Text that comes from outside is made UTF-8 on the way in, and
 * whole reals become integers, so that what is in memory is what the folder reads back as. */
#include "reports/session.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/utf8.h"

#define NOTE_BYTES_MAX 512

static const char *const kind_names[MPB_KIND__COUNT] = {"timed", "counting"};

const char *mpb_session_kind_name(enum mpb_kind kind)
{
    return kind_names[kind];
}

/* items with room for one more element of `size` bytes behind the n it holds: the same or moved.
 * *cap counts elements; NULL for short lists that grow one by one. NULL when out of memory: items
 * is then as it was. */
static void *reserve(void *items, size_t n, size_t *cap, size_t size, struct mpb_error *err)
{
    size_t have = cap != NULL ? *cap : n;
    if (n < have) {
        return items;
    }
    size_t want = cap == NULL ? n + 1 : (have == 0 ? 16 : 2 * have);
    void *grown = realloc(items, want * size);
    if (grown == NULL) {
        mpb_error_set(err, MPB_E_NOMEM, "session", NULL);
    } else if (cap != NULL) {
        *cap = want;
    }
    return grown;
}

static enum mpb_status copy_text(const char *text, char **out, struct mpb_error *err)
{
    *out = mpb_utf8_copy(text);
    return *out != NULL ? MPB_OK : mpb_error_set(err, MPB_E_NOMEM, "session", NULL);
}

static struct mpb_pair *find_pair(const struct mpb_pairs *pairs, const char *key)
{
    for (size_t i = 0; i < pairs->n; i++) {
        if (strcmp(pairs->pair[i].key, key) == 0) {
            return &pairs->pair[i];
        }
    }
    return NULL;
}

static enum mpb_status append_pair(struct mpb_pairs *pairs, const char *key, const char *value,
                                   struct mpb_error *err)
{
    struct mpb_pair next = {0};
    struct mpb_pair *pair = reserve(pairs->pair, pairs->n, &pairs->cap, sizeof(next), err);
    if (pair == NULL) {
        return MPB_E_NOMEM;
    }
    pairs->pair = pair;
    enum mpb_status st = copy_text(key, &next.key, err);
    st = st != MPB_OK ? st : copy_text(value, &next.value, err);
    if (st != MPB_OK) {
        free(next.key);
        return st;
    }
    pair[pairs->n++] = next;
    return MPB_OK;
}

enum mpb_status mpb_pairs_set(struct mpb_pairs *pairs, const char *key, const char *value,
                              struct mpb_error *err)
{
    struct mpb_pair *old = find_pair(pairs, key);
    if (old == NULL) {
        return append_pair(pairs, key, value, err);
    }
    char *copy = NULL;
    enum mpb_status st = copy_text(value, &copy, err);
    if (st == MPB_OK) {
        free(old->value);
        old->value = copy;
    }
    return st;
}

const char *mpb_pairs_get(const struct mpb_pairs *pairs, const char *key)
{
    const struct mpb_pair *pair = find_pair(pairs, key);
    return pair != NULL ? pair->value : NULL;
}

void mpb_pairs_fini(struct mpb_pairs *pairs)
{
    for (size_t i = 0; i < pairs->n; i++) {
        free(pairs->pair[i].key);
        free(pairs->pair[i].value);
    }
    free(pairs->pair);
    *pairs = (struct mpb_pairs){0};
}

static void fini_arm(struct mpb_arm_info *arm)
{
    free(arm->label);
    free(arm->spec);
    free(arm->variant);
    mpb_pairs_fini(&arm->facts);
}

void mpb_session_fini(struct mpb_session *session)
{
    for (size_t i = 0; i < session->n_arms; i++) {
        fini_arm(&session->arm[i]);
    }
    for (size_t i = 0; i < session->n_metrics; i++) {
        free(session->metric[i].doc);
    }
    for (size_t i = 0; i < session->n_passes; i++) {
        free(session->pass[i].reason);
    }
    for (size_t i = 0; i < session->n_notes; i++) {
        free(session->note[i]);
    }
    mpb_names_fini(&session->names);
    mpb_pairs_fini(&session->workload);
    mpb_pairs_fini(&session->environment);
    free(session->started);
    free(session->command);
    free(session->version);
    free(session->arm);
    free(session->scenario);
    free(session->metric);
    free(session->pass);
    free(session->row);
    free(session->note);
    *session = (struct mpb_session){0};
}

enum mpb_status mpb_session_add_pass(struct mpb_session *session, const struct mpb_pass *pass,
                                     struct mpb_error *err)
{
    struct mpb_pass *passes =
        reserve(session->pass, session->n_passes, &session->cap_passes, sizeof(*passes), err);
    if (passes == NULL) {
        return MPB_E_NOMEM;
    }
    session->pass = passes;
    struct mpb_pass copy = *pass;
    enum mpb_status st = copy_text(pass->reason != NULL ? pass->reason : "", &copy.reason, err);
    if (st == MPB_OK) {
        passes[session->n_passes++] = copy;
    }
    return st;
}

/* A whole real is written as digits, and digits are read as an integer. */
static void make_whole(struct mpb_row *row)
{
    if (row->is_integer || !(row->value.real >= 0) || row->value.real > 9007199254740992.0) {
        return;
    }
    uint64_t whole = (uint64_t)row->value.real;
    if (!(row->value.real - (double)whole > 0)) {
        row->is_integer = true;
        row->value.integer = whole;
    }
}

enum mpb_status mpb_session_add_row(struct mpb_session *session, const struct mpb_row *row,
                                    struct mpb_error *err)
{
    struct mpb_row *rows =
        reserve(session->row, session->n_rows, &session->cap_rows, sizeof(*rows), err);
    if (rows == NULL) {
        return MPB_E_NOMEM;
    }
    session->row = rows;
    rows[session->n_rows] = *row;
    make_whole(&rows[session->n_rows++]);
    return MPB_OK;
}

static enum mpb_status check_label(const struct mpb_session *session, const char *label,
                                   struct mpb_error *err)
{
    for (size_t i = 0; i < session->n_arms; i++) {
        if (strcmp(session->arm[i].label, label) == 0) {
            return mpb_error_set(err, MPB_E_INPUT, label, "two arms have this label");
        }
    }
    return session->n_arms < UINT16_MAX ? MPB_OK
                                        : mpb_error_set(err, MPB_E_INPUT, label, "too many arms");
}

enum mpb_status mpb_session_add_arm(struct mpb_session *session, const char *label,
                                    const char *spec, const char *variant, struct mpb_error *err)
{
    enum mpb_status st = check_label(session, label, err);
    if (st != MPB_OK) {
        return st;
    }
    struct mpb_arm_info *arms = reserve(session->arm, session->n_arms, NULL, sizeof(*arms), err);
    if (arms == NULL) {
        return MPB_E_NOMEM;
    }
    session->arm = arms;
    struct mpb_arm_info arm = {0};
    st = copy_text(label, &arm.label, err);
    st = st != MPB_OK ? st : copy_text(spec, &arm.spec, err);
    st = st != MPB_OK ? st : copy_text(variant, &arm.variant, err);
    if (st != MPB_OK) {
        fini_arm(&arm);
        return st;
    }
    arms[session->n_arms++] = arm;
    return MPB_OK;
}

enum mpb_status mpb_session_add_scenario(struct mpb_session *session, const char *name,
                                         struct mpb_error *err)
{
    uint16_t id = 0;
    enum mpb_status st = mpb_names_intern(&session->names, name, &id, err);
    if (st != MPB_OK) {
        return st;
    }
    for (size_t i = 0; i < session->n_scenarios; i++) {
        if (session->scenario[i] == id) {
            return mpb_error_set(err, MPB_E_INPUT, name, "this scenario is named twice");
        }
    }
    uint16_t *ids = reserve(session->scenario, session->n_scenarios, NULL, sizeof(id), err);
    if (ids == NULL) {
        return MPB_E_NOMEM;
    }
    session->scenario = ids;
    ids[session->n_scenarios++] = id;
    return MPB_OK;
}

/* Intern name and unit of a metric that must be new. */
static enum mpb_status name_metric(struct mpb_session *session, const char *name, const char *unit,
                                   struct mpb_metric_note *note, struct mpb_error *err)
{
    enum mpb_status st = mpb_names_intern(&session->names, name, &note->metric, err);
    st = st != MPB_OK ? st : mpb_names_intern(&session->names, unit, &note->unit, err);
    for (size_t i = 0; st == MPB_OK && i < session->n_metrics; i++) {
        if (session->metric[i].metric == note->metric) {
            st = mpb_error_set(err, MPB_E_INPUT, name, "this metric is described twice");
        }
    }
    return st;
}

/* NOLINTNEXTLINE(readability-function-size): a metric has five properties */
enum mpb_status mpb_session_add_metric(struct mpb_session *session, const char *name,
                                       const char *unit, enum mpb_better better,
                                       enum mpb_class class_, const char *doc,
                                       struct mpb_error *err)
{
    struct mpb_metric_note note = {.better = better, .class_ = class_};
    enum mpb_status st = name_metric(session, name, unit, &note, err);
    if (st != MPB_OK) {
        return st;
    }
    struct mpb_metric_note *notes =
        reserve(session->metric, session->n_metrics, NULL, sizeof(note), err);
    if (notes == NULL) {
        return MPB_E_NOMEM;
    }
    session->metric = notes;
    st = copy_text(doc, &note.doc, err);
    if (st == MPB_OK) {
        notes[session->n_metrics++] = note;
    }
    return st;
}

static void add_note_text(struct mpb_session *session, const char *text)
{
    char *copy = mpb_utf8_copy(text);
    char **notes =
        reserve(session->note, session->n_notes, &session->cap_notes, sizeof(*notes), NULL);
    if (notes != NULL) {
        session->note = notes;
    }
    if (copy == NULL || notes == NULL) {
        free(copy);
        return;
    }
    notes[session->n_notes++] = copy;
}

void mpb_session_add_note(struct mpb_session *session, const char *fmt, ...)
{
    char text[NOTE_BYTES_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    add_note_text(session, text);
}

static const struct mpb_metric_note *find_note(const struct mpb_session *session, const char *name)
{
    uint16_t id = 0;
    if (!mpb_names_find(&session->names, name, &id)) {
        return NULL;
    }
    for (size_t i = 0; i < session->n_metrics; i++) {
        if (session->metric[i].metric == id) {
            return &session->metric[i];
        }
    }
    return NULL;
}

const struct mpb_metric_note *mpb_session_find_metric(const struct mpb_session *session,
                                                      const char *name)
{
    /* A foreign metric may have a '/' of its own. */
    const struct mpb_metric_note *note = find_note(session, name);
    char head[128];
    size_t len = strcspn(name, "/");
    if (note != NULL || len >= sizeof(head)) {
        return note;
    }
    memcpy(head, name, len);
    head[len] = '\0';
    return find_note(session, head);
}

double mpb_session_row_real(const struct mpb_row *row)
{
    return row->is_integer ? (double)row->value.integer : row->value.real;
}
