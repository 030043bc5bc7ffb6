/* compare.c: walks groups and pairs; the rules are in verdict.c, the figures in stats.c. */
#include "harness/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/contrast.h"
#include "harness/gather.h"
#include "harness/noise.h"
#include "harness/stats.h"
#include "harness/verdict.h"

/* Exact metrics that say what work was done: arms that differ in one did not do the same. */
static const char *const work_metrics[] = {"messages", "delivered", "archived", "digest"};

struct work {
    const struct mpb_session *session;
    struct mpb_gather gather;
    struct mpb_verdict_rules rules;
    double *scratch; /* [gather's largest group + passes] */
    struct mpb_model model;
    size_t cap_ab, cap_summary, cap_scenarios;
    struct mpb_error *err;
};

struct pair {
    size_t a, b;
};

static const char *text_of(const struct work *w, uint16_t id)
{
    return mpb_names_text(&w->session->names, id);
}

/* items with room for one more; NULL when out of memory. */
static void *room(void *items, size_t n, size_t *cap, size_t size)
{
    if (n < *cap) {
        return items;
    }
    size_t want = *cap == 0 ? 64 : *cap * 2;
    void *grown = realloc(items, want * size);
    if (grown != NULL) {
        *cap = want;
    }
    return grown;
}

static enum mpb_status no_memory(const struct work *w)
{
    return mpb_error_set(w->err, MPB_E_NOMEM, "session", NULL);
}

/* The group of the whole that a part belongs to, in the same scenario and run; NULL if none. */
static const struct mpb_gather_group *whole_of(const struct work *w,
                                               const struct mpb_gather_group *part)
{
    const char *name = text_of(w, part->metric);
    size_t len = strcspn(name, "/");
    for (const struct mpb_gather_group *g = part; g-- > w->gather.group;) {
        const char *whole = text_of(w, g->metric);
        if (g->scenario_idx != part->scenario_idx) {
            break;
        }
        if (g->run == part->run && strlen(whole) == len && strncmp(whole, name, len) == 0) {
            return g;
        }
    }
    return NULL;
}

/* What an arm measured. A part that a pass did not print, though it printed the whole, is 0. */
static struct mpb_verdict_range range_of(const struct work *w, const struct mpb_gather_group *g,
                                         size_t arm)
{
    size_t n = 0, n_whole = 0;
    const struct mpb_gather_value *v = mpb_gather_of_arm(g, arm, &n);
    const struct mpb_gather_group *whole = g->is_part ? whole_of(w, g) : NULL;
    if (whole != NULL) {
        mpb_gather_of_arm(whole, arm, &n_whole);
    }
    struct mpb_verdict_range r = {.is_integer = true, .min_exact = UINT64_MAX};
    size_t total = n_whole > n ? n_whole : n;
    for (size_t i = 0; i < total; i++) {
        bool there = i < n;
        uint64_t integer = there ? v[i].integer : 0;
        w->scratch[i] = there ? v[i].real : 0;
        r.is_integer = r.is_integer && (!there || v[i].is_integer);
        r.min_exact = integer < r.min_exact ? integer : r.min_exact;
        r.max_exact = integer > r.max_exact ? integer : r.max_exact;
    }
    mpb_stats_sort(w->scratch, total);
    r.n = (unsigned)total;
    r.median = mpb_stats_median(w->scratch, total);
    r.min = total > 0 ? w->scratch[0] : (double)NAN;
    r.max = total > 0 ? w->scratch[total - 1] : (double)NAN;
    r.is_integer = r.is_integer && total > 0;
    return r;
}

static enum mpb_status add_summary(struct work *w, const struct mpb_gather_group *g, size_t arm)
{
    struct mpb_model *m = &w->model;
    struct mpb_verdict_range r = range_of(w, g, arm);
    if (r.n == 0) {
        return MPB_OK;
    }
    void *grown = room(m->summary, m->n_summary, &w->cap_summary, sizeof(*m->summary));
    if (grown == NULL) {
        return no_memory(w);
    }
    m->summary = grown;
    m->summary[m->n_summary++] = (struct mpb_summary_row){
        .scenario = text_of(w, w->session->scenario[g->scenario_idx]),
        .metric = text_of(w, g->metric),
        .unit = text_of(w, g->value[0].unit),
        .run = g->run,
        .class_ = g->class_,
        .better = g->better,
        .arm = arm,
        .median = r.median,
        .min = r.min,
        .max = r.max,
        .is_integer = r.is_integer,
        .min_exact = r.is_integer ? r.min_exact : 0,
        .max_exact = r.is_integer ? r.max_exact : 0,
        .n = r.n,
    };
    return MPB_OK;
}

/* Why this pair cannot be compared in this scenario, into out; "" if it can. */
static void find_work_difference(const struct work *w, size_t scenario_idx, struct pair pair,
                                 char *out, size_t cap)
{
    out[0] = '\0';
    for (size_t i = 0; i < w->gather.n && out[0] == '\0'; i++) {
        const struct mpb_gather_group *g = &w->gather.group[i];
        bool guards = false;
        for (size_t k = 0; k < MPB_ARRAY_LEN(work_metrics); k++) {
            guards = guards || strcmp(text_of(w, g->metric), work_metrics[k]) == 0;
        }
        if (g->scenario_idx != scenario_idx || !guards) {
            continue;
        }
        struct mpb_verdict_range a = range_of(w, g, pair.a), b = range_of(w, g, pair.b);
        bool same = a.min_exact == b.min_exact && a.max_exact == b.max_exact;
        if (a.n > 0 && b.n > 0 && !same) {
            snprintf(out, cap, "%s differ in run %d: %llu and %llu", text_of(w, g->metric), g->run,
                     (unsigned long long)a.min_exact, (unsigned long long)b.min_exact);
        }
    }
}

/* Figures and verdict of a row that has values on both sides. */
static enum mpb_status judge(struct work *w, const struct mpb_gather_group *g, struct pair pair,
                             struct mpb_ab_row *row)
{
    struct mpb_verdict_range a = range_of(w, g, pair.a), b = range_of(w, g, pair.b);
    if (g->class_ == MPB_CLASS_EXACT) {
        mpb_verdict_exact(row, &a, &b, &w->rules);
        return MPB_OK;
    }
    if (g->class_ == MPB_CLASS_LEVEL) {
        mpb_verdict_level(row, &a, &b, &w->rules);
        return MPB_OK;
    }
    struct mpb_contrast c = {0};
    enum mpb_status st = mpb_contrast_arms(w->session, g, pair.a, pair.b, &c, w->err);
    if (st == MPB_OK) {
        mpb_verdict_timed(row, &c, &w->rules);
    }
    mpb_contrast_fini(&c);
    return st;
}

static uint16_t unit_of(const struct mpb_gather_group *g, size_t arm)
{
    size_t n = 0;
    const struct mpb_gather_value *v = mpb_gather_of_arm(g, arm, &n);
    return n > 0 ? v[0].unit : g->value[0].unit;
}

static enum mpb_status fill_ab(struct work *w, const struct mpb_gather_group *g, struct pair pair,
                               const char *difference, struct mpb_ab_row *row)
{
    struct mpb_verdict_range a = range_of(w, g, pair.a), b = range_of(w, g, pair.b);
    uint16_t unit_a = unit_of(g, pair.a), unit_b = unit_of(g, pair.b);
    row->a = a.median;
    row->b = b.median;
    if (a.n == 0 || b.n == 0) {
        row->verdict = MPB_VERDICT_MISSING;
        snprintf(row->reason, sizeof(row->reason), "measured only in %s",
                 w->session->arm[a.n > 0 ? pair.a : pair.b].label);
    } else if (unit_a != unit_b) {
        row->verdict = MPB_VERDICT_NOT_COMPARABLE;
        snprintf(row->reason, sizeof(row->reason), "units differ: %.40s and %.40s",
                 text_of(w, unit_a), text_of(w, unit_b));
    } else if (difference[0] != '\0') {
        row->verdict = MPB_VERDICT_NOT_COMPARABLE;
        snprintf(row->reason, sizeof(row->reason), "%s", difference);
    } else {
        return judge(w, g, pair, row);
    }
    return MPB_OK;
}

static enum mpb_status add_ab(struct work *w, const struct mpb_gather_group *g, struct pair pair,
                              const char *difference)
{
    struct mpb_model *m = &w->model;
    size_t n_a = range_of(w, g, pair.a).n, n_b = range_of(w, g, pair.b).n;
    if (n_a == 0 && n_b == 0) {
        return MPB_OK; /* only other arms have it */
    }
    void *grown = room(m->ab, m->n_ab, &w->cap_ab, sizeof(*m->ab));
    if (grown == NULL) {
        return no_memory(w);
    }
    m->ab = grown;
    struct mpb_ab_row row = {
        .scenario = text_of(w, w->session->scenario[g->scenario_idx]),
        .metric = text_of(w, g->metric),
        .unit = text_of(w, g->value[0].unit),
        .run = g->run,
        .class_ = g->class_,
        .better = g->better,
        .a_arm = pair.a,
        .b_arm = pair.b,
        .a = NAN,
        .b = NAN,
        .ratio = NAN,
        .low = NAN,
        .high = NAN,
        .level = NAN,
        .p = NAN,
        .trimmed = NAN,
        .sign_low = NAN,
        .sign_high = NAN,
        .mde80 = NAN,
    };
    enum mpb_status st = fill_ab(w, g, pair, difference, &row);
    if (st == MPB_OK) {
        m->ab[m->n_ab++] = row;
    }
    return st;
}

/* The first timed group of a scenario. */
static const struct mpb_gather_group *headline_of(const struct work *w, size_t scenario_idx)
{
    for (size_t i = 0; i < w->gather.n; i++) {
        const struct mpb_gather_group *g = &w->gather.group[i];
        if (g->scenario_idx == scenario_idx && g->class_ == MPB_CLASS_TIMED) {
            return g;
        }
    }
    return NULL;
}

static enum mpb_status add_scenario(struct work *w, size_t scenario_idx, struct pair pair)
{
    struct mpb_model *m = &w->model;
    void *grown = room(m->scenario, m->n_scenarios, &w->cap_scenarios, sizeof(*m->scenario));
    if (grown == NULL) {
        return no_memory(w);
    }
    m->scenario = grown;
    uint16_t id = w->session->scenario[scenario_idx];
    struct mpb_gather_blocks blocks = mpb_gather_count_blocks(w->session, id);
    const struct mpb_gather_group *g = headline_of(w, scenario_idx);
    struct mpb_scenario_note note = {
        .scenario = text_of(w, id),
        .a_arm = pair.a,
        .b_arm = pair.b,
        .headline = g != NULL ? text_of(w, g->metric) : "",
        .blocks_planned = w->session->plan.n_blocks,
        .blocks_done = blocks.done,
        .blocks_torn = blocks.torn,
        .noise_floor = NAN,
        .order_effect = NAN,
        .order_low = NAN,
        .order_high = NAN,
        .mde80 = NAN,
    };
    enum mpb_status st = g != NULL ? mpb_noise_measure(w->session, g, &note, w->err) : MPB_OK;
    const struct mpb_ab_row *row =
        mpb_model_find_ab(m, note.scenario, note.headline, MPB_RUN_MEAN, pair.a, pair.b);
    note.mde80 = row != NULL ? row->mde80 : (double)NAN;
    if (st == MPB_OK) {
        m->scenario[m->n_scenarios++] = note;
    }
    return st;
}

static enum mpb_status compare_pair(struct work *w, size_t scenario_idx, struct pair pair)
{
    char difference[128];
    find_work_difference(w, scenario_idx, pair, difference, sizeof(difference));
    enum mpb_status st = MPB_OK;
    for (size_t i = 0; i < w->gather.n && st == MPB_OK; i++) {
        const struct mpb_gather_group *g = &w->gather.group[i];
        if (g->scenario_idx == scenario_idx && pair.a != pair.b) {
            st = add_ab(w, g, pair, difference);
        }
    }
    return st == MPB_OK ? add_scenario(w, scenario_idx, pair) : st;
}

/* One arm is its own pair: no rows, but what its noise is. */
static enum mpb_status compare_scenario(struct work *w, size_t scenario_idx)
{
    size_t n = w->session->n_arms;
    enum mpb_status st = n == 1 ? compare_pair(w, scenario_idx, (struct pair){0, 0}) : MPB_OK;
    for (size_t b = 1; b < n && st == MPB_OK; b++) {
        st = compare_pair(w, scenario_idx, (struct pair){b - 1, b});
        if (st == MPB_OK && b > 1) {
            st = compare_pair(w, scenario_idx, (struct pair){0, b});
        }
    }
    return st;
}

enum mpb_status mpb_compare_session(const struct mpb_session *session, struct mpb_model *out,
                                    struct mpb_error *err)
{
    struct work w = {
        .session = session,
        .rules = {session->plan.equal, session->plan.level, session->plan.n_counting_passes},
        .model = {.session = session},
        .err = err,
    };
    w.scratch = calloc(2 * session->n_passes + 1, sizeof(*w.scratch));
    enum mpb_status st =
        w.scratch == NULL ? no_memory(&w) : mpb_gather_session(session, &w.gather, err);
    for (size_t i = 0; i < session->n_scenarios && st == MPB_OK; i++) {
        st = compare_scenario(&w, i);
    }
    for (size_t i = 0; i < w.gather.n && st == MPB_OK; i++) {
        for (size_t arm = 0; arm < session->n_arms && st == MPB_OK; arm++) {
            st = add_summary(&w, &w.gather.group[i], arm);
        }
    }
    free(w.scratch);
    mpb_gather_fini(&w.gather);
    if (st != MPB_OK) {
        mpb_model_fini(&w.model);
        return st;
    }
    *out = w.model;
    return MPB_OK;
}

size_t mpb_compare_count(const struct mpb_model *model)
{
    size_t n = 0;
    for (size_t i = 0; i < model->n_ab; i++) {
        n += model->ab[i].verdict != MPB_VERDICT_MISSING;
    }
    return n;
}
