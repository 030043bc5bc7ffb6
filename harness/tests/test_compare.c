/* test_compare.c: hand-made sessions and the models that must come out. */
#include "harness/tests/session_maker.h"

#include <math.h>
#include <stdlib.h>

#include "harness/compare.h"

static struct mpb_model compare(const struct mpb_session *s)
{
    struct mpb_model model = {0};
    struct mpb_error err = {0};
    if (mpb_compare_session(s, &model, &err) != MPB_OK) {
        fail_msg("%s", err.text);
    }
    return model;
}

static const struct mpb_ab_row *row_of(const struct mpb_model *m, const char *metric, int run)
{
    const struct mpb_ab_row *row = mpb_model_find_ab(m, "micro", metric, run, 0, 1);
    if (row == NULL) {
        fail_msg("no row %s", metric);
        abort(); /* fail_msg() does not say that it never returns */
    }
    return row;
}

static void assert_near(double have, double want)
{
    if (!(fabs(have - want) <= 1e-12 * fmax(1, fabs(want)))) {
        fail_msg("%.17g is not %.17g", have, want);
    }
}

/* Block values by hand: first A with first B, last A with last B. */
static void test_block_values(void **state)
{
    (void)state;
    struct mpb_session s;
    make_session(&s, 2);
    for (uint32_t block = 1; block <= 7; block++) {
        /* ABBA: A1 = 100, B1 = 200, B2 = 120 b, A2 = 100 */
        const double values[] = {100, 200, 120 + block, 100};
        make_block(&s, block, "wall", values);
    }
    struct mpb_model m = compare(&s);
    const struct mpb_ab_row *row = row_of(&m, "wall", MPB_RUN_MEAN);
    assert_int_equal(row->blocks, 7);
    assert_near(row->ratio, sqrt(2 * 1.24)); /* the median block is the fourth */
    assert_near(row->low, sqrt(2 * 1.21));
    assert_near(row->high, sqrt(2 * 1.27));
    assert_near(row->a, 100);
    assert_int_equal(row->verdict, MPB_VERDICT_REGRESSED);
    assert_int_equal(m.n_scenarios, 1);
    assert_string_equal(m.scenario[0].headline, "wall");
    assert_int_equal(m.scenario[0].blocks_done, 7);
    /* A's own passes are equal, B's differ by 200 against 120 + b: half of 14 values are 0 */
    assert_near(m.scenario[0].order_effect, exp(log(124.0 / 200) / 2) - 1);
    assert_near(m.scenario[0].mde80, row->mde80);
    mpb_model_fini(&m);
    mpb_session_fini(&s);
}

static void test_runs_are_averaged(void **state)
{
    (void)state;
    struct mpb_session s;
    make_session(&s, 2);
    static const size_t order[] = {1, 0, 0, 1};
    for (uint32_t block = 1; block <= 6; block++) {
        for (uint32_t slot = 1; slot <= 4; slot++) {
            size_t arm = order[slot - 1];
            uint32_t pass = make_pass(&s, arm, block, slot, true);
            make_row(&s, arm, pass, 1, "msg_per_s", arm == 0 ? 90 : 180);
            make_row(&s, arm, pass, 2, "msg_per_s", arm == 0 ? 110 : 220);
        }
    }
    struct mpb_model m = compare(&s);
    const struct mpb_ab_row *row = row_of(&m, "msg_per_s", MPB_RUN_MEAN);
    assert_near(row->a, 100);
    assert_near(row->b, 200);
    assert_near(row->ratio, 2);
    assert_int_equal(row->verdict, MPB_VERDICT_IMPROVED);
    mpb_model_fini(&m);
    mpb_session_fini(&s);
}

static void test_order_effect_is_no_claim(void **state)
{
    (void)state;
    struct mpb_session s;
    make_session(&s, 2);
    for (uint32_t block = 1; block <= 12; block++) {
        /* whatever runs in the second half is 5 % slower; A and B are the same */
        const double values[] = {100, 100, 105, 105};
        make_block(&s, block, "wall", values);
    }
    struct mpb_model m = compare(&s);
    assert_int_equal(row_of(&m, "wall", MPB_RUN_MEAN)->verdict, MPB_VERDICT_UNCHANGED);
    assert_near(m.scenario[0].order_effect, 0.05);
    assert_near(m.scenario[0].order_low, 0.05);
    assert_near(m.scenario[0].noise_floor, 0.05);
    mpb_model_fini(&m);
    mpb_session_fini(&s);
}

static void test_linear_drift_cancels(void **state)
{
    (void)state;
    struct mpb_session s;
    make_session(&s, 2);
    double t = 1;
    for (uint32_t block = 1; block <= 12; block++) {
        double values[4];
        for (size_t i = 0; i < 4; i++) {
            values[i] = t;
            t *= 1.01; /* linear in the logarithm */
        }
        make_block(&s, block, "wall", values);
    }
    struct mpb_model m = compare(&s);
    assert_near(row_of(&m, "wall", MPB_RUN_MEAN)->ratio, 1);
    mpb_model_fini(&m);
    mpb_session_fini(&s);
}

static void test_exact_rows(void **state)
{
    (void)state;
    struct mpb_session s;
    make_session(&s, 2);
    for (int i = 0; i < 3; i++) {
        for (size_t arm = 0; arm < 2; arm++) {
            uint32_t pass = make_pass(&s, arm, 0, 0, true);
            make_row(&s, arm, pass, 1, "copies", arm == 0 ? 15 : 0);
            make_row(&s, arm, pass, 2, "copies", arm == 0 ? 16 : 0);
            make_row(&s, arm, pass, 0, "copies", 31);
            if (arm == 0) { /* B prints no part: it is 0, not missing */
                make_row(&s, arm, pass, 1, "copies/archive", 15);
            }
            make_row(&s, arm, pass, 1, "decodes", 2);
            make_row(&s, arm, pass, 1, "allocs", i);
        }
    }
    struct mpb_model m = compare(&s);
    assert_int_equal(row_of(&m, "copies", 1)->a_exact, 15);
    assert_int_equal(row_of(&m, "copies", 2)->a_exact, 16);
    assert_int_equal(row_of(&m, "copies", 1)->verdict, MPB_VERDICT_IMPROVED);
    assert_int_equal(row_of(&m, "copies", 0)->verdict, MPB_VERDICT_EQUAL);
    assert_int_equal(row_of(&m, "copies/archive", 1)->verdict, MPB_VERDICT_IMPROVED);
    assert_int_equal(row_of(&m, "copies/archive", 1)->b_exact, 0);
    assert_int_equal(row_of(&m, "decodes", 1)->verdict, MPB_VERDICT_EQUAL);
    assert_int_equal(row_of(&m, "allocs", 1)->verdict, MPB_VERDICT_INCONCLUSIVE);
    const struct mpb_summary_row *summary = mpb_model_find_summary(&m, 0, "micro", "allocs", 1);
    assert_int_equal(summary->min_exact, 0);
    assert_int_equal(summary->max_exact, 2);
    assert_int_equal(summary->n, 3);
    mpb_model_fini(&m);
    mpb_session_fini(&s);
}

static void test_missing(void **state)
{
    (void)state;
    struct mpb_session s;
    make_session(&s, 2);
    make_counts(&s, "decodes", 2, 2);
    make_row(&s, 1, make_pass(&s, 1, 0, 0, true), 1, "copies", 3);
    struct mpb_model m = compare(&s);
    assert_int_equal(row_of(&m, "copies", 1)->verdict, MPB_VERDICT_MISSING);
    assert_string_equal(row_of(&m, "copies", 1)->reason, "measured only in B");
    assert_int_equal(mpb_compare_count(&m), 1);
    mpb_model_fini(&m);
    mpb_session_fini(&s);
}

static void test_not_comparable(void **state)
{
    (void)state;
    static const char *const guards[] = {"messages", "delivered", "digest"};
    for (size_t i = 0; i < MPB_ARRAY_LEN(guards); i++) {
        struct mpb_session s;
        make_session(&s, 2);
        make_counts(&s, guards[i], 1000, 999);
        make_counts(&s, "copies", 5, 2);
        struct mpb_model m = compare(&s);
        assert_int_equal(row_of(&m, "copies", 1)->verdict, MPB_VERDICT_NOT_COMPARABLE);
        const char *reason = row_of(&m, "copies", 1)->reason;
        assert_non_null(strstr(reason, guards[i]));
        assert_non_null(strstr(reason, "1000 and 999"));
        mpb_model_fini(&m);
        mpb_session_fini(&s);
    }
}

static void test_units_that_differ(void **state)
{
    (void)state;
    struct mpb_session s;
    make_session(&s, 2);
    const double values[] = {1, 1, 1, 1};
    for (uint32_t block = 1; block <= 6; block++) {
        make_block(&s, block, "sparkle", values);
    }
    uint16_t unit = 0;
    assert_int_equal(mpb_names_intern(&s.names, "glow", &unit, NULL), MPB_OK);
    for (size_t i = 0; i < s.n_rows; i++) {
        s.row[i].unit = s.row[i].arm == 1 ? unit : s.row[i].unit;
    }
    struct mpb_model m = compare(&s);
    assert_int_equal(row_of(&m, "sparkle", MPB_RUN_MEAN)->verdict, MPB_VERDICT_NOT_COMPARABLE);
    mpb_model_fini(&m);
    mpb_session_fini(&s);
}

static void test_unknown_metric_is_changed_at_most(void **state)
{
    (void)state;
    struct mpb_session s;
    make_session(&s, 2);
    const double values[] = {1, 3, 3, 1};
    for (uint32_t block = 1; block <= 6; block++) {
        make_block(&s, block, "sparkle", values);
    }
    struct mpb_model m = compare(&s);
    assert_int_equal(row_of(&m, "sparkle", MPB_RUN_MEAN)->verdict, MPB_VERDICT_CHANGED);
    mpb_model_fini(&m);
    mpb_session_fini(&s);
}

/* A and B exchanged: every figure mirrored. */
static void test_swap(void **state)
{
    (void)state;
    struct mpb_session s, t;
    unsigned seed = 11;
    make_session(&s, 2);
    make_session(&t, 2);
    for (uint32_t block = 1; block <= 13; block++) {
        double v[4];
        for (size_t i = 0; i < 4; i++) {
            seed = seed * 1664525u + 1013904223u;
            v[i] = 100 + (seed >> 8) / 16777216.0 * 20;
        }
        static const size_t order[] = {0, 1, 1, 0};
        for (uint32_t i = 0; i < 4; i++) {
            make_row(&s, order[i], make_pass(&s, order[i], block, i + 1, true), 1, "wall", v[i]);
            size_t other = 1 - order[i];
            make_row(&t, other, make_pass(&t, other, block, i + 1, true), 1, "wall", v[i]);
        }
    }
    struct mpb_model m = compare(&s), n = compare(&t);
    const struct mpb_ab_row *x = row_of(&m, "wall", MPB_RUN_MEAN);
    const struct mpb_ab_row *y = row_of(&n, "wall", MPB_RUN_MEAN);
    assert_near(x->ratio * y->ratio, 1);
    assert_near(x->low * y->high, 1);
    assert_near(x->trimmed * y->trimmed, 1);
    assert_near(x->p, y->p);
    assert_near(x->mde80, y->mde80);
    assert_near(x->a, y->b);
    assert_near(m.scenario[0].noise_floor, n.scenario[0].noise_floor);
    assert_near(m.scenario[0].order_effect, n.scenario[0].order_effect);
    mpb_model_fini(&m);
    mpb_model_fini(&n);
    mpb_session_fini(&s);
    mpb_session_fini(&t);
}

static void test_a_chain_of_arms(void **state)
{
    (void)state;
    struct mpb_session s;
    make_session(&s, 4);
    for (size_t arm = 0; arm < 4; arm++) {
        make_row(&s, arm, make_pass(&s, arm, 0, 0, true), 1, "copies", (double)arm);
    }
    struct mpb_model m = compare(&s);
    static const size_t pairs[][2] = {{0, 1}, {1, 2}, {0, 2}, {2, 3}, {0, 3}};
    assert_int_equal(m.n_ab, MPB_ARRAY_LEN(pairs));
    for (size_t i = 0; i < m.n_ab; i++) {
        assert_int_equal(m.ab[i].a_arm, pairs[i][0]);
        assert_int_equal(m.ab[i].b_arm, pairs[i][1]);
        assert_int_equal(m.ab[i].b_exact, pairs[i][1]);
    }
    assert_int_equal(m.n_scenarios, MPB_ARRAY_LEN(pairs));
    mpb_model_fini(&m);
    mpb_session_fini(&s);
}

static void test_one_arm_and_none(void **state)
{
    (void)state;
    struct mpb_session s;
    make_session(&s, 1);
    struct mpb_model m = compare(&s);
    assert_int_equal(m.n_ab, 0);
    assert_int_equal(m.n_scenarios, 1);
    assert_string_equal(m.scenario[0].headline, "");
    mpb_model_fini(&m);
    for (uint32_t block = 1; block <= 6; block++) {
        make_row(&s, 0, make_pass(&s, 0, block, 1, true), 1, "wall", 100);
        make_row(&s, 0, make_pass(&s, 0, block, 2, true), 1, "wall", 101);
    }
    m = compare(&s);
    assert_int_equal(m.n_ab, 0);
    assert_int_equal(mpb_model_find_summary(&m, 0, "micro", "wall", MPB_RUN_MEAN)->n, 12);
    assert_near(m.scenario[0].noise_floor, 0.01);
    assert_int_equal(m.scenario[0].blocks_done, 6);
    mpb_model_fini(&m);
    mpb_session_fini(&s);
}

static void test_level_rows(void **state)
{
    (void)state;
    struct mpb_session s;
    make_session(&s, 2);
    make_counts(&s, "peak_bytes", 8192, 4096);
    struct mpb_model m = compare(&s);
    const struct mpb_ab_row *row = row_of(&m, "peak_bytes", MPB_RUN_MEAN);
    assert_int_equal(row->verdict, MPB_VERDICT_IMPROVED);
    assert_near(row->low, 0.5);
    assert_near(row->high, 0.5);
    assert_true(isnan(row->p));
    mpb_model_fini(&m);
    mpb_session_fini(&s);
}

int main(void)
{
    session_maker_use();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_values),
        cmocka_unit_test(test_runs_are_averaged),
        cmocka_unit_test(test_order_effect_is_no_claim),
        cmocka_unit_test(test_linear_drift_cancels),
        cmocka_unit_test(test_exact_rows),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_not_comparable),
        cmocka_unit_test(test_units_that_differ),
        cmocka_unit_test(test_unknown_metric_is_changed_at_most),
        cmocka_unit_test(test_swap),
        cmocka_unit_test(test_a_chain_of_arms),
        cmocka_unit_test(test_one_arm_and_none),
        cmocka_unit_test(test_level_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
