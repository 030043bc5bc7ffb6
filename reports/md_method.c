/* md_method.c: the methodology table, row by row from the session. */
#include "reports/md_method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/cells.h"
#include "reports/md.h"
#include "reports/units.h"

/* Exact coverage of the order-statistic interval for a median from n blocks: 1 - 2 P(Bin(n, 1/2)
 * < k) with the largest k for which the error stays within level; 0 if there is none. */
static double coverage_of(unsigned n, double level)
{
    double term = pow(0.5, n), tail = term, best = 0; /* P(Bin = 0), P(Bin <= 0) */
    for (unsigned k = 1; k <= n && 2 * tail <= level; k++) {
        best = 1 - 2 * tail;
        term *= (double)(n - k + 1) / k;
        tail += term;
    }
    return best;
}

static void put_workload(const struct mpb_session *s, struct mpb_md_table *table)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (f == NULL) {
        return;
    }
    for (size_t i = 0; i < s->workload.n; i++) {
        fprintf(f, "%s%s %s", i > 0 ? ", " : "", s->workload.pair[i].key,
                s->workload.pair[i].value);
    }
    if (fclose(f) == 0) {
        mpb_md_cell(table, "workload");
        mpb_md_cell(table, s->workload.n > 0 ? text : "the worker's own defaults");
    }
    free(text);
}

static void put_plan(const struct mpb_session *s, struct mpb_md_table *table)
{
    char limit[32];
    double limit_ns = (double)s->plan.pass_timeout_ns;
    struct mpb_scale scale = mpb_units_scale("ns", &limit_ns, 1);
    mpb_units_format(limit_ns, &scale, limit, sizeof(limit));
    mpb_md_cell(table, "order");
    mpb_md_cell(table, s->n_arms > 1
                           ? "a block is a random permutation of the arms followed by its reverse; "
                             "each pass is a fresh process"
                           : "each pass is a fresh process");
    mpb_md_cell(table, "plan");
    mpb_md_cellf(table, "%u blocks a scenario, seed %llu, time limit of a pass %s",
                 s->plan.n_blocks, (unsigned long long)s->plan.seed, limit);
    mpb_md_cell(table, "counting");
    mpb_md_cellf(table, "%u passes an arm and scenario, run first, by a worker that is never timed",
                 s->plan.n_counting_passes);
}

static void put_blocks(const struct mpb_model *model, struct mpb_md_table *table)
{
    for (size_t i = 0; i < model->n_scenarios; i++) {
        const struct mpb_scenario_note *note = &model->scenario[i];
        if (i > 0 && strcmp(note->scenario, model->scenario[i - 1].scenario) == 0) {
            continue;
        }
        double coverage = coverage_of(note->blocks_done, model->session->plan.level);
        mpb_md_cellf(table, "blocks of %s", note->scenario);
        if (coverage > 0) {
            mpb_md_cellf(table,
                         "%u of %u done, %u torn; the interval from %u blocks covers %.1f %%",
                         note->blocks_done, note->blocks_planned, note->blocks_torn,
                         note->blocks_done, 100 * coverage);
        } else {
            mpb_md_cellf(table, "%u of %u done, %u torn; too few for an interval",
                         note->blocks_done, note->blocks_planned, note->blocks_torn);
        }
    }
}

struct extent {
    double low, high;
};

static void widen(struct extent *e, double value)
{
    if (isfinite(value)) {
        e->low = isfinite(e->low) && e->low < value ? e->low : value;
        e->high = isfinite(e->high) && e->high > value ? e->high : value;
    }
}

static void put_extent(struct mpb_md_table *table, const char *name, struct extent e)
{
    mpb_md_cell(table, name);
    if (isfinite(e.low)) {
        mpb_md_cellf(table, "%.2f .. %.2f", e.low, e.high);
    } else {
        mpb_md_cell(table, "n/a: not readable here");
    }
}

static void put_passes(const struct mpb_session *s, struct mpb_md_table *table)
{
    size_t n[MPB_KIND__COUNT] = {0}, n_bad = 0;
    struct extent load = {NAN, NAN}, pressure = {NAN, NAN}, spread = {NAN, NAN};
    for (size_t i = 0; i < s->n_passes; i++) {
        const struct mpb_pass *pass = &s->pass[i];
        n[pass->kind]++;
        n_bad += !pass->accepted;
        widen(&load, pass->load1);
        widen(&pressure, pass->psi_cpu);
        if (pass->kind == MPB_KIND_TIMED) {
            widen(&spread, pass->spread_pct);
        }
    }
    mpb_md_cell(table, "passes");
    mpb_md_cellf(table, "%zu timed, %zu counting, %zu of them not accepted", n[MPB_KIND_TIMED],
                 n[MPB_KIND_COUNTING], n_bad);
    put_extent(table, "load average at the passes' starts", load);
    put_extent(table, "CPU pressure there (avg10, %)", pressure);
    put_extent(table, "spread of a timed pass's runs, (max - min) / max of msg_per_s, %", spread);
}

static void put_estimators(const struct mpb_session *s, struct mpb_md_table *table)
{
    char equal[32], confidence[16];
    mpb_cells_confidence(s->plan.level, confidence, sizeof(confidence));
    mpb_cells_confidence(1 - s->plan.equal, equal, sizeof(equal));
    const char *const rows[][2] = {
        {"value of a pass", "mean over its runs from 1 on; exact metrics: each run by itself"},
        {"figures of an arm", "median over the passes that count (accepted, in a whole block)"},
        {"change of a timed metric",
         "exp(median of the block values) - 1; a block's value is the mean of its two log-ratios; "
         "beside it the 20 % trimmed mean of the block values"},
        {"interval of a timed metric",
         "order statistics of the block values (the sign test inverted); no assumption on their "
         "shape"},
        {"level metrics",
         "range from min b / max a to max b / min a over the passes; no error rate "
         "is claimed for them"},
        {"exact metrics", "integers, compared for equality; per message: a run's total / its "
                          "messages; no interval, no error rate"},
    };
    for (size_t i = 0; i < (s->n_arms > 1 ? MPB_ARRAY_LEN(rows) : 2); i++) {
        mpb_md_cells(table, rows[i], 2);
    }
    if (s->n_arms < 2) {
        return;
    }
    mpb_md_cell(table, "improved, regressed");
    mpb_md_cellf(table,
                 "the %s interval excludes no change; for identical programs that happens in "
                 "at most %.4g %% of sessions, for each timed row by itself, not for all "
                 "rows together",
                 confidence, 100 * s->plan.level);
    mpb_md_cell(table, "unchanged");
    mpb_md_cellf(table,
                 "the whole interval lies within -%s .. +%s; what is neither is inconclusive",
                 equal, equal);
}

static void put_environment(const struct mpb_session *s, struct mpb_md_table *table)
{
    for (size_t i = 0; i < s->environment.n; i++) {
        mpb_md_cell(table, s->environment.pair[i].key);
        mpb_md_cell(table, s->environment.pair[i].value);
    }
}

/* One row of the arms' table: a fact and its value in each arm. */
static void put_fact(const struct mpb_session *s, const char *key, struct mpb_md_table *table)
{
    mpb_md_cell(table, key);
    for (size_t i = 0; i < s->n_arms; i++) {
        const char *value = mpb_pairs_get(&s->arm[i].facts, key);
        mpb_md_cell(table, value != NULL ? value : "n/a");
    }
}

/* A fact of the counting worker that only repeats the timed one's. */
static bool is_repeated(const struct mpb_session *s, const char *key)
{
    static const char prefix[] = "counting_";
    if (strncmp(key, prefix, sizeof(prefix) - 1) != 0) {
        return false;
    }
    for (size_t i = 0; i < s->n_arms; i++) {
        const char *counting = mpb_pairs_get(&s->arm[i].facts, key);
        const char *timed = mpb_pairs_get(&s->arm[i].facts, key + sizeof(prefix) - 1);
        if (counting == NULL || timed == NULL || strcmp(counting, timed) != 0) {
            return false;
        }
    }
    return true;
}

/* Did an arm before this one have the fact? */
static bool is_told(const struct mpb_session *s, size_t arm, const char *key)
{
    for (size_t i = 0; i < arm; i++) {
        if (mpb_pairs_get(&s->arm[i].facts, key) != NULL) {
            return true;
        }
    }
    return false;
}

static void put_arm_rows(const struct mpb_session *s, struct mpb_md_table *table)
{
    mpb_md_cell(table, "arm");
    for (size_t i = 0; i < s->n_arms; i++) {
        mpb_md_cell(table, s->arm[i].label);
    }
    mpb_md_cell(table, "spec");
    for (size_t i = 0; i < s->n_arms; i++) {
        mpb_md_cell(table, s->arm[i].spec);
    }
    mpb_md_cell(table, "variant");
    for (size_t i = 0; i < s->n_arms; i++) {
        mpb_md_cell(table, s->arm[i].variant);
    }
    for (size_t i = 0; i < s->n_arms; i++) {
        const struct mpb_pairs *facts = &s->arm[i].facts;
        for (size_t j = 0; j < facts->n; j++) {
            const char *key = facts->pair[j].key;
            if (!is_told(s, i, key) && !is_repeated(s, key)) {
                put_fact(s, key, table);
            }
        }
    }
}

static void put_arms(const struct mpb_session *s, FILE *f)
{
    struct mpb_md_table table;
    char *align = malloc(s->n_arms + 2);
    if (align == NULL) {
        return;
    }
    memset(align, 'l', s->n_arms + 1);
    align[s->n_arms + 1] = '\0';
    mpb_md_begin(&table, f, align);
    put_arm_rows(s, &table);
    mpb_md_end(&table);
    free(align);
}

void mpb_md_method_write(const struct mpb_model *model, FILE *f)
{
    const struct mpb_session *s = model->session;
    struct mpb_md_table table;
    mpb_md_heading(f, 2, "How this was measured");
    mpb_md_begin(&table, f, "ll");
    mpb_md_cell(&table, "item");
    mpb_md_cell(&table, "value");
    mpb_md_cell(&table, "command");
    mpb_md_cell(&table, s->command != NULL ? s->command : "n/a");
    mpb_md_cell(&table, "started");
    mpb_md_cellf(&table, "%s, msgpath %s", s->started != NULL ? s->started : "n/a",
                 s->version != NULL ? s->version : "n/a");
    put_workload(s, &table);
    put_plan(s, &table);
    put_blocks(model, &table);
    put_passes(s, &table);
    put_estimators(s, &table);
    put_environment(s, &table);
    mpb_md_end(&table);
    mpb_md_paragraph(f, "The arms. A fact of the counting worker (counting_...) is listed where it "
                        "is not the timed worker's.");
    put_arms(s, f);
}
