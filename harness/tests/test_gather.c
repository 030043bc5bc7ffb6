/* test_gather.c: which rows count, and how they stand together. */
#include "harness/tests/session_maker.h"

#include <math.h>
#include <stdlib.h>

#include "harness/gather.h"

static const struct mpb_gather_group *find(const struct mpb_session *s, const struct mpb_gather *g,
                                           const char *metric, int run)
{
    for (size_t i = 0; i < g->n; i++) {
        if (strcmp(mpb_names_text(&s->names, g->group[i].metric), metric) == 0 &&
            g->group[i].run == run) {
            return &g->group[i];
        }
    }
    return NULL;
}

/* The same where it must be there. */
static const struct mpb_gather_group *found(const struct mpb_session *s, const struct mpb_gather *g,
                                            const char *metric, int run)
{
    const struct mpb_gather_group *group = find(s, g, metric, run);
    if (group == NULL) {
        fail_msg("no group %s of run %d", metric, run);
        abort(); /* fail_msg() does not say that it never returns */
    }
    return group;
}

static void test_runs(void **state)
{
    (void)state;
    struct mpb_session s;
    struct mpb_gather g = {0};
    make_session(&s, 1);
    uint32_t counting = make_pass(&s, 0, 0, 0, true);
    make_row(&s, 0, counting, 1, "copies", 5);
    make_row(&s, 0, counting, 2, "copies", 7);
    make_row(&s, 0, counting, 0, "copies", 12);
    for (uint32_t slot = 1; slot <= 2; slot++) {
        uint32_t timed = make_pass(&s, 0, 1, slot, true);
        make_row(&s, 0, timed, 1, "wall", 100);
        make_row(&s, 0, timed, 2, "wall", 101);
        make_row(&s, 0, timed, 0, "wall", 900);
    }
    assert_int_equal(mpb_gather_session(&s, &g, NULL), MPB_OK);
    const struct mpb_gather_group *mean = found(&s, &g, "wall", MPB_RUN_MEAN);
    assert_int_equal(mean->n, 2);
    assert_true(fabs(mean->value[0].real - 100.5) < 1e-12);
    assert_false(mean->value[0].is_integer);
    assert_true(fabs(found(&s, &g, "wall", 0)->value[0].real - 900) < 1e-12);
    assert_null(find(&s, &g, "wall", 1));
    assert_int_equal(found(&s, &g, "copies", 2)->value[0].integer, 7);
    assert_int_equal(found(&s, &g, "copies", 0)->value[0].integer, 12);
    assert_null(find(&s, &g, "copies", MPB_RUN_MEAN));
    mpb_gather_fini(&g);
    mpb_session_fini(&s);
}

static void test_what_does_not_count(void **state)
{
    (void)state;
    struct mpb_session s;
    struct mpb_gather g = {0};
    make_session(&s, 2);
    const double values[] = {1, 2, 3, 4};
    make_block(&s, 1, "wall", values);
    make_row(&s, 0, make_pass(&s, 0, 2, 1, true), 1, "wall", 50); /* torn */
    make_row(&s, 1, make_pass(&s, 1, 2, 2, false), 1, "wall", 51);
    uint32_t counting = make_pass(&s, 0, 0, 0, true);
    make_row(&s, 0, counting, 1, "wall", 60); /* the other kind's metric */
    make_row(&s, 0, counting, 1, "copies", 2);
    make_row(&s, 0, counting + 7, 1, "copies", 3); /* a pass nobody knows */
    assert_int_equal(mpb_gather_session(&s, &g, NULL), MPB_OK);
    assert_int_equal(found(&s, &g, "wall", MPB_RUN_MEAN)->n, 4);
    assert_int_equal(found(&s, &g, "copies", 1)->n, 1);
    struct mpb_gather_blocks blocks = mpb_gather_count_blocks(&s, s.scenario[0]);
    assert_int_equal(blocks.done, 1);
    assert_int_equal(blocks.torn, 1);
    mpb_gather_fini(&g);
    mpb_session_fini(&s);
}

static void test_order(void **state)
{
    (void)state;
    struct mpb_session s;
    struct mpb_gather g = {0};
    make_session(&s, 2);
    for (size_t arm = 2; arm-- > 0;) {
        uint32_t pass = make_pass(&s, arm, 0, 0, true);
        make_row(&s, arm, pass, 1, "zeta", 1); /* nobody described it: last */
        make_row(&s, arm, pass, 0, "copies", 1);
        make_row(&s, arm, pass, 2, "copies", 1);
        make_row(&s, arm, pass, 1, "copies/app", 1);
        make_row(&s, arm, pass, 1, "copies", 1);
        make_row(&s, arm, pass, 1, "decodes", 1);
    }
    assert_int_equal(mpb_gather_session(&s, &g, NULL), MPB_OK);
    static const struct {
        const char *metric;
        int run;
    } want[] = {{"decodes", 1}, {"copies", 1}, {"copies", 2}, {"copies", 0}, {"copies/app", 1}};
    assert_int_equal(g.n, MPB_ARRAY_LEN(want)); /* zeta is timed: not a counting pass's */
    for (size_t i = 0; i < g.n; i++) {
        assert_string_equal(mpb_names_text(&s.names, g.group[i].metric), want[i].metric);
        assert_int_equal(g.group[i].run, want[i].run);
        size_t n = 0;
        assert_int_equal(mpb_gather_of_arm(&g.group[i], 1, &n)->arm, 1);
        assert_int_equal(n, 1);
        mpb_gather_of_arm(&g.group[i], 2, &n);
        assert_int_equal(n, 0);
    }
    assert_true(g.group[4].is_part);
    assert_false(g.group[1].is_part);
    mpb_gather_fini(&g);
    mpb_session_fini(&s);
}

static void test_equal_runs_have_exactly_their_mean(void **state)
{
    (void)state;
    struct mpb_session s;
    struct mpb_gather g = {0};
    make_session(&s, 1);
    for (uint32_t slot = 1; slot <= 2; slot++) {
        uint32_t pass = make_pass(&s, 0, 1, slot, true);
        for (int run = 1; run <= 7; run++) {
            make_row(&s, 0, pass, run, "wall", 0.1);
        }
    }
    assert_int_equal(mpb_gather_session(&s, &g, NULL), MPB_OK);
    assert_true(!(g.group[0].value[0].real > 0.1) && !(g.group[0].value[0].real < 0.1));
    mpb_gather_fini(&g);
    mpb_session_fini(&s);
}

static void test_empty(void **state)
{
    (void)state;
    struct mpb_session s;
    struct mpb_gather g = {0};
    make_session(&s, 2);
    assert_int_equal(mpb_gather_session(&s, &g, NULL), MPB_OK);
    assert_int_equal(g.n, 0);
    mpb_gather_fini(&g);
    mpb_session_fini(&s);
}

int main(void)
{
    session_maker_use();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),  cmocka_unit_test(test_what_does_not_count),
        cmocka_unit_test(test_order), cmocka_unit_test(test_equal_runs_have_exactly_their_mean),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
