/* test_caution.c: each caution appears when it is due, and not otherwise. */
#include "reports/caution.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/tests/sample.h"

struct heard {
    char text[4096];
    size_t n;
};

static void listen(void *ctx, const char *sentence)
{
    struct heard *heard = ctx;
    size_t len = strlen(heard->text);
    snprintf(heard->text + len, sizeof(heard->text) - len, "%s\n", sentence);
    heard->n++;
}

static struct heard hear(const struct sample *x)
{
    struct heard heard = {0};
    size_t n = mpb_caution_each(&x->model, listen, &heard);
    assert_int_equal(n, heard.n);
    return heard;
}

static void calm(struct sample *x)
{
    for (size_t i = 0; i < x->session.n_passes; i++) {
        x->session.pass[i].load1 = 2.0; /* as many as CPUs: not above */
    }
}

static struct sample_cfg quiet_cfg(void)
{
    return (struct sample_cfg){"micro", {"before", "after"}, NULL, 8, NULL};
}

static void expect(const struct sample *x, const char *sentence)
{
    struct heard heard = hear(x);
    assert_int_equal(heard.n, 1);
    assert_string_equal(heard.text, sentence);
}

static void test_nothing_to_say(void **state)
{
    const struct sample_cfg cfg = quiet_cfg();
    struct sample x;
    (void)state;
    sample_make(&cfg, &x);
    calm(&x);
    assert_int_equal(hear(&x).n, 0);
    sample_fini(&x);
}

static void test_arms_that_differ_in_flags(void **state)
{
    struct sample_cfg cfg = quiet_cfg();
    struct sample x;
    (void)state;
    cfg.fact = "-O3";
    sample_make(&cfg, &x);
    calm(&x);
    expect(&x, "before and after differ in flags ('-O2' against '-O3'): a difference between them "
               "may come from that\n");
    sample_fini(&x);
}

static void test_arms_that_are_the_same_program(void **state)
{
    const struct sample_cfg cfg = quiet_cfg();
    struct sample x;
    (void)state;
    sample_make(&cfg, &x);
    calm(&x);
    free(x.session.arm[1].variant);
    x.session.arm[1].variant = strdup("before");
    expect(&x, "before and after are the same program, byte for byte, with the same variant: "
               "whatever differs between them is noise\n");
    assert_int_equal(mpb_pairs_set(&x.session.arm[1].facts, "worker", "/opt/worker --fast", NULL),
                     MPB_OK);
    assert_int_equal(hear(&x).n, 0);
    sample_fini(&x);
}

static void test_a_session_that_ended_early(void **state)
{
    struct sample_cfg cfg = quiet_cfg();
    struct sample x;
    (void)state;
    cfg.blocks_done = 7;
    sample_make(&cfg, &x);
    calm(&x);
    expect(&x, "micro: 7 of 8 planned blocks were completed, 0 more began: the session ended "
               "early\n");
    x.model.scenario[0].blocks_planned = 7;
    x.model.scenario[0].blocks_torn = 1;
    expect(&x, "micro: torn blocks (a pass failed), which do not count: 1\n");
    x.model.scenario[0] = (struct mpb_scenario_note){
        .scenario = "micro", .b_arm = 1, .headline = "", .blocks_planned = 5, .blocks_done = 5};
    expect(&x, "micro: blocks done: 5; below 6 no timed difference is claimed\n");
    sample_fini(&x);
}

static void test_passes_that_failed_and_notes(void **state)
{
    struct sample_cfg cfg = quiet_cfg();
    struct sample x;
    (void)state;
    cfg.reason = "exit 1";
    sample_make(&cfg, &x);
    calm(&x);
    struct heard heard = hear(&x);
    assert_non_null(strstr(heard.text, "1 of 39 passes were not accepted (first: before, micro, "
                                       "pass 100: exit 1)\n"));
    assert_non_null(strstr(heard.text, "rows.csv:77: a torn last line was left out\n"));
    sample_fini(&x);
}

static void test_a_busy_machine(void **state)
{
    const struct sample_cfg cfg = quiet_cfg();
    struct sample x;
    (void)state;
    sample_make(&cfg, &x);
    calm(&x);
    x.session.pass[x.session.n_passes - 1].load1 = 2.01;
    expect(&x, "the load average was above the 2 CPUs at the start of 1 of 32 timed passes "
               "(highest 2.01)\n");
    sample_fini(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_to_say),
        cmocka_unit_test(test_arms_that_differ_in_flags),
        cmocka_unit_test(test_arms_that_are_the_same_program),
        cmocka_unit_test(test_a_session_that_ended_early),
        cmocka_unit_test(test_passes_that_failed_and_notes),
        cmocka_unit_test(test_a_busy_machine),
    };
    return cmocka_run_group_tests_name("caution", tests, NULL, NULL);
}
