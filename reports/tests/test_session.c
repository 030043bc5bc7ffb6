/* test_session.c: lists, look-ups, what is cleaned on the way in. */
#include "reports/session.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_pairs_keep_order_and_replace(void **state)
{
    struct mpb_pairs pairs = {0};
    char key[8];
    (void)state;
    for (int i = 0; i < 40; i++) {
        snprintf(key, sizeof(key), "k%d", i);
        assert_int_equal(mpb_pairs_set(&pairs, key, "old", NULL), MPB_OK);
    }
    assert_int_equal(mpb_pairs_set(&pairs, "k3", "new\xff", NULL), MPB_OK);
    assert_int_equal(pairs.n, 40);
    assert_string_equal(pairs.pair[3].key, "k3");
    assert_string_equal(mpb_pairs_get(&pairs, "k3"), "new\xef\xbf\xbd");
    assert_null(mpb_pairs_get(&pairs, "none"));
    mpb_pairs_fini(&pairs);
}

static void test_duplicates_are_refused(void **state)
{
    struct mpb_session s = {0};
    struct mpb_error err = {0};
    (void)state;
    assert_int_equal(mpb_session_add_arm(&s, "a", "before", "before", &err), MPB_OK);
    assert_int_equal(mpb_session_add_arm(&s, "a", "after", "after", &err), MPB_E_INPUT);
    assert_string_equal(err.text, "two arms have this label");
    assert_int_equal(mpb_session_add_scenario(&s, "micro", &err), MPB_OK);
    assert_int_equal(mpb_session_add_scenario(&s, "micro", &err), MPB_E_INPUT);
    assert_int_equal(
        mpb_session_add_metric(&s, "wall", "ns", MPB_BETTER_LOWER, MPB_CLASS_TIMED, "", &err),
        MPB_OK);
    assert_int_equal(
        mpb_session_add_metric(&s, "wall", "ns", MPB_BETTER_LOWER, MPB_CLASS_TIMED, "", &err),
        MPB_E_INPUT);
    assert_int_equal(s.n_arms + s.n_scenarios + s.n_metrics, 3);
    mpb_session_fini(&s);
}

static void test_a_site_metric_finds_its_description(void **state)
{
    struct mpb_session s = {0};
    (void)state;
    assert_int_equal(mpb_session_add_metric(&s, "decodes", "count", MPB_BETTER_LOWER,
                                            MPB_CLASS_EXACT, "doc", NULL),
                     MPB_OK);
    assert_int_equal(
        mpb_session_add_metric(&s, "own/name", "ns", MPB_BETTER_NONE, MPB_CLASS_TIMED, "", NULL),
        MPB_OK);
    assert_ptr_equal(mpb_session_find_metric(&s, "decodes"), &s.metric[0]);
    assert_ptr_equal(mpb_session_find_metric(&s, "decodes/receiver/app"), &s.metric[0]);
    assert_ptr_equal(mpb_session_find_metric(&s, "own/name"), &s.metric[1]);
    assert_null(mpb_session_find_metric(&s, "decode"));
    assert_null(mpb_session_find_metric(&s, "own"));
    assert_null(mpb_session_find_metric(&s, ""));
    mpb_session_fini(&s);
}

static struct mpb_row add_real(double value)
{
    struct mpb_session s = {0};
    struct mpb_row row = {.value = {.real = value}};
    assert_int_equal(mpb_session_add_row(&s, &row, NULL), MPB_OK);
    row = s.row[0];
    mpb_session_fini(&s);
    return row;
}

static void test_whole_reals_are_integers(void **state)
{
    (void)state;
    assert_true(add_real(2000.0).is_integer);
    assert_int_equal(add_real(2000.0).value.integer, 2000);
    assert_true(add_real(0).is_integer);
    assert_false(add_real(0.5).is_integer);
    assert_false(add_real(-1).is_integer);
    assert_false(add_real(1e17).is_integer);
    assert_false(add_real((double)NAN).is_integer);
}

static void test_passes_own_their_reason(void **state)
{
    struct mpb_session s = {0};
    char reason[] = "timed out";
    struct mpb_pass pass = {.pass = 1, .reason = reason};
    (void)state;
    for (int i = 0; i < 50; i++) {
        assert_int_equal(mpb_session_add_pass(&s, &pass, NULL), MPB_OK);
    }
    reason[0] = 'X';
    assert_string_equal(s.pass[49].reason, "timed out");
    pass.reason = NULL;
    assert_int_equal(mpb_session_add_pass(&s, &pass, NULL), MPB_OK);
    assert_string_equal(s.pass[50].reason, "");
    mpb_session_add_note(&s, "%d %s", 7, "notes");
    assert_string_equal(s.note[0], "7 notes");
    mpb_session_fini(&s);
    mpb_session_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_keep_order_and_replace),
        cmocka_unit_test(test_duplicates_are_refused),
        cmocka_unit_test(test_a_site_metric_finds_its_description),
        cmocka_unit_test(test_whole_reals_are_integers),
        cmocka_unit_test(test_passes_own_their_reason),
    };
    return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
