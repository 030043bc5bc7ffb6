/* test_words.c: lists of strings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "harness/words.h"

static void test_split(void **state)
{
    (void)state;
    struct mpb_words w = {0};
    assert_int_equal(mpb_words_split(&w, ",,micro,macro,,x", ",", NULL), MPB_OK);
    assert_int_equal(w.n, 3);
    assert_string_equal(w.word[1], "macro");
    assert_true(mpb_words_has(&w, "x"));
    assert_false(mpb_words_has(&w, "mic"));
    assert_int_equal(mpb_words_split(&w, "", ",", NULL), MPB_OK);
    assert_int_equal(w.n, 3);
    mpb_words_fini(&w);
}

static void test_many_stay_terminated(void **state)
{
    (void)state;
    struct mpb_words w = {0}, copy = {0};
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(mpb_words_add(&w, "word", NULL), MPB_OK);
        assert_int_equal(w.n, i + 1);
        assert_null(w.word[w.n]);
    }
    assert_int_equal(mpb_words_add_all(&copy, w.word, NULL), MPB_OK);
    assert_int_equal(mpb_words_add_all(&copy, NULL, NULL), MPB_OK);
    assert_int_equal(copy.n, 100);
    mpb_words_fini(&w);
    mpb_words_fini(&copy);
    assert_null(w.word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_many_stay_terminated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
