/* test_select.c: filters that match, filters that cannot. */
#include "harness/tests/session_maker.h"

#include "harness/compare.h"
#include "harness/select.h"

static void test_check(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        enum mpb_status want;
    } table[] = {
        {"copies", MPB_OK},      {"^wall$", MPB_OK},
        {".", MPB_OK},           {"copies/archive", MPB_OK},
        {"^(wall|msg)", MPB_OK}, {"typo", MPB_E_USAGE},
        {"^all", MPB_OK},        {"^al$", MPB_E_USAGE},
        {"(", MPB_E_USAGE},      {"wall/archive", MPB_E_USAGE}, /* not additive: it has no parts */
    };
    struct mpb_session s;
    make_session(&s, 1);
    for (size_t i = 0; i < MPB_ARRAY_LEN(table); i++) {
        struct mpb_error err = {0};
        assert_int_equal(mpb_select_check(table[i].pattern, &s, &err), table[i].want);
        if (table[i].want != MPB_OK) {
            assert_string_equal(err.where, "--filter");
        }
    }
    mpb_session_fini(&s);
}

static void test_model(void **state)
{
    (void)state;
    struct mpb_session s;
    struct mpb_model all = {0}, some = {0};
    make_session(&s, 2);
    make_counts(&s, "copies", 3, 2);
    make_counts(&s, "decodes", 1, 1);
    make_counts(&s, "messages", 100, 100);
    assert_int_equal(mpb_compare_session(&s, &all, NULL), MPB_OK);
    assert_int_equal(mpb_select_model("cop", &all, &some, NULL), MPB_OK);
    assert_int_equal(some.n_ab, 1);
    assert_string_equal(some.ab[0].metric, "copies");
    assert_int_equal(some.n_summary, 4); /* copies and messages, of both arms */
    assert_int_equal(some.n_scenarios, all.n_scenarios);
    mpb_model_fini(&some);
    assert_int_equal(mpb_select_model("wall", &all, &some, NULL), MPB_E_USAGE);
    mpb_model_fini(&all);
    mpb_session_fini(&s);
}

int main(void)
{
    session_maker_use();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
