/* test_names.c: interning, growth, the limit. */
#include "reports/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_same_text_same_id(void **state)
{
    struct mpb_names names = {0};
    uint16_t a = 9, b = 9, c = 9;
    (void)state;
    assert_false(mpb_names_find(&names, "wall", &a));
    assert_int_equal(a, 9);
    assert_int_equal(mpb_names_intern(&names, "wall", &a, NULL), MPB_OK);
    assert_int_equal(mpb_names_intern(&names, "", &b, NULL), MPB_OK);
    assert_int_equal(mpb_names_intern(&names, "wall", &c, NULL), MPB_OK);
    assert_int_equal(a, c);
    assert_int_not_equal(a, b);
    assert_string_equal(mpb_names_text(&names, b), "");
    mpb_names_fini(&names);
}

static void test_all_names_up_to_the_limit(void **state)
{
    struct mpb_names names = {0};
    struct mpb_error err = {0};
    char text[16];
    uint16_t id = 0;
    (void)state;
    for (int i = 0; i < MPB_NAMES_MAX; i++) {
        snprintf(text, sizeof(text), "m%d", i);
        assert_int_equal(mpb_names_intern(&names, text, &id, &err), MPB_OK);
        assert_int_equal(id, i);
    }
    assert_int_equal(mpb_names_intern(&names, "one more", &id, &err), MPB_E_INPUT);
    assert_int_equal(mpb_names_intern(&names, "m4711", &id, &err), MPB_OK);
    assert_int_equal(id, 4711);
    assert_string_equal(mpb_names_text(&names, 65534), "m65534");
    mpb_names_fini(&names);
}

static void test_refuses_what_is_not_utf8(void **state)
{
    struct mpb_names names = {0};
    uint16_t id = 7;
    (void)state;
    assert_int_equal(mpb_names_intern(&names, "\xff", &id, NULL), MPB_E_INPUT);
    assert_int_equal(id, 7);
    mpb_names_fini(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_text_same_id),
        cmocka_unit_test(test_all_names_up_to_the_limit),
        cmocka_unit_test(test_refuses_what_is_not_utf8),
    };
    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
