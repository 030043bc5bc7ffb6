/* session_maker.h: hand-made sessions for tests of what is computed from them. */
#ifndef MPB_HARNESS_SESSION_MAKER_H
#define MPB_HARNESS_SESSION_MAKER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "reports/session.h"

/* Arms named A, B, C, ...; scenario micro; the metrics that tests speak of. */
static void make_session(struct mpb_session *s, size_t n_arms)
{
    static const char *const metrics[] = {"messages",   "delivered", "digest", "msg_per_s",
                                          "wall",       "decodes",   "copies", "allocs",
                                          "peak_bytes", "peak_rss"};
    *s = (struct mpb_session){
        .plan = {.n_blocks = 6, .n_counting_passes = 3, .equal = 0.02, .level = 0.05}};
    for (size_t i = 0; i < n_arms; i++) {
        const char label[2] = {(char)('A' + i), '\0'};
        assert_int_equal(mpb_session_add_arm(s, label, label, label, NULL), MPB_OK);
    }
    assert_int_equal(mpb_session_add_scenario(s, "micro", NULL), MPB_OK);
    for (size_t i = 0; i < MPB_ARRAY_LEN(metrics); i++) {
        const struct mpb_metric_info *info = mpb_metric_find(metrics[i]);
        assert_int_equal(mpb_session_add_metric(s, metrics[i], mpb_metric_unit_name(info->unit),
                                                info->better, info->class_, info->doc, NULL),
                         MPB_OK);
    }
}

static uint32_t next_pass(const struct mpb_session *s, size_t arm)
{
    uint32_t n = 1;
    for (size_t i = 0; i < s->n_passes; i++) {
        n += s->pass[i].arm == arm;
    }
    return n;
}

/* A pass; block 0 is a counting one. Returns its number. */
static uint32_t make_pass(struct mpb_session *s, size_t arm, uint32_t block, uint32_t slot,
                          bool accepted)
{
    const struct mpb_pass pass = {
        .arm = (uint16_t)arm,
        .scenario = s->scenario[0],
        .pass = next_pass(s, arm),
        .kind = block == 0 ? MPB_KIND_COUNTING : MPB_KIND_TIMED,
        .block = block,
        .slot = slot,
        .accepted = accepted,
    };
    assert_int_equal(mpb_session_add_pass(s, &pass, NULL), MPB_OK);
    return pass.pass;
}

/* A row of that pass; value is taken as an integer when it is one. */
static void make_row(struct mpb_session *s, size_t arm, uint32_t pass, int run, const char *metric,
                     double value)
{
    const struct mpb_metric_info *info = mpb_metric_find(metric);
    struct mpb_row row = {.arm = (uint16_t)arm,
                          .scenario = s->scenario[0],
                          .pass = pass,
                          .run = (uint16_t)run,
                          .value = {.real = value}};
    assert_int_equal(mpb_names_intern(&s->names, metric, &row.metric, NULL), MPB_OK);
    assert_int_equal(mpb_names_intern(&s->names,
                                      info != NULL ? mpb_metric_unit_name(info->unit) : "glim",
                                      &row.unit, NULL),
                     MPB_OK);
    assert_int_equal(mpb_session_add_row(s, &row, NULL), MPB_OK);
}

/* A whole block ABBA of two arms, each pass with one row of the metric in run 1. */
static void make_block(struct mpb_session *s, uint32_t block, const char *metric,
                       const double values[4])
{
    static const size_t order[] = {0, 1, 1, 0};
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t pass = make_pass(s, order[i], block, i + 1, true);
        make_row(s, order[i], pass, 1, metric, values[i]);
    }
}

/* Three counting passes an arm in which the metric has these values in run 1. */
static void make_counts(struct mpb_session *s, const char *metric, double a, double b)
{
    for (int i = 0; i < 3; i++) {
        make_row(s, 0, make_pass(s, 0, 0, 0, true), 1, metric, a);
        make_row(s, 1, make_pass(s, 1, 0, 0, true), 1, metric, b);
    }
}

/* Tests use what they need. */
static inline void session_maker_use(void)
{
    (void)make_session;
    (void)make_block;
    (void)make_counts;
}

#endif
