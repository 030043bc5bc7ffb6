/* test_launch.c: the exact words of a pass, and levelled stacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/launch.h"

static struct mpb_arm make_arm(const char *text, const char *options)
{
    struct mpb_arms arms = {0};
    assert_int_equal(mpb_arm_add(&arms, text, NULL), MPB_OK);
    struct mpb_arm arm = arms.arm[0];
    free(arms.arm);
    if (arm.is_builtin) {
        assert_int_equal(mpb_words_add(&arm.worker[0].command, "/opt/worker", NULL), MPB_OK);
    }
    assert_int_equal(mpb_words_split(&arm.worker[0].options, options, " ", NULL), MPB_OK);
    return arm;
}

static void drop(struct mpb_arm *arm)
{
    struct mpb_arms arms = {malloc(sizeof(*arm)), 1};
    assert_non_null(arms.arm);
    arms.arm[0] = *arm;
    mpb_arm_fini_all(&arms);
}

static void assert_words(const struct mpb_words *have, const char *want)
{
    struct mpb_words expected = {0};
    assert_int_equal(mpb_words_split(&expected, want, " ", NULL), MPB_OK);
    assert_int_equal(have->n, expected.n);
    for (size_t i = 0; i < have->n; i++) {
        assert_string_equal(have->word[i], expected.word[i]);
    }
    assert_null(have->word[have->n]);
    mpb_words_fini(&expected);
}

static void test_words(void **state)
{
    (void)state;
    struct mpb_launch launch = {0};
    struct mpb_arm arm = make_arm("before", "--messages 1000 --seed 42");
    assert_int_equal(mpb_launch_build(&arm, MPB_KIND_TIMED, "micro", &launch, NULL), MPB_OK);
    assert_words(&launch.argv, "/opt/worker --protocol 1 --scenario micro --variant before "
                               "--messages 1000 --seed 42");
    mpb_launch_fini(&launch);
    drop(&arm);
    arm = make_arm("exec:./w --own", "");
    assert_int_equal(mpb_launch_build(&arm, MPB_KIND_TIMED, "micro", &launch, NULL), MPB_OK);
    assert_words(&launch.argv, "./w --own --protocol 1 --scenario micro");
    mpb_launch_fini(&launch);
    drop(&arm);
}

static void test_level(void **state)
{
    (void)state;
    struct mpb_launch launches[3] = {{{0}, {0}}};
    struct mpb_arm arms[3] = {make_arm("before", "--messages 1000"), make_arm("after-orc", ""),
                              make_arm("exec:/a/very/long/path/to/a/worker x", "")};
    assert_int_equal(setenv("MSGPATH_PAD", "inherited", 1), 0);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(mpb_launch_build(&arms[i], MPB_KIND_TIMED, "micro", &launches[i], NULL),
                         MPB_OK);
    }
    assert_int_not_equal(mpb_launch_room(&launches[0]), mpb_launch_room(&launches[1]));
    for (int again = 0; again < 2; again++) {
        assert_int_equal(mpb_launch_level(launches, 3, NULL), MPB_OK);
        assert_int_equal(mpb_launch_room(&launches[0]), mpb_launch_room(&launches[1]));
        assert_int_equal(mpb_launch_room(&launches[0]), mpb_launch_room(&launches[2]));
        assert_int_equal(launches[0].envp.n, launches[1].envp.n);
    }
    unsigned pads = 0;
    for (size_t i = 0; i < launches[0].envp.n; i++) {
        pads += strncmp(launches[0].envp.word[i], "MSGPATH_PAD=", 12) == 0;
    }
    assert_int_equal(pads, 1);
    for (size_t i = 0; i < 3; i++) {
        mpb_launch_fini(&launches[i]);
        drop(&arms[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
