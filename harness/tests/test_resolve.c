/* test_resolve.c: arms that run programs; argv[1] is the fake worker. Built-in arms are tested
 * through the command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/resolve.h"

static const char *fake_worker;

struct fixture {
    struct mpb_arms arms;
    struct mpb_pairs given, workload;
    struct mpb_session session;
    struct mpb_error err;
};

static void add_exec(struct fixture *f, const char *path)
{
    char spec[640];
    snprintf(spec, sizeof(spec), "exec:%s", path);
    assert_int_equal(mpb_arm_add(&f->arms, spec, NULL), MPB_OK);
}

static enum mpb_status resolve(struct fixture *f)
{
    const struct mpb_resolve_input in = {mpb_spawn_run, &f->given};
    return mpb_resolve_arms(&f->arms, &in, &f->workload, &f->err);
}

static void drop(struct fixture *f)
{
    mpb_arm_fini_all(&f->arms);
    mpb_pairs_fini(&f->given);
    mpb_pairs_fini(&f->workload);
    mpb_session_fini(&f->session);
    *f = (struct fixture){.err = {.status = MPB_OK}};
}

static void test_workload(void **state)
{
    (void)state;
    struct fixture f = {.err = {.status = MPB_OK}};
    add_exec(&f, fake_worker);
    assert_int_equal(mpb_pairs_set(&f.given, "messages", "7", NULL), MPB_OK);
    assert_int_equal(resolve(&f), MPB_OK);
    assert_string_equal(mpb_pairs_get(&f.workload, "messages"), "7");
    assert_string_equal(mpb_pairs_get(&f.workload, "seed"), "42");
    assert_string_equal(mpb_pairs_get(&f.workload, "deep"), "no");
    const struct mpb_words *w = &f.arms.arm[0].worker[MPB_KIND_TIMED].options;
    assert_int_equal(w->n, 4);
    assert_string_equal(w->word[0], "--messages");
    assert_string_equal(w->word[1], "7");
    assert_string_equal(w->word[3], "42");
    drop(&f);
    add_exec(&f, fake_worker);
    assert_int_equal(mpb_pairs_set(&f.given, "deep", "yes", NULL), MPB_OK);
    assert_int_equal(resolve(&f), MPB_OK);
    w = &f.arms.arm[0].worker[MPB_KIND_COUNTING].options;
    assert_int_equal(w->n, 5);
    assert_string_equal(w->word[4], "--deep");
    drop(&f);
}

static void test_what_the_worker_refuses(void **state)
{
    (void)state;
    struct fixture f = {.err = {.status = MPB_OK}};
    add_exec(&f, fake_worker);
    assert_int_equal(mpb_pairs_set(&f.given, "messages", "many", NULL), MPB_OK);
    assert_int_equal(resolve(&f), MPB_E_INPUT);
    assert_string_equal(f.err.text, "--messages: 'many' is not a number");
    drop(&f);
    add_exec(&f, fake_worker);
    assert_int_equal(mpb_pairs_set(&f.given, "window", "1", NULL), MPB_OK);
    assert_int_equal(resolve(&f), MPB_E_USAGE);
    assert_string_equal(f.err.text, "its worker has no option --window");
    drop(&f);
}

static void test_programs_that_are_not(void **state)
{
    (void)state;
    static const char *const paths[] = {"/nonexistent/w", "/tmp", "/etc/passwd"};
    for (size_t i = 0; i < MPB_ARRAY_LEN(paths); i++) {
        struct fixture f = {.err = {.status = MPB_OK}};
        add_exec(&f, paths[i]);
        assert_int_equal(resolve(&f), MPB_E_INPUT);
        assert_memory_equal(f.err.where, "arm ", 4);
        assert_non_null(strstr(f.err.text, paths[i]));
        drop(&f);
    }
    struct fixture f = {.err = {.status = MPB_OK}};
    add_exec(&f, "/bin/true"); /* runs, but does not describe itself */
    assert_int_equal(resolve(&f), MPB_E_INPUT);
    assert_string_equal(f.err.where, "/bin/true");
    drop(&f);
    add_exec(&f, "/bin/false");
    assert_int_equal(resolve(&f), MPB_E_INCOMPLETE);
    drop(&f);
}

static void test_a_counting_program_is_not_timed(void **state)
{
    (void)state;
    struct fixture f = {.err = {.status = MPB_OK}};
    char counting[512];
    snprintf(counting, sizeof(counting), "%s --counts", fake_worker);
    add_exec(&f, counting);
    assert_int_equal(resolve(&f), MPB_E_USAGE);
    assert_non_null(strstr(f.err.text, "never timed"));
    drop(&f);
    add_exec(&f, fake_worker);
    assert_int_equal(mpb_arm_set_counting(&f.arms, counting, NULL), MPB_OK);
    assert_int_equal(resolve(&f), MPB_OK);
    drop(&f);
}

static void test_scenarios(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum mpb_status want;
        size_t n;
    } table[] = {
        {NULL, MPB_OK, 1}, /* micro; macro2 is none of the default ones */
        {"micro", MPB_OK, 1},
        {"macro2,micro", MPB_OK, 2},
        {"micro,,macro2", MPB_OK, 2},
        {"", MPB_E_USAGE, 0},
        {",", MPB_E_USAGE, 0},
        {"micr", MPB_E_USAGE, 0},
        {"micro,micro", MPB_E_INPUT, 0},
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(table); i++) {
        struct fixture f = {.err = {.status = MPB_OK}};
        add_exec(&f, fake_worker);
        assert_int_equal(resolve(&f), MPB_OK);
        enum mpb_status st = mpb_resolve_scenarios(&f.arms, table[i].text, &f.session, &f.err);
        assert_int_equal(st, table[i].want);
        if (st == MPB_OK) {
            assert_int_equal(f.session.n_scenarios, table[i].n);
        }
        drop(&f);
    }
}

static void test_record(void **state)
{
    (void)state;
    struct fixture f = {.err = {.status = MPB_OK}};
    add_exec(&f, fake_worker);
    add_exec(&f, fake_worker);
    assert_int_equal(resolve(&f), MPB_OK);
    assert_int_equal(mpb_resolve_record(&f.arms, &f.session, &f.err), MPB_OK);
    const struct mpb_pairs *facts = &f.session.arm[1].facts;
    assert_int_equal(strlen(mpb_pairs_get(facts, "worker_sha256")), 64);
    assert_string_equal(mpb_pairs_get(facts, "compiler"), "cc 1");
    assert_string_equal(mpb_pairs_get(facts, "counting_flags"), "-O2");
    assert_string_equal(mpb_pairs_get(facts, "worker"), fake_worker);
    assert_int_equal(f.session.n_metrics, 8);
    /* glow says higher, but nobody but its worker knows that */
    assert_int_equal(mpb_session_find_metric(&f.session, "glow")->better, MPB_BETTER_NONE);
    assert_int_equal(mpb_session_find_metric(&f.session, "glow")->class_, MPB_CLASS_TIMED);
    drop(&f);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        return 1;
    }
    fake_worker = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workload),
        cmocka_unit_test(test_what_the_worker_refuses),
        cmocka_unit_test(test_programs_that_are_not),
        cmocka_unit_test(test_a_counting_program_is_not_timed),
        cmocka_unit_test(test_scenarios),
        cmocka_unit_test(test_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
