/* md_sites.c: sites down, arms across. The bare metric is the sum of its parts, so a part that an
 * arm does not report is 0 there. */
#include "reports/md_sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/cells.h"
#include "reports/md.h"
#include "reports/units.h"

/* A table of some metrics by site, of one run of a scenario. */
struct by_site {
    const struct mpb_model *model;
    const char *scenario;
    enum mpb_metric metric[MPB_METRIC__COUNT]; /* n of them, not 0 everywhere */
    size_t n;
    int run;
    const char **part; /* part[n_parts], in the path's order */
    size_t n_parts;
};

/* What a summary row says per message; NAN without messages. */
static double per_message(const struct by_site *t, size_t arm, const char *name)
{
    const struct mpb_summary_row *row =
        mpb_model_find_summary(t->model, arm, t->scenario, name, t->run);
    double messages = mpb_cells_messages(t->model, arm, t->scenario, t->run);
    return row != NULL ? row->median / messages : 0;
}

static double part_value(const struct by_site *t, size_t arm, size_t metric, const char *part)
{
    char name[256];
    snprintf(name, sizeof(name), "%s%s%s", mpb_metric_info(t->metric[metric])->name,
             part[0] != '\0' ? "/" : "", part);
    return per_message(t, arm, name);
}

/* Where a part stands: by node, then in the order of the site list. */
static int compare_parts(const char *x, const char *y)
{
    const char *parts[] = {x, y};
    size_t rank[2], node[2];
    for (size_t i = 0; i < 2; i++) {
        const char *slash = strrchr(parts[i], '/');
        const char *site = slash != NULL ? slash + 1 : parts[i];
        node[i] = (size_t)(site - parts[i]);
        rank[i] = 0;
        while (rank[i] < MPB_SITE__COUNT &&
               strcmp(mpb_metric_site_info((enum mpb_site)rank[i])->name, site) != 0) {
            rank[i]++;
        }
    }
    int nodes = strncmp(x, y, node[0] > node[1] ? node[0] : node[1]);
    if ((node[0] > 0 || node[1] > 0) && nodes != 0) {
        return nodes;
    }
    return rank[0] != rank[1] ? (rank[0] < rank[1] ? -1 : 1) : strcmp(x, y);
}

static int compare_part_pointers(const void *a, const void *b)
{
    return compare_parts(*(const char *const *)a, *(const char *const *)b);
}

static bool is_of_metric(const struct by_site *t, const char *name)
{
    for (size_t i = 0; i < t->n; i++) {
        const char *metric = mpb_metric_info(t->metric[i])->name;
        size_t len = strlen(metric);
        if (strncmp(name, metric, len) == 0 && name[len] == '/') {
            return true;
        }
    }
    return false;
}

/* The parts that any arm has above 0, each once. */
static enum mpb_status collect_parts(struct by_site *t, struct mpb_error *err)
{
    const struct mpb_model *model = t->model;
    t->part = calloc(model->n_summary + 1, sizeof(*t->part));
    if (t->part == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "report", NULL);
    }
    for (size_t i = 0; i < model->n_summary; i++) {
        const struct mpb_summary_row *row = &model->summary[i];
        if (row->run != t->run || !(row->max > 0) || strcmp(row->scenario, t->scenario) != 0 ||
            !is_of_metric(t, row->metric)) {
            continue;
        }
        const char *part = strchr(row->metric, '/') + 1;
        bool known = false;
        for (size_t j = 0; j < t->n_parts && !known; j++) {
            known = strcmp(t->part[j], part) == 0;
        }
        if (!known) {
            t->part[t->n_parts++] = part;
        }
    }
    qsort(t->part, t->n_parts, sizeof(*t->part), compare_part_pointers);
    return MPB_OK;
}

static struct mpb_scale scale_of(const struct by_site *t, size_t metric)
{
    const struct mpb_metric_info *info = mpb_metric_info(t->metric[metric]);
    double largest = 0;
    for (size_t arm = 0; arm < t->model->session->n_arms; arm++) {
        double value = part_value(t, arm, metric, "");
        largest = value > largest ? value : largest;
    }
    largest /= 1000; /* one step finer than the sum: small sites stand beside large ones */
    struct mpb_scale scale = mpb_units_scale(mpb_metric_unit_name(info->unit), &largest, 1);
    scale.decimals = info->unit == MPB_UNIT_COUNT ? 3 : (scale.divisor > 1 ? 1 : 0);
    return scale;
}

static void put_site_row(const struct by_site *t, const char *part, struct mpb_md_table *table)
{
    mpb_md_cell(table, part[0] != '\0' ? part : "all");
    for (size_t m = 0; m < t->n; m++) {
        struct mpb_scale scale = scale_of(t, m);
        for (size_t arm = 0; arm < t->model->session->n_arms; arm++) {
            char text[64];
            mpb_units_format(part_value(t, arm, m, part), &scale, text, sizeof(text));
            mpb_md_cell(table, text);
        }
    }
}

static void put_site_table(const struct by_site *t, FILE *f)
{
    const struct mpb_session *s = t->model->session;
    struct mpb_md_table table;
    char *align = malloc(2 + t->n * s->n_arms);
    if (align == NULL) {
        return;
    }
    memset(align, 'r', 1 + t->n * s->n_arms);
    align[0] = 'l';
    align[1 + t->n * s->n_arms] = '\0';
    mpb_md_begin(&table, f, align);
    mpb_md_cell(&table, "site");
    for (size_t m = 0; m < t->n; m++) {
        for (size_t arm = 0; arm < s->n_arms; arm++) {
            mpb_md_cellf(&table, "%s %s", mpb_metric_info(t->metric[m])->name, s->arm[arm].label);
        }
    }
    for (size_t i = 0; i < t->n_parts; i++) {
        put_site_row(t, t->part[i], &table);
    }
    put_site_row(t, "", &table);
    mpb_md_end(&table);
    free(align);
}

/* Does any arm have the metric above 0 in this run? */
static bool is_measured(const struct mpb_model *model, const char *scenario, const char *metric,
                        int run)
{
    for (size_t arm = 0; arm < model->session->n_arms; arm++) {
        const struct mpb_summary_row *row =
            mpb_model_find_summary(model, arm, scenario, metric, run);
        if (row != NULL && row->max > 0) {
            return true;
        }
    }
    return false;
}

/* Whether an arm's figures of one metric are those of run 1. */
static bool repeats(const struct by_site *t, const struct by_site *first, size_t arm, size_t metric)
{
    for (size_t i = 0; i <= t->n_parts; i++) {
        const char *part = i < t->n_parts ? t->part[i] : "";
        double x = part_value(t, arm, metric, part), y = part_value(first, arm, metric, part);
        if (!(fabs(x - y) <= 0)) {
            return false;
        }
    }
    return true;
}

/* Whether a run gives every figure of run 1 again, per message. */
static bool repeats_run_1(const struct by_site *t)
{
    struct by_site first = *t;
    bool same = true;
    first.run = 1;
    for (size_t m = 0; m < t->n; m++) {
        for (size_t arm = 0; arm < t->model->session->n_arms; arm++) {
            same = same && repeats(t, &first, arm, m);
        }
    }
    return same;
}

/* One run: a table, or a sentence where it repeats run 1. *any false: nothing was measured. */
static enum mpb_status put_run(struct by_site *t, const struct mpb_md_sites *sites, FILE *f,
                               bool *any, struct mpb_error *err)
{
    for (size_t i = 0; i < sites->n; i++) {
        if (is_measured(t->model, t->scenario, mpb_metric_info(sites->metric[i])->name, t->run)) {
            t->metric[t->n++] = sites->metric[i];
        }
    }
    *any = t->n > 0;
    enum mpb_status st = *any ? collect_parts(t, err) : MPB_OK;
    if (st != MPB_OK || !*any) {
        return st;
    }
    if (t->run > 1 && repeats_run_1(t)) {
        mpb_md_paragraph(f, "Run %d: the same.", t->run);
    } else {
        mpb_md_paragraph(f, "Run %d:", t->run);
        put_site_table(t, f);
    }
    free(t->part);
    return MPB_OK;
}

enum mpb_status mpb_md_sites_write(const struct mpb_model *model, const char *scenario,
                                   const struct mpb_md_sites *sites, FILE *f, struct mpb_error *err)
{
    bool any = true;
    for (int run = 1; any; run++) {
        struct by_site t = {.model = model, .scenario = scenario, .run = run};
        enum mpb_status st = put_run(&t, sites, f, &any, err);
        if (st != MPB_OK) {
            return st;
        }
        if (!any && run == 1) {
            mpb_md_paragraph(f,
                             "n/a: no counting pass of %s was accepted, or none of these counts "
                             "is above 0.",
                             scenario);
        }
    }
    return MPB_OK;
}
