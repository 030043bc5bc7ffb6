/* select.c: rows by a regular expression. */
#include "harness/select.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum mpb_status compile(const char *pattern, regex_t *re, struct mpb_error *err)
{
    int rc = regcomp(re, pattern, REG_EXTENDED | REG_NOSUB);
    if (rc != 0) {
        char why[128];
        regerror(rc, re, why, sizeof(why));
        return mpb_error_set(err, MPB_E_USAGE, "--filter", "'%s': %s", pattern, why);
    }
    return MPB_OK;
}

static bool matches(const regex_t *re, const char *name)
{
    return regexec(re, name, 0, NULL, 0) == 0;
}

static bool matches_metric(const regex_t *re, const char *name)
{
    const struct mpb_metric_info *info = mpb_metric_find(name);
    bool found = matches(re, name);
    for (int i = 0; !found && info != NULL && info->shape == MPB_SHAPE_SUM && i < MPB_SITE__COUNT;
         i++) {
        char part[128];
        snprintf(part, sizeof(part), "%s/%s", name, mpb_metric_site_info((enum mpb_site)i)->name);
        found = matches(re, part);
    }
    return found;
}

enum mpb_status mpb_select_check(const char *pattern, const struct mpb_session *session,
                                 struct mpb_error *err)
{
    regex_t re;
    enum mpb_status st = compile(pattern, &re, err);
    if (st != MPB_OK) {
        return st;
    }
    bool found = false;
    for (size_t i = 0; i < session->n_metrics && !found; i++) {
        found = matches_metric(&re, mpb_names_text(&session->names, session->metric[i].metric));
    }
    regfree(&re);
    return found ? MPB_OK
                 : mpb_error_set(err, MPB_E_USAGE, "--filter",
                                 "'%s' matches no metric (see `msgpath list metrics`)", pattern);
}

/* Room for everything the model has; what does not match is left out again. */
static bool reserve(const struct mpb_model *model, struct mpb_model *out)
{
    out->ab = calloc(model->n_ab + 1, sizeof(*out->ab));
    out->summary = calloc(model->n_summary + 1, sizeof(*out->summary));
    out->scenario = calloc(model->n_scenarios + 1, sizeof(*out->scenario));
    return out->ab != NULL && out->summary != NULL && out->scenario != NULL;
}

enum mpb_status mpb_select_model(const char *pattern, const struct mpb_model *model,
                                 struct mpb_model *out, struct mpb_error *err)
{
    regex_t re;
    struct mpb_model m = {.session = model->session};
    enum mpb_status st = compile(pattern, &re, err);
    if (st != MPB_OK) {
        return st;
    }
    if (!reserve(model, &m)) {
        st = mpb_error_set(err, MPB_E_NOMEM, "--filter", NULL);
        goto out;
    }
    for (size_t i = 0; i < model->n_ab; i++) {
        if (matches(&re, model->ab[i].metric)) {
            m.ab[m.n_ab++] = model->ab[i];
        }
    }
    size_t n_shown = m.n_ab;
    for (size_t i = 0; i < model->n_summary; i++) {
        const char *metric = model->summary[i].metric;
        bool shown = matches(&re, metric);
        n_shown += shown;
        if (shown || strcmp(metric, "messages") == 0) { /* counts are shown per message */
            m.summary[m.n_summary++] = model->summary[i];
        }
    }
    for (size_t i = 0; i < model->n_scenarios; i++) {
        m.scenario[m.n_scenarios++] = model->scenario[i];
    }
    if (n_shown == 0) {
        st =
            mpb_error_set(err, MPB_E_USAGE, "--filter", "'%s' matches no measured metric", pattern);
    }
out:
    regfree(&re);
    if (st != MPB_OK) {
        mpb_model_fini(&m);
        return st;
    }
    *out = m;
    return MPB_OK;
}
