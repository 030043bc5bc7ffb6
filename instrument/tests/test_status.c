/* test_status.c: the status list is a sound registry, errors are one line and fit their struct. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "instrument/status.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static const enum mpb_status statuses[] = {
#define MPB_X(id, name, text) MPB_E_##id,
    MPB_STATUS_LIST(MPB_X)
#undef MPB_X
};

static void names_are_unique_and_lower_snake(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPB_ARRAY_LEN(statuses); i++) {
        const char *name = mpb_status_name(statuses[i]);
        assert_true(islower((unsigned char)name[0]));
        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(name));
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(name, mpb_status_name(statuses[j]));
        }
    }
}

static void every_status_is_negative_and_has_a_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPB_ARRAY_LEN(statuses); i++) {
        assert_true((int)statuses[i] < 0);
        assert_true(strlen(mpb_status_text(statuses[i])) > 0);
    }
    assert_string_equal(mpb_status_name(MPB_OK), "ok");
    assert_string_equal(mpb_status_name(MPB_E_META_LENGTH), "meta_length");
}

static void exit_codes_follow_the_command_line(void **state)
{
    (void)state;
    assert_int_equal(mpb_status_exit_code(MPB_OK), 0);
    for (size_t i = 0; i < MPB_ARRAY_LEN(statuses); i++) {
        enum mpb_status s = statuses[i];
        bool users_fault =
            s == MPB_E_USAGE || s == MPB_E_INPUT || s == MPB_E_EXISTS || s == MPB_E_IO;
        assert_int_equal(mpb_status_exit_code(s), users_fault ? 2 : 4);
    }
}

static void set_fills_and_returns(void **state)
{
    (void)state;
    struct mpb_error err = {.sys_errno = 5};
    assert_int_equal(mpb_error_set(&err, MPB_E_INPUT, "a.csv:7", "value '%s'", "1,5"), MPB_E_INPUT);
    assert_int_equal(err.status, MPB_E_INPUT);
    assert_int_equal(err.sys_errno, 0);
    assert_string_equal(err.where, "a.csv:7");
    assert_string_equal(err.text, "value '1,5'");
    assert_int_equal(mpb_error_set(NULL, MPB_E_NOMEM, NULL, NULL), MPB_E_NOMEM);
}

static void set_without_words_takes_the_status_text(void **state)
{
    (void)state;
    struct mpb_error err;
    mpb_error_set(&err, MPB_E_NOMEM, NULL, NULL);
    assert_string_equal(err.where, "");
    assert_string_equal(err.text, mpb_status_text(MPB_E_NOMEM));
}

static void errors_are_one_line(void **state)
{
    (void)state;
    struct mpb_error err;
    mpb_error_set(&err, MPB_E_INPUT, "a\nb", "x\ry\tz\x1b[0m%s", "\n::error::");
    assert_string_equal(err.where, "a b");
    assert_string_equal(err.text, "x y z [0m ::error::");
    mpb_error_set(&err, MPB_E_INPUT, NULL,
                  "c1\xc2\x9b"
                  "31m, not \xc2\xa0 or \xc3\x9b");
    assert_string_equal(err.text, "c1  31m, not \xc2\xa0 or \xc3\x9b");
}

static void long_words_are_cut_not_overrun(void **state)
{
    (void)state;
    char words[2000];
    memset(words, 'w', sizeof(words) - 1);
    words[sizeof(words) - 1] = '\0';
    struct mpb_error err;
    errno = ENOSPC;
    mpb_error_sys(&err, MPB_E_IO, words, "%s", words);
    assert_int_equal(strlen(err.where), sizeof(err.where) - 1);
    assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

static void sys_appends_and_keeps_errno(void **state)
{
    (void)state;
    struct mpb_error err;
    errno = ENOENT;
    assert_int_equal(mpb_error_sys(&err, MPB_E_IO, "DIR", "cannot open"), MPB_E_IO);
    assert_int_equal(err.sys_errno, ENOENT);
    assert_int_equal(errno, ENOENT);
    assert_string_equal(err.text, "cannot open: No such file or directory");
    errno = EACCES;
    assert_int_equal(mpb_error_sys(NULL, MPB_E_IO, NULL, "x"), MPB_E_IO);
    assert_int_equal(errno, EACCES);
}

static void format_joins_and_terminates(void **state)
{
    (void)state;
    struct mpb_error err;
    char out[64], small[6];
    mpb_error_set(&err, MPB_E_INPUT, "--mix", "bad");
    mpb_error_format(&err, out, sizeof(out));
    assert_string_equal(out, "--mix: bad");
    mpb_error_format(&err, small, sizeof(small));
    assert_string_equal(small, "--mix");
    mpb_error_set(&err, MPB_E_INPUT, NULL, "bad");
    mpb_error_format(&err, out, sizeof(out));
    assert_string_equal(out, "bad");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique_and_lower_snake),
        cmocka_unit_test(every_status_is_negative_and_has_a_text),
        cmocka_unit_test(exit_codes_follow_the_command_line),
        cmocka_unit_test(set_fills_and_returns),
        cmocka_unit_test(set_without_words_takes_the_status_text),
        cmocka_unit_test(errors_are_one_line),
        cmocka_unit_test(long_words_are_cut_not_overrun),
        cmocka_unit_test(sys_appends_and_keeps_errno),
        cmocka_unit_test(format_joins_and_terminates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
