/* test_fingerprint.c: SHA-256 of files against the values published in FIPS 180-2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/fingerprint.h"

static void check(const char *text, size_t times, const char *want)
{
    char path[] = "/tmp/mpb-fingerprint-XXXXXX", hex[MPB_FINGERPRINT_LEN + 1];
    FILE *f = fdopen(mkstemp(path), "w");
    assert_non_null(f);
    for (size_t i = 0; i < times; i++) {
        fputs(text, f);
    }
    fclose(f);
    assert_int_equal(mpb_fingerprint_file(path, hex, NULL), MPB_OK);
    unlink(path);
    assert_string_equal(hex, want);
}

static void test_known_digests(void **state)
{
    (void)state;
    check("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void test_errors_name_the_path(void **state)
{
    (void)state;
    char hex[MPB_FINGERPRINT_LEN + 1] = "untouched";
    struct mpb_error err = {0};
    assert_int_equal(mpb_fingerprint_file("/nonexistent", hex, &err), MPB_E_IO);
    assert_string_equal(err.where, "/nonexistent");
    assert_int_equal(mpb_fingerprint_file("/tmp", hex, &err), MPB_E_IO);
    assert_string_equal(hex, "untouched");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_digests),
        cmocka_unit_test(test_errors_name_the_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
