/* sample.c: the same shapes the harness makes: rows of passes, then summaries and comparisons. */
#include "reports/tests/sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_COUNTING 3
#define N_RUNS 2

static const char *metric_name(enum mpb_metric metric)
{
    return mpb_metric_info(metric)->name;
}

/* Timed metrics: medians of the two arms, the change and its interval. */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): read as a table */
static const struct {
    enum mpb_metric metric;
    double a, b, ratio, low, high, p;
    enum mpb_verdict verdict;
    const char *reason;
} timed[] = {
    {MPB_METRIC_MSG_PER_S, 9184, 26402, 2.875, 2.791, 2.95, 0.0078, MPB_VERDICT_IMPROVED, ""},
    {MPB_METRIC_WALL, 108886933, 37876675, 0.3478, 0.339, 0.3583, 0.0078, MPB_VERDICT_IMPROVED, ""},
    {MPB_METRIC_NS_PER_MSG_P50, 101200, 36330, 0.359, 0.34, 0.38, 0.0078, MPB_VERDICT_IMPROVED, ""},
    {MPB_METRIC_NS_PER_MSG_P99, 999950, 1025000, 1.021, 1.004, 1.05, 0.03, MPB_VERDICT_REGRESSED,
     ""},
    {MPB_METRIC_NS_PER_MSG_MAX, 4200000, 4100000, 0.98, 0.7, 1.3, 0.73, MPB_VERDICT_INCONCLUSIVE,
     "about 300 more blocks would settle it within 2 %"},
};

/* Exact totals of a run of 1000 messages, with the site they belong to. */
static const struct {
    enum mpb_metric metric;
    const char *part; /* NULL: the whole */
    uint64_t a, b;
} exact[] = {
    {MPB_METRIC_MESSAGES, NULL, 1000, 1000},
    {MPB_METRIC_DELIVERED, NULL, 1000, 1000},
    {MPB_METRIC_ARCHIVED, NULL, 999, 999},
    {MPB_METRIC_REFUSED, NULL, 1, 1},
    {MPB_METRIC_DIGEST, NULL, 16468175858117575503U, 16468175858117575503U},
    {MPB_METRIC_DECODES, NULL, 2000, 2000},
    {MPB_METRIC_DECODES, "topic_handler", 1000, 1000},
    {MPB_METRIC_DECODES, "validator", 1000, 1000},
    {MPB_METRIC_DECODED_BYTES, NULL, 130112000, 130112000},
    {MPB_METRIC_HASHES, NULL, 2000, 1000},
    {MPB_METRIC_HASHES, "archive", 1000, 0},
    {MPB_METRIC_HASHES, "store_sync", 1000, 0},
    {MPB_METRIC_HASHES, "topic_handler", 0, 1000},
    {MPB_METRIC_HASHED_BYTES, NULL, 130000000, 65000000},
    {MPB_METRIC_COPIES, NULL, 15000, 0},
    {MPB_METRIC_COPIES, "validator", 15000, 0},
    {MPB_METRIC_COPIED_BYTES, NULL, 975432000, 0},
    {MPB_METRIC_ALLOCS, NULL, 26000, 26001},
    {MPB_METRIC_ALLOCS, "inbound", 26000, 26001},
    {MPB_METRIC_REQUESTED_BYTES, NULL, 1280432101, 195000000},
    {MPB_METRIC_REQUESTED_BYTES, "inbound", 1280432101, 195000000},
    {MPB_METRIC_USABLE_BYTES, NULL, 1300000000, 217000000},
    {MPB_METRIC_USABLE_BYTES, "inbound", 1300000000, 217000000},
    {MPB_METRIC_ID_HASHES, NULL, 0, 5},
};

static const struct {
    enum mpb_metric metric;
    double a, b, low, high;
    enum mpb_verdict verdict;
    bool negligible;
} levels[] = {
    {MPB_METRIC_PEAK_BYTES, 131000000, 129952000, 0.991, 0.993, MPB_VERDICT_IMPROVED, true},
    {MPB_METRIC_PEAK_RSS, 166000000, 164000000, 0.97, 1.01, MPB_VERDICT_UNCHANGED, false},
    {MPB_METRIC_MAJOR_FAULTS, 0, 0, NAN, NAN, MPB_VERDICT_UNCHANGED, false},
};

static void must(bool good)
{
    if (!good) {
        fprintf(stderr, "sample: out of memory\n");
        abort();
    }
}

static uint16_t intern(struct mpb_session *s, const char *text)
{
    uint16_t id = 0;
    must(mpb_names_intern(&s->names, text, &id, NULL) == MPB_OK);
    return id;
}

/* A name that lives as long as the session. */
static const char *keep(struct mpb_session *s, const char *text)
{
    return mpb_names_text(&s->names, intern(s, text));
}

static const char *part_name(struct mpb_session *s, size_t i)
{
    char name[128];
    snprintf(name, sizeof(name), "%s%s%s", metric_name(exact[i].metric),
             exact[i].part != NULL ? "/" : "", exact[i].part != NULL ? exact[i].part : "");
    return keep(s, name);
}

static void set(struct mpb_pairs *pairs, const char *key, const char *value)
{
    must(mpb_pairs_set(pairs, key, value, NULL) == MPB_OK);
}

static void make_heading(const struct sample_cfg *cfg, struct mpb_session *s)
{
    must(mpb_session_add_arm(s, cfg->label[0], "before", "before", NULL) == MPB_OK);
    if (cfg->label[1] != NULL) {
        must(mpb_session_add_arm(s, cfg->label[1], "after", "after", NULL) == MPB_OK);
    }
    for (size_t i = 0; i < s->n_arms; i++) {
        set(&s->arm[i].facts, "worker", "/opt/worker");
        set(&s->arm[i].facts, "worker_sha256", "00ff");
        set(&s->arm[i].facts, "flags", i == 1 && cfg->fact != NULL ? cfg->fact : "-O2");
        set(&s->arm[i].facts, "counting_worker", "/opt/counting");
        set(&s->arm[i].facts, "counting_flags", "-O2");
    }
    must(mpb_session_add_scenario(s, cfg->scenario, NULL) == MPB_OK);
    set(&s->workload, "messages", "1000");
    set(&s->workload, "seed", "42");
    set(&s->environment, "cpus", "2");
    set(&s->environment, "cpu", "an invented CPU");
    s->started = strdup("2026-01-31T23:59:59Z");
    s->command = strdup("msgpath compare before after");
    s->version = strdup("0.0.1");
    must(s->started && s->command && s->version);
    s->plan = (struct mpb_plan_info){.seed = UINT64_MAX,
                                     .n_blocks = 8,
                                     .n_counting_passes = N_COUNTING,
                                     .pass_timeout_ns = 60000000000U,
                                     .equal = 0.02,
                                     .level = 0.05};
}

static void add_row(struct mpb_session *s, const struct mpb_pass *pass, uint16_t run,
                    enum mpb_metric metric, double value)
{
    struct mpb_row row = {.arm = pass->arm, .scenario = pass->scenario, .pass = pass->pass};
    row.metric = intern(s, metric_name(metric));
    row.unit = intern(s, mpb_metric_unit_name(mpb_metric_info(metric)->unit));
    row.run = run;
    row.value.real = value;
    must(mpb_session_add_row(s, &row, NULL) == MPB_OK);
}

/* One timed pass: every figure a little off its median, by pass and run. */
static void add_timed_pass(struct mpb_session *s, uint16_t arm, uint32_t n, uint32_t slot)
{
    struct mpb_pass pass = {.arm = arm,
                            .scenario = s->scenario[0],
                            .pass = N_COUNTING + n,
                            .kind = MPB_KIND_TIMED,
                            .block = (n + 1) / 2,
                            .slot = slot,
                            .accepted = true,
                            .started_utc_ns = 1769903999000000000U + n,
                            .wall_ns = 300000000,
                            .load1 = 0.5 + n,
                            .psi_cpu = NAN,
                            .spread_pct = 2.5};
    must(mpb_session_add_pass(s, &pass, NULL) == MPB_OK);
    for (uint16_t run = 1; run <= N_RUNS; run++) {
        for (size_t i = 0; i < MPB_ARRAY_LEN(timed); i++) {
            double base = arm == 0 ? timed[i].a : timed[i].b;
            add_row(s, &pass, run, timed[i].metric, base + n + 0.25 * run);
        }
    }
}

static void make_passes(const struct sample_cfg *cfg, struct mpb_session *s)
{
    struct mpb_pass pass = {.scenario = s->scenario[0],
                            .kind = MPB_KIND_COUNTING,
                            .accepted = true,
                            .load1 = NAN,
                            .psi_cpu = NAN,
                            .spread_pct = NAN};
    for (pass.pass = 1; pass.pass <= N_COUNTING; pass.pass++) {
        for (size_t arm = 0; arm < s->n_arms; arm++) {
            pass.arm = (uint16_t)arm;
            must(mpb_session_add_pass(s, &pass, NULL) == MPB_OK);
        }
    }
    for (uint32_t n = 1; n <= 2 * cfg->blocks_done; n++) {
        for (size_t arm = 0; arm < s->n_arms; arm++) {
            add_timed_pass(s, (uint16_t)arm, n, 2 * (n - 1) % 4 + (uint32_t)arm + 1);
        }
    }
    if (cfg->reason != NULL) {
        char *reason = strdup(cfg->reason);
        must(reason != NULL);
        pass = (struct mpb_pass){.scenario = s->scenario[0],
                                 .pass = 100,
                                 .kind = MPB_KIND_TIMED,
                                 .block = cfg->blocks_done + 1,
                                 .slot = 1,
                                 .reason = reason,
                                 .load1 = NAN,
                                 .psi_cpu = NAN,
                                 .spread_pct = NAN};
        must(mpb_session_add_pass(s, &pass, NULL) == MPB_OK);
        free(reason);
        mpb_session_add_note(s, "rows.csv:77: a torn last line was left out");
    }
}

static void add_summary(struct mpb_model *m, struct mpb_summary_row row, double median)
{
    row.median = row.min = row.max = median;
    if (row.class_ != MPB_CLASS_EXACT) {
        row.min = 0.99 * median;
        row.max = 1.02 * median;
    }
    m->summary[m->n_summary++] = row;
}

static void add_both(const struct sample *x, struct mpb_model *m, struct mpb_ab_row *row)
{
    const struct mpb_metric_info *info = mpb_metric_find(row->metric);
    row->scenario = mpb_names_text(&x->session.names, x->session.scenario[0]);
    row->unit = mpb_metric_unit_name(info->unit);
    row->class_ = info->class_;
    row->better = info->better;
    row->b_arm = 1;
    for (size_t arm = 0; arm < x->session.n_arms; arm++) {
        struct mpb_summary_row own = {.scenario = row->scenario,
                                      .metric = row->metric,
                                      .unit = row->unit,
                                      .run = row->run,
                                      .class_ = row->class_,
                                      .better = row->better,
                                      .arm = arm,
                                      .is_integer = row->is_integer,
                                      .n = N_COUNTING};
        own.min_exact = own.max_exact = arm == 0 ? row->a_exact : row->b_exact;
        add_summary(m, own, arm == 0 ? row->a : row->b);
    }
    if (x->session.n_arms > 1) {
        m->ab[m->n_ab++] = *row;
    }
}

static struct mpb_ab_row blank(const char *metric, int run, double a, double b)
{
    return (struct mpb_ab_row){.metric = metric,
                               .run = run,
                               .a = a,
                               .b = b,
                               .ratio = a > 0 ? b / a : (double)NAN,
                               .low = NAN,
                               .high = NAN,
                               .level = NAN,
                               .p = NAN,
                               .trimmed = NAN,
                               .sign_low = NAN,
                               .sign_high = NAN,
                               .mde80 = NAN};
}

static void add_exact(struct sample *x, size_t i, int run)
{
    struct mpb_ab_row row =
        blank(part_name(&x->session, i), run, (double)exact[i].a, (double)exact[i].b);
    row.is_integer = true;
    row.a_exact = exact[i].a;
    row.b_exact = exact[i].b;
    row.verdict = exact[i].a == exact[i].b  ? MPB_VERDICT_EQUAL
                  : exact[i].a == 0         ? MPB_VERDICT_NEW
                  : exact[i].b < exact[i].a ? MPB_VERDICT_IMPROVED
                                            : MPB_VERDICT_REGRESSED;
    snprintf(row.reason, sizeof(row.reason), "exact");
    row.level = row.p = row.low = 0.05; /* whatever is here must not be printed */
    row.blocks = row.look = 3;
    add_both(x, &x->model, &row);
}

static void add_timed(struct sample *x, size_t i, unsigned blocks)
{
    struct mpb_ab_row row = blank(keep(&x->session, metric_name(timed[i].metric)), MPB_RUN_MEAN,
                                  timed[i].a, timed[i].b);
    row.ratio = timed[i].ratio;
    row.trimmed = timed[i].ratio * 1.001;
    row.p = timed[i].p;
    row.level = 0.05;
    row.blocks = blocks;
    row.look = 1;
    row.verdict = timed[i].verdict;
    if (blocks < 6) {
        row.verdict = MPB_VERDICT_INCONCLUSIVE;
        snprintf(row.reason, sizeof(row.reason), "needs at least 6 blocks");
    } else {
        row.low = row.sign_low = timed[i].low;
        row.high = row.sign_high = timed[i].high;
        row.mde80 = 0.016;
        snprintf(row.reason, sizeof(row.reason), "%s", timed[i].reason);
    }
    add_both(x, &x->model, &row);
}

static void add_level(struct sample *x, size_t i)
{
    struct mpb_ab_row row = blank(keep(&x->session, metric_name(levels[i].metric)), MPB_RUN_MEAN,
                                  levels[i].a, levels[i].b);
    row.low = levels[i].low;
    row.high = levels[i].high;
    row.verdict = levels[i].verdict;
    row.negligible = levels[i].negligible;
    add_both(x, &x->model, &row);
}

void sample_make(const struct sample_cfg *cfg, struct sample *out)
{
    struct mpb_model *m = &out->model;
    const size_t cap = (size_t)4 * MPB_ARRAY_LEN(exact) + 64;
    bool enough = cfg->blocks_done >= 6;
    *out = (struct sample){0};
    make_heading(cfg, &out->session);
    make_passes(cfg, &out->session);
    m->session = &out->session;
    m->ab = calloc(cap, sizeof(*m->ab));
    m->summary = calloc(cap, sizeof(*m->summary));
    m->scenario = calloc(1, sizeof(*m->scenario));
    must(m->ab && m->summary && m->scenario);
    for (size_t i = 0; i < MPB_ARRAY_LEN(timed); i++) {
        add_timed(out, i, cfg->blocks_done);
    }
    for (size_t i = 0; i < MPB_ARRAY_LEN(exact); i++) {
        for (int run = 1; run <= N_RUNS; run++) {
            add_exact(out, i, run);
        }
    }
    for (size_t i = 0; i < MPB_ARRAY_LEN(levels); i++) {
        add_level(out, i);
    }
    m->scenario[m->n_scenarios++] = (struct mpb_scenario_note){
        .scenario = mpb_names_text(&out->session.names, out->session.scenario[0]),
        .b_arm = out->session.n_arms - 1,
        .headline = keep(&out->session, metric_name(MPB_METRIC_MSG_PER_S)),
        .blocks_planned = 8,
        .blocks_done = cfg->blocks_done,
        .blocks_torn = cfg->reason != NULL,
        .noise_floor = 0.009,
        .order_effect = 0.002,
        .order_low = enough ? -0.004 : (double)NAN,
        .order_high = enough ? 0.008 : (double)NAN,
        .mde80 = enough ? 0.016 : (double)NAN,
    };
}

void sample_fini(struct sample *sample)
{
    mpb_model_fini(&sample->model);
    mpb_session_fini(&sample->session);
}
