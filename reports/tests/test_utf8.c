/* test_utf8.c: the boundaries of RFC 3629 section 4. */
#include "reports/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_accepts_the_boundaries(void **state)
{
    static const char *const good[] = {"",
                                       "a",
                                       "\x7f",
                                       "\xc2\x80",
                                       "\xdf\xbf",
                                       "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",
                                       "\xee\x80\x80",
                                       "\xef\xbf\xbf",
                                       "\xf0\x90\x80\x80",
                                       "\xf4\x8f\xbf\xbf"};
    (void)state;
    for (size_t i = 0; i < MPB_ARRAY_LEN(good); i++) {
        assert_int_equal(mpb_utf8_valid_bytes(good[i], strlen(good[i])), strlen(good[i]));
    }
}

static void test_refuses_what_is_next_to_them(void **state)
{
    static const char *const bad[] = {"\x80",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xe0\x9f\xbf",
                                      "\xed\xa0\x80",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xff",
                                      "\xc2",
                                      "\xe2\x82",
                                      "\xf0\x90\x80"};
    (void)state;
    for (size_t i = 0; i < MPB_ARRAY_LEN(bad); i++) {
        assert_int_equal(mpb_utf8_valid_bytes(bad[i], strlen(bad[i])), 0);
    }
    assert_int_equal(mpb_utf8_valid_bytes("ab\xff", 3), 2);
}

static void test_copy_replaces_only_what_is_wrong(void **state)
{
    (void)state;
    char *copy = mpb_utf8_copy("a\xff\xc3\xa9\xc3z");
    assert_string_equal(copy, "a\xef\xbf\xbd\xc3\xa9\xef\xbf\xbdz");
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepts_the_boundaries),
        cmocka_unit_test(test_refuses_what_is_next_to_them),
        cmocka_unit_test(test_copy_replaces_only_what_is_wrong),
    };
    return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
