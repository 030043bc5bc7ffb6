/* test_keymap.c: first value kept, growth, extreme keys. */
#include "reports/keymap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void test_first_value_is_kept(void **state)
{
    struct mpb_keymap map = {0};
    bool added = false;
    uint32_t value = 0;
    (void)state;
    assert_false(mpb_keymap_find(&map, 0, &value));
    assert_int_equal(mpb_keymap_add(&map, 0, 5, &added, NULL), MPB_OK);
    assert_true(added);
    assert_int_equal(mpb_keymap_add(&map, 0, 6, &added, NULL), MPB_OK);
    assert_false(added);
    assert_true(mpb_keymap_find(&map, 0, &value));
    assert_int_equal(value, 5);
    mpb_keymap_fini(&map);
}

static void test_every_key_is_found_again(void **state)
{
    struct mpb_keymap map = {0};
    bool added = false;
    uint32_t value = 0;
    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        uint64_t key = (uint64_t)i << 32 | (UINT64_MAX - i);
        assert_int_equal(mpb_keymap_add(&map, key, i, &added, NULL), MPB_OK);
        assert_true(added);
    }
    for (uint32_t i = 0; i < 20000; i++) {
        assert_true(mpb_keymap_find(&map, (uint64_t)i << 32 | (UINT64_MAX - i), &value));
        assert_int_equal(value, i);
    }
    assert_false(mpb_keymap_find(&map, 1, &value));
    mpb_keymap_fini(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_value_is_kept),
        cmocka_unit_test(test_every_key_is_found_again),
    };
    return cmocka_run_group_tests_name("keymap", tests, NULL, NULL);
}
