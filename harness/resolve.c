/* resolve.c: checks that need the workers' own words. */
#include "harness/resolve.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/builtin.h"
#include "harness/fingerprint.h"

/* "arm LABEL" for errors. */
static void arm_where(const struct mpb_arm *arm, char out[96])
{
    snprintf(out, 96, "arm %s", arm->label);
}

static enum mpb_status check_program(const struct mpb_arm *arm, const char *path,
                                     struct mpb_error *err)
{
    char where[96];
    struct stat st;
    arm_where(arm, where);
    if (stat(path, &st) != 0) {
        return mpb_error_sys(err, MPB_E_INPUT, where, "%s", path);
    }
    if (!S_ISREG(st.st_mode)) {
        return mpb_error_set(err, MPB_E_INPUT, where, "%s is not a program", path);
    }
    return access(path, X_OK) == 0 ? MPB_OK : mpb_error_sys(err, MPB_E_INPUT, where, "%s", path);
}

/* Counting takes time: a figure from such a program would be of the counters, too. */
static enum mpb_status refuse_counting(const struct mpb_arm *arm, struct mpb_error *err)
{
    const struct mpb_catalog_row *probes =
        mpb_catalog_find(&arm->worker[MPB_KIND_TIMED].catalog, "build", "probes");
    if (probes == NULL || strcmp(probes->doc, "on") != 0) {
        return MPB_OK;
    }
    char where[96];
    arm_where(arm, where);
    return mpb_error_set(err, MPB_E_USAGE, where,
                         "its program counts (probes on) and is never timed; name the timed build, "
                         "and this one by --counting");
}

static enum mpb_status describe_exec(struct mpb_arm *arm, const struct mpb_resolve_input *in,
                                     struct mpb_error *err)
{
    enum mpb_status st = MPB_OK;
    for (size_t kind = 0; kind < MPB_KIND__COUNT && st == MPB_OK; kind++) {
        struct mpb_worker *w = &arm->worker[kind];
        st = check_program(arm, w->command.word[0], err);
        if (st == MPB_OK) {
            st = mpb_catalog_load(in->spawn, w->command.word, NULL, &w->catalog, err);
        }
    }
    return st == MPB_OK ? refuse_counting(arm, err) : st;
}

static enum mpb_status describe_builtin(struct mpb_arm *arm, const struct mpb_resolve_input *in,
                                        struct mpb_error *err)
{
    struct mpb_worker *timed = &arm->worker[MPB_KIND_TIMED];
    struct mpb_worker *counting = &arm->worker[MPB_KIND_COUNTING];
    enum mpb_status st = mpb_builtin_find(in->spawn, timed, counting, err);
    if (st != MPB_OK) {
        return st;
    }
    if (mpb_catalog_find(&timed->catalog, "variant", arm->variant) == NULL) {
        char where[96], text[300];
        arm_where(arm, where);
        mpb_catalog_unknown(&timed->catalog, "variant", arm->variant, text, sizeof(text));
        return mpb_error_set(err, MPB_E_USAGE, where, "%s", text);
    }
    return mpb_catalog_load(in->spawn, counting->command.word, NULL, &counting->catalog, err);
}

/* Every option of this worker that the workload does not know yet, as given or its default. */
static enum mpb_status collect_options(const struct mpb_catalog *d,
                                       const struct mpb_resolve_input *in,
                                       struct mpb_pairs *workload, struct mpb_error *err)
{
    enum mpb_status st = MPB_OK;
    const struct mpb_catalog_row *o = NULL;
    for (size_t i = 0; st == MPB_OK && (o = mpb_catalog_at(d, "option", i)) != NULL; i++) {
        const char *value = mpb_pairs_get(in->given, o->name);
        if (value == NULL) {
            value = o->unit[0] == '\0' ? "no" : o->class_;
        }
        if (mpb_pairs_get(workload, o->name) == NULL && value[0] != '\0') {
            st = mpb_pairs_set(workload, o->name, value, err);
        }
    }
    return st;
}

/* What the user gave must mean something to every arm. */
static enum mpb_status check_given(const struct mpb_arm *arm, const struct mpb_catalog *d,
                                   const struct mpb_pairs *given, struct mpb_error *err)
{
    for (size_t i = 0; i < given->n; i++) {
        const char *name = given->pair[i].key;
        if (mpb_catalog_find(d, "option", name) == NULL) {
            char where[96];
            arm_where(arm, where);
            return mpb_error_set(err, MPB_E_USAGE, where, "its worker has no option --%s", name);
        }
    }
    return MPB_OK;
}

/* Turn the workload into this worker's words and let it judge them. */
static enum mpb_status give_options(struct mpb_worker *w, const struct mpb_resolve_input *in,
                                    const struct mpb_pairs *workload, struct mpb_error *err)
{
    enum mpb_status st = MPB_OK;
    const struct mpb_catalog_row *o = NULL;
    for (size_t i = 0; st == MPB_OK && (o = mpb_catalog_at(&w->catalog, "option", i)) != NULL;
         i++) {
        const char *value = mpb_pairs_get(workload, o->name);
        bool is_flag = o->unit[0] == '\0';
        if (value == NULL || (is_flag && strcmp(value, "no") == 0)) {
            continue;
        }
        char dashed[128];
        snprintf(dashed, sizeof(dashed), "--%s", o->name);
        st = mpb_words_add(&w->options, dashed, err);
        if (st == MPB_OK && !is_flag) {
            st = mpb_words_add(&w->options, value, err);
        }
    }
    struct mpb_catalog judged = {0};
    if (st == MPB_OK) {
        st = mpb_catalog_load(in->spawn, w->command.word, w->options.word, &judged, err);
    }
    mpb_catalog_fini(&judged);
    return st;
}

enum mpb_status mpb_resolve_arms(struct mpb_arms *arms, const struct mpb_resolve_input *in,
                                 struct mpb_pairs *workload, struct mpb_error *err)
{
    enum mpb_status st = MPB_OK;
    for (size_t i = 0; i < arms->n && st == MPB_OK; i++) {
        struct mpb_arm *arm = &arms->arm[i];
        st = arm->is_builtin ? describe_builtin(arm, in, err) : describe_exec(arm, in, err);
        for (size_t kind = 0; kind < MPB_KIND__COUNT && st == MPB_OK; kind++) {
            const struct mpb_catalog *d = &arm->worker[kind].catalog;
            st = check_given(arm, d, in->given, err);
            if (st == MPB_OK) {
                st = collect_options(d, in, workload, err);
            }
        }
    }
    for (size_t i = 0; i < arms->n && st == MPB_OK; i++) {
        for (size_t kind = 0; kind < MPB_KIND__COUNT && st == MPB_OK; kind++) {
            st = give_options(&arms->arm[i].worker[kind], in, workload, err);
        }
    }
    return st;
}

static enum mpb_status add_scenario(const struct mpb_arms *arms, const char *name,
                                    struct mpb_session *session, struct mpb_error *err)
{
    for (size_t i = 0; i < arms->n; i++) {
        const struct mpb_catalog *d = &arms->arm[i].worker[MPB_KIND_TIMED].catalog;
        if (mpb_catalog_find(d, "scenario", name) == NULL) {
            char where[96], text[300];
            arm_where(&arms->arm[i], where);
            mpb_catalog_unknown(d, "scenario", name, text, sizeof(text));
            return mpb_error_set(err, MPB_E_USAGE, where, "%s", text);
        }
    }
    return mpb_session_add_scenario(session, name, err);
}

static enum mpb_status add_default_scenarios(const struct mpb_arms *arms,
                                             struct mpb_session *session, struct mpb_error *err)
{
    static const char *const preferred[] = {"micro", "macro"};
    const struct mpb_catalog *d = &arms->arm[0].worker[MPB_KIND_TIMED].catalog;
    enum mpb_status st = MPB_OK;
    for (size_t i = 0; i < MPB_ARRAY_LEN(preferred) && st == MPB_OK; i++) {
        if (mpb_catalog_find(d, "scenario", preferred[i]) != NULL) {
            st = add_scenario(arms, preferred[i], session, err);
        }
    }
    bool take_all = session->n_scenarios == 0;
    const struct mpb_catalog_row *row = NULL;
    for (size_t i = 0; take_all && st == MPB_OK && (row = mpb_catalog_at(d, "scenario", i)); i++) {
        st = add_scenario(arms, row->name, session, err);
    }
    if (st == MPB_OK && session->n_scenarios == 0) {
        st = mpb_error_set(err, MPB_E_INPUT, arms->arm[0].spec, "its worker describes no scenario");
    }
    return st;
}

enum mpb_status mpb_resolve_scenarios(const struct mpb_arms *arms, const char *text,
                                      struct mpb_session *session, struct mpb_error *err)
{
    if (text == NULL) {
        return add_default_scenarios(arms, session, err);
    }
    struct mpb_words names = {0};
    enum mpb_status st = mpb_words_split(&names, text, ",", err);
    if (st == MPB_OK && names.n == 0) {
        st = mpb_error_set(err, MPB_E_USAGE, "--scenario", "'%s' names no scenario", text);
    }
    for (size_t i = 0; i < names.n && st == MPB_OK; i++) {
        st = add_scenario(arms, names.word[i], session, err);
    }
    mpb_words_fini(&names);
    return st;
}

/* One worker's command, fingerprint and build facts under names with this prefix. */
static enum mpb_status record_worker(const struct mpb_worker *w, const char *prefix,
                                     struct mpb_pairs *facts, struct mpb_error *err)
{
    char key[96], hex[MPB_FINGERPRINT_LEN + 1], command[1024] = "";
    size_t len = 0;
    for (size_t i = 0; i < w->command.n && len < sizeof(command); i++) {
        len += (size_t)snprintf(command + len, sizeof(command) - len, "%s%s", i > 0 ? " " : "",
                                w->command.word[i]);
    }
    snprintf(key, sizeof(key), "%sworker", prefix);
    enum mpb_status st = mpb_pairs_set(facts, key, command, err);
    if (st == MPB_OK) {
        st = mpb_fingerprint_file(w->command.word[0], hex, err);
    }
    if (st == MPB_OK) {
        snprintf(key, sizeof(key), "%sworker_sha256", prefix);
        st = mpb_pairs_set(facts, key, hex, err);
    }
    const struct mpb_catalog_row *row = NULL;
    for (size_t i = 0; st == MPB_OK && (row = mpb_catalog_at(&w->catalog, "build", i)); i++) {
        snprintf(key, sizeof(key), "%s%s", prefix, row->name);
        st = mpb_pairs_set(facts, key, row->doc, err);
    }
    return st;
}

/* Metrics the metric list does not know have no better direction, whatever their worker says. */
static enum mpb_status record_metric(const struct mpb_catalog_row *row, struct mpb_session *session,
                                     struct mpb_error *err)
{
    const struct mpb_metric_info *info = mpb_metric_find(row->name);
    enum mpb_better better = info != NULL ? info->better : MPB_BETTER_NONE;
    enum mpb_class class_ = info != NULL ? info->class_ : MPB_CLASS_TIMED;
    if (mpb_session_find_metric(session, row->name) != NULL) {
        return MPB_OK; /* another arm's worker has said it */
    }
    if (info == NULL && !mpb_metric_class_find(row->class_, &class_)) {
        return mpb_error_set(err, MPB_E_INPUT, row->name, "is described with class '%s'",
                             row->class_);
    }
    if (info != NULL && strcmp(row->unit, mpb_metric_unit_name(info->unit)) != 0) {
        return mpb_error_set(err, MPB_E_INPUT, row->name, "is described in '%s', not '%s'",
                             row->unit, mpb_metric_unit_name(info->unit));
    }
    return mpb_session_add_metric(session, row->name, row->unit, better, class_, row->doc, err);
}

static enum mpb_status record_arm(const struct mpb_arm *arm, struct mpb_session *session,
                                  struct mpb_error *err)
{
    static const char *const prefixes[MPB_KIND__COUNT] = {"", "counting_"};
    enum mpb_status st = mpb_session_add_arm(session, arm->label, arm->spec, arm->variant, err);
    for (size_t kind = 0; kind < MPB_KIND__COUNT && st == MPB_OK; kind++) {
        const struct mpb_worker *w = &arm->worker[kind];
        st = record_worker(w, prefixes[kind], &session->arm[session->n_arms - 1].facts, err);
        const struct mpb_catalog_row *row = NULL;
        for (size_t i = 0; st == MPB_OK && (row = mpb_catalog_at(&w->catalog, "metric", i)); i++) {
            st = record_metric(row, session, err);
        }
    }
    return st;
}

enum mpb_status mpb_resolve_record(const struct mpb_arms *arms, struct mpb_session *session,
                                   struct mpb_error *err)
{
    enum mpb_status st = MPB_OK;
    for (size_t i = 0; i < arms->n && st == MPB_OK; i++) {
        st = record_arm(&arms->arm[i], session, err);
    }
    return st;
}
