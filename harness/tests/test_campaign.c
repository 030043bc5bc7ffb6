/* test_campaign.c: the order of passes and what failures do to it, with a worker made of a
 * function. The fake answers by a script of letters, one a call (the last one repeats). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/campaign.h"

static struct {
    const char *script; /* g good, x exit 1, j garbage, s skip, i interrupted, n cannot start */
    char calls[512];    /* the arm of each call: A, B, ...; lower case in counting passes */
    size_t n;
} fake;

/* The labels are A, B; the variants too. */
static char arm_of(char *const *argv)
{
    for (size_t i = 0; argv[i] != NULL; i++) {
        if (strcmp(argv[i], "--variant") == 0) {
            return argv[i + 1][0];
        }
    }
    return '?';
}

static char next_answer(void)
{
    char c = *fake.script;
    if (fake.script[1] != '\0') {
        fake.script++;
    }
    return c;
}

static enum mpb_status spawn_fake(const struct mpb_spawn_job *job, struct mpb_spawn_result *out,
                                  struct mpb_error *err)
{
    const char *scenario = strcmp(job->argv[4], "macro") == 0 ? "macro" : "micro";
    char text[512], answer = next_answer();
    bool counting = strstr(job->argv[0], "counting") != NULL;
    fake.calls[fake.n++] = (char)(arm_of(job->argv) + (counting ? 'a' - 'A' : 0));
    if (answer == 'n') {
        return mpb_error_set(err, MPB_E_INPUT, job->argv[0], "cannot be executed");
    }
    *out = (struct mpb_spawn_result){.end = MPB_SPAWN_EXITED, .wall_ns = 5};
    out->end = answer == 'i' ? MPB_SPAWN_STOPPED : MPB_SPAWN_EXITED;
    out->code = answer == 'x' ? 1 : answer == 's' ? 77 : 0;
    snprintf(out->complaint, sizeof(out->complaint), "%s", answer == 'x' ? "sorry" : "");
    int n = snprintf(text, sizeof(text),
                     "scenario,run,metric,unit,value\n%s,1,wall,ns,100\n%s,1,copies,count,3\n%s",
                     scenario, scenario, answer == 'j' ? "junk\n" : "");
    out->out = strdup(text);
    out->out_len = (size_t)n;
    return MPB_OK;
}

struct fixture {
    struct mpb_session session;
    struct mpb_session_dir dir;
    struct mpb_arms arms;
    char path[64];
    struct mpb_error err;
    enum mpb_status st;
};

static void run(struct fixture *f, const char *script, uint32_t n_blocks, const char *scenarios)
{
    char base[] = "/tmp/mpb-campaign-XXXXXX";
    *f = (struct fixture){.st = MPB_OK};
    memset(&fake, 0, sizeof(fake));
    fake.script = script;
    assert_non_null(mkdtemp(base));
    snprintf(f->path, sizeof(f->path), "%s/s", base);
    for (char label[2] = "A"; label[0] <= 'B'; label[0]++) {
        assert_int_equal(mpb_arm_add(&f->arms, label, NULL), MPB_OK);
        struct mpb_arm *arm = &f->arms.arm[f->arms.n - 1];
        assert_int_equal(mpb_words_add(&arm->worker[MPB_KIND_TIMED].command, "/timed", NULL), 0);
        assert_int_equal(mpb_words_add(&arm->worker[MPB_KIND_COUNTING].command, "/counting", NULL),
                         0);
        assert_int_equal(mpb_session_add_arm(&f->session, label, label, label, NULL), MPB_OK);
    }
    struct mpb_words names = {0};
    assert_int_equal(mpb_words_split(&names, scenarios, ",", NULL), MPB_OK);
    for (size_t i = 0; i < names.n; i++) {
        assert_int_equal(mpb_session_add_scenario(&f->session, names.word[i], NULL), MPB_OK);
    }
    mpb_words_fini(&names);
    f->session.plan = (struct mpb_plan_info){
        .seed = 42, .n_blocks = n_blocks, .n_counting_passes = 3, .equal = 0.02, .level = 0.05};
    f->session.started = strdup("2026-01-31T23:59:59Z");
    f->session.command = strdup("test");
    f->session.version = strdup("0");
    assert_int_equal(mpb_session_dir_create(&f->dir, f->path, &f->session, NULL), MPB_OK);
    const struct mpb_campaign campaign = {.session = &f->session,
                                          .dir = &f->dir,
                                          .arms = &f->arms,
                                          .spawn = spawn_fake,
                                          .stop_fd = -1};
    f->st = mpb_campaign_run(&campaign, &f->err);
    mpb_session_dir_close(&f->dir);
}

/* Also: what was committed is what is in memory. */
static void drop(struct fixture *f)
{
    struct mpb_session again = {0};
    char command[128];
    assert_int_equal(mpb_session_dir_load(f->path, &again, NULL), MPB_OK);
    assert_int_equal(again.n_passes, f->session.n_passes);
    assert_int_equal(again.n_rows, f->session.n_rows);
    mpb_session_fini(&again);
    mpb_session_fini(&f->session);
    mpb_arm_fini_all(&f->arms);
    *strrchr(f->path, '/') = '\0';
    snprintf(command, sizeof(command), "rm -r '%s'", f->path);
    assert_int_equal(system(command), 0);
}

static void test_order(void **state)
{
    (void)state;
    struct fixture f;
    run(&f, "g", 4, "micro");
    assert_int_equal(f.st, MPB_OK);
    assert_string_equal(fake.calls, "ababab"
                                    "BAAB"
                                    "ABBA"
                                    "BAAB"
                                    "BAAB");
    assert_int_equal(f.session.n_passes, 22);
    assert_int_equal(f.session.n_rows, 22); /* wall in timed, copies in counting passes */
    const struct mpb_pass *p = &f.session.pass[6];
    assert_int_equal(p->block, 1);
    assert_int_equal(p->slot, 1);
    assert_int_equal(p->pass, 4);
    drop(&f);
}

static void test_scenarios_take_turns(void **state)
{
    (void)state;
    struct fixture f;
    run(&f, "g", 2, "micro,macro");
    assert_int_equal(f.st, MPB_OK);
    assert_int_equal(f.session.n_passes, 2 * (6 + 8));
    unsigned want_block[] = {1, 1, 2, 2};
    for (size_t i = 0; i < 4; i++) {
        const struct mpb_pass *p = &f.session.pass[12 + 4 * i];
        assert_int_equal(p->block, want_block[i]);
        assert_int_equal(p->scenario, f.session.scenario[i % 2]);
    }
    drop(&f);
}

static void test_failed_pass_voids_its_block(void **state)
{
    (void)state;
    static const char *const faults[] = {"x", "j", "n"};
    static const char *const reasons[] = {"exit 1: sorry", "stdout:4: ", "/timed: cannot be exe"};
    for (size_t i = 0; i < MPB_ARRAY_LEN(faults); i++) {
        struct fixture f;
        char script[64];
        snprintf(script, sizeof(script),
                 "gggggggggg"
                 "gg%sg",
                 faults[i]);
        run(&f, script, 3, "micro");
        assert_int_equal(f.st, MPB_OK);
        /* block 1, block 2 up to its third slot, then blocks 3 and 4 */
        assert_string_equal(fake.calls, "ababab"
                                        "BAAB"
                                        "ABB"
                                        "BAAB"
                                        "BAAB");
        const struct mpb_pass *failed = &f.session.pass[12];
        assert_false(failed->accepted);
        assert_memory_equal(failed->reason, reasons[i], strlen(reasons[i]));
        assert_int_equal(f.session.pass[13].block, 3);
        drop(&f);
    }
}

static void test_three_in_a_row_end_a_scenario(void **state)
{
    (void)state;
    struct fixture f;
    run(&f, "ggggggx", 12, "micro");
    assert_int_equal(f.st, MPB_E_INCOMPLETE);
    assert_string_equal(f.err.where, "micro");
    assert_non_null(strstr(f.err.text, "exit 1: sorry"));
    assert_string_equal(fake.calls, "ababab"
                                    "B"
                                    "A"
                                    "B");
    drop(&f);
    run(&f, "gxxgxxgxxx", 12, "micro"); /* counting: runs of two are forgiven */
    assert_int_equal(f.st, MPB_E_INCOMPLETE);
    assert_string_equal(fake.calls, "abbbaaabbb");
    drop(&f);
}

static void test_one_bad_arm_does_not_go_on_for_ever(void **state)
{
    (void)state;
    struct fixture f;
    /* B fails in every block, A never does: blocks BAAB ABBA BAAB */
    run(&f, "ggggggxgxx", 12, "micro");
    assert_int_equal(f.st, MPB_E_INCOMPLETE);
    assert_string_equal(fake.calls, "ababab"
                                    "B"
                                    "AB"
                                    "B");
    drop(&f);
}

static void test_other_scenarios_go_on(void **state)
{
    (void)state;
    struct fixture f;
    run(&f, "xxxg", 1, "micro,macro");
    assert_int_equal(f.st, MPB_E_INCOMPLETE);
    assert_string_equal(f.err.where, "micro");
    assert_int_equal(fake.n, 3 + 6 + 4);
    drop(&f);
}

static void test_skip_is_no_failure(void **state)
{
    (void)state;
    struct fixture f;
    run(&f, "sg", 1, "micro,macro");
    assert_int_equal(f.st, MPB_OK);
    assert_int_equal(fake.n, 1 + 6 + 4);
    assert_string_equal(f.session.pass[0].reason, "skipped: no reason given");
    drop(&f);
}

static void test_interrupted(void **state)
{
    (void)state;
    struct fixture f;
    run(&f, "gggggggggggi", 12, "micro");
    assert_int_equal(f.st, MPB_E_INTERRUPTED);
    assert_int_equal(f.session.n_passes, 12);
    assert_string_equal(f.session.pass[11].reason, "interrupted");
    drop(&f);
    run(&f, "gi", 12, "micro");
    assert_int_equal(f.st, MPB_E_INTERRUPTED);
    assert_int_equal(f.session.n_passes, 2);
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_scenarios_take_turns),
        cmocka_unit_test(test_failed_pass_voids_its_block),
        cmocka_unit_test(test_three_in_a_row_end_a_scenario),
        cmocka_unit_test(test_one_bad_arm_does_not_go_on_for_ever),
        cmocka_unit_test(test_other_scenarios_go_on),
        cmocka_unit_test(test_skip_is_no_failure),
        cmocka_unit_test(test_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
