/* test_hostile_parse.c: the option's values: each kind and rate as it was meant, everything else
 * refused in one line that names the option. */
#include "workloads/hostile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *text;
    enum mpb_hostile_kind kind;
    uint64_t rate;
} good[] = {
    {"garbage,100", MPB_HOSTILE_GARBAGE, 100},
    {"oversize,1", MPB_HOSTILE_OVERSIZE, 1},
    {"slow,1000000", MPB_HOSTILE_SLOW, 1000000},
    {"flood,7", MPB_HOSTILE_FLOOD, 7},
    {"flood,max", MPB_HOSTILE_FLOOD, 0},
    {"dup,50", MPB_HOSTILE_DUP, 50},
    {"none", MPB_HOSTILE__COUNT, 0},
};

static const char *const bad[] = {
    "",
    ",",
    "garbage",
    "garbage,",
    "garbage,0",
    "garbage,max",
    "flood,1000001",
    "flood,Max",
    "dup,1,2",
    "dup,-1",
    "dup,1.5",
    "dup, 1",
    " dup,1",
    "dups,1",
    "du,1",
    "none,1",
    "None",
    "garbage,18446744073709551616",
    "a\nb,1",
};

static void test_good_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPB_ARRAY_LEN(good); i++) {
        struct mpb_hostile got = {.kind = MPB_HOSTILE_SLOW, .rate = 3};
        assert_int_equal(mpb_hostile_parse(good[i].text, "--hostile", &got, NULL), MPB_OK);
        assert_int_equal(got.kind, good[i].kind);
        assert_int_equal(got.rate, good[i].rate);
    }
}

static void test_bad_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPB_ARRAY_LEN(bad); i++) {
        struct mpb_hostile got = {.kind = MPB_HOSTILE_SLOW, .rate = 3};
        struct mpb_error err = {.status = MPB_OK};
        if (mpb_hostile_parse(bad[i], "--hostile", &got, &err) != MPB_E_INPUT) {
            fail_msg("'%s' was taken", bad[i]);
        }
        assert_string_equal(err.where, "--hostile");
        assert_null(strchr(err.text, '\n'));
        assert_true(got.kind == MPB_HOSTILE_SLOW && got.rate == 3);
    }
}

/* The help and the message about unknown kinds name all of them. */
static void test_kinds(void **state)
{
    (void)state;
    struct mpb_error err = {.status = MPB_OK};
    struct mpb_hostile got;
    assert_int_equal(mpb_hostile_parse("x", "--hostile", &got, &err), MPB_E_INPUT);
    for (size_t kind = 0; kind < MPB_HOSTILE__COUNT; kind++) {
        const struct mpb_hostile_info *info = mpb_hostile_info((enum mpb_hostile_kind)kind);
        assert_non_null(strstr(err.text, info->name));
        assert_true(info->doc[0] != '\0' && info->fate[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_values),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
