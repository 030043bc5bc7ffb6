/* test_arm.c: ARM words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/arm.h"

static void add(struct mpb_arms *arms, const char *text)
{
    struct mpb_error err = {0};
    if (mpb_arm_add(arms, text, &err) != MPB_OK) {
        fail_msg("%s: %s", text, err.text);
    }
}

static void test_labels(void **state)
{
    (void)state;
    static const struct {
        const char *text, *label, *spec, *variant;
    } table[] = {
        {"before", "before", "before", "before"},
        {"old=before", "old", "before", "before"},
        {"v1.0+x~-_=after-orc", "v1.0+x~-_", "after-orc", "after-orc"},
        {"exec:/opt/x/worker --fast", "worker", "exec:/opt/x/worker --fast", ""},
        {"exec:./a=b", "a-b", "exec:./a=b", ""}, /* ':' before '=': no label */
        {"new=exec:./w --x=1", "new", "exec:./w --x=1", ""},
        {"exec:/tmp/_w rk", "w", "exec:/tmp/_w rk", ""}, /* a label starts with a letter or digit */
        {"exec:/tmp/..", "arm", "exec:/tmp/..", ""},
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(table); i++) {
        struct mpb_arms arms = {0};
        add(&arms, table[i].text);
        assert_string_equal(arms.arm[0].label, table[i].label);
        assert_string_equal(arms.arm[0].spec, table[i].spec);
        assert_string_equal(arms.arm[0].variant, table[i].variant);
        assert_int_equal(arms.arm[0].is_builtin, table[i].variant[0] != '\0');
        mpb_arm_fini_all(&arms);
    }
}

static void test_same_label_again(void **state)
{
    (void)state;
    struct mpb_arms arms = {0};
    add(&arms, "before");
    add(&arms, "before");
    add(&arms, "before~3=after");
    add(&arms, "before");
    assert_string_equal(arms.arm[1].label, "before~2");
    assert_string_equal(arms.arm[2].label, "before~3");
    assert_string_equal(arms.arm[3].label, "before~4");
    mpb_arm_fini_all(&arms);
}

static void test_exec_is_split_at_blanks(void **state)
{
    (void)state;
    struct mpb_arms arms = {0};
    add(&arms, "exec: ./w  --a $HOME;x");
    const struct mpb_words *w = &arms.arm[0].worker[MPB_KIND_TIMED].command;
    assert_int_equal(w->n, 3);
    assert_string_equal(w->word[0], "./w");
    assert_string_equal(w->word[2], "$HOME;x"); /* no shell */
    assert_null(w->word[3]);
    mpb_arm_fini_all(&arms);
}

static void test_counting_follows_its_arm(void **state)
{
    (void)state;
    struct mpb_arms arms = {0};
    struct mpb_error err = {0};
    assert_int_equal(mpb_arm_set_counting(&arms, "./c", &err), MPB_E_USAGE);
    add(&arms, "exec:./w");
    assert_string_equal(arms.arm[0].worker[MPB_KIND_COUNTING].command.word[0], "./w");
    assert_int_equal(mpb_arm_set_counting(&arms, " ", &err), MPB_E_USAGE);
    assert_int_equal(mpb_arm_set_counting(&arms, "./c --deep", &err), MPB_OK);
    assert_string_equal(arms.arm[0].worker[MPB_KIND_COUNTING].command.word[0], "./c");
    assert_string_equal(arms.arm[0].worker[MPB_KIND_TIMED].command.word[0], "./w");
    add(&arms, "before");
    assert_int_equal(mpb_arm_set_counting(&arms, "./c", &err), MPB_E_USAGE);
    mpb_arm_fini_all(&arms);
}

static void test_bad_specs(void **state)
{
    (void)state;
    static const char *const bad[] = {"",         "exec:",         "exec:  ", "git:HEAD",
                                      "x=git:v1", "bench:time:ls", "a b",     "./before",
                                      "l=",       "=before x"};
    struct mpb_arms arms = {0};
    for (size_t i = 0; i < MPB_ARRAY_LEN(bad); i++) {
        struct mpb_error err = {0};
        assert_int_equal(mpb_arm_add(&arms, bad[i], &err), MPB_E_USAGE);
        assert_true(err.text[0] != '\0');
    }
    assert_int_equal(arms.n, 0);
    for (int i = 0; i < MPB_ARM_MAX; i++) {
        add(&arms, "before");
    }
    assert_int_equal(mpb_arm_add(&arms, "before", NULL), MPB_E_USAGE);
    mpb_arm_fini_all(&arms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_same_label_again),
        cmocka_unit_test(test_exec_is_split_at_blanks),
        cmocka_unit_test(test_counting_follows_its_arm),
        cmocka_unit_test(test_bad_specs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
