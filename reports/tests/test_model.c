/* test_model.c: the words for verdicts, and look-ups. */
#include "reports/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_verdict_words(void **state)
{
    static const struct {
        enum mpb_class class_;
        enum mpb_verdict verdict;
        bool negligible;
        const char *text;
    } cases[] = {
        {MPB_CLASS_EXACT, MPB_VERDICT_EQUAL, false, "exact"},
        {MPB_CLASS_EXACT, MPB_VERDICT_IMPROVED, false, "exact, improved"},
        {MPB_CLASS_EXACT, MPB_VERDICT_REGRESSED, false, "exact, regressed"},
        {MPB_CLASS_EXACT, MPB_VERDICT_NEW, false, "exact, new"},
        {MPB_CLASS_EXACT, MPB_VERDICT_MISSING, false, "missing"},
        {MPB_CLASS_EXACT, MPB_VERDICT_INCONCLUSIVE, false, "inconclusive"},
        {MPB_CLASS_TIMED, MPB_VERDICT_IMPROVED, true, "improved, negligible"},
        {MPB_CLASS_TIMED, MPB_VERDICT_REGRESSED, false, "regressed"},
        {MPB_CLASS_LEVEL, MPB_VERDICT_EQUAL, false, "equal"},
        {MPB_CLASS_TIMED, MPB_VERDICT_NOT_COMPARABLE, false, "not comparable"},
    };
    (void)state;
    for (size_t i = 0; i < MPB_ARRAY_LEN(cases); i++) {
        struct mpb_ab_row row = {.class_ = cases[i].class_,
                                 .verdict = cases[i].verdict,
                                 .negligible = cases[i].negligible};
        char text[40];
        mpb_model_verdict_text(&row, text, sizeof(text));
        assert_string_equal(text, cases[i].text);
    }
}

static void test_verdict_words_are_unique(void **state)
{
    (void)state;
    for (int i = 0; i < MPB_VERDICT__COUNT; i++) {
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(mpb_model_verdict_word((enum mpb_verdict)i),
                                    mpb_model_verdict_word((enum mpb_verdict)j));
        }
    }
}

static void test_look_ups_need_every_part_of_the_key(void **state)
{
    struct mpb_model model = {.n_ab = 2, .n_summary = 2};
    (void)state;
    model.ab = calloc(2, sizeof(*model.ab));
    model.summary = calloc(2, sizeof(*model.summary));
    assert_non_null(model.ab);
    assert_non_null(model.summary);
    for (size_t i = 0; i < 2; i++) {
        model.ab[i] = (struct mpb_ab_row){
            .scenario = "micro", .metric = "wall", .run = (int)i, .a_arm = i, .b_arm = i + 1};
        model.summary[i] = (struct mpb_summary_row){
            .scenario = "micro", .metric = "wall", .run = MPB_RUN_MEAN, .arm = i};
    }
    assert_ptr_equal(mpb_model_find_ab(&model, "micro", "wall", 1, 1, 2), &model.ab[1]);
    assert_null(mpb_model_find_ab(&model, "macro", "wall", 1, 1, 2));
    assert_null(mpb_model_find_ab(&model, "micro", "wal", 1, 1, 2));
    assert_null(mpb_model_find_ab(&model, "micro", "wall", 0, 1, 2));
    assert_null(mpb_model_find_ab(&model, "micro", "wall", 1, 0, 2));
    assert_null(mpb_model_find_ab(&model, "micro", "wall", 1, 1, 1));
    assert_ptr_equal(mpb_model_find_summary(&model, 1, "micro", "wall", MPB_RUN_MEAN),
                     &model.summary[1]);
    assert_null(mpb_model_find_summary(&model, 2, "micro", "wall", MPB_RUN_MEAN));
    assert_null(mpb_model_find_summary(&model, 1, "micro", "wall", 1));
    mpb_model_fini(&model);
    mpb_model_fini(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdict_words),
        cmocka_unit_test(test_verdict_words_are_unique),
        cmocka_unit_test(test_look_ups_need_every_part_of_the_key),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
