/* test_env.c: facts are there, whole, and never empty. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/env.h"

static void test_facts(void **state)
{
    (void)state;
    struct mpb_pairs env = {0};
    char cpus[32];
    assert_int_equal(setenv("MALLOC_CONF", "narenas:1", 1), 0);
    assert_int_equal(mpb_env_collect(&env, NULL), MPB_OK);
    for (size_t i = 0; i < env.n; i++) {
        assert_true(env.pair[i].value[0] != '\0');
        assert_null(strchr(env.pair[i].value, '\n'));
    }
    snprintf(cpus, sizeof(cpus), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    assert_string_equal(mpb_pairs_get(&env, "cpus"), cpus);
    assert_string_equal(mpb_pairs_get(&env, "MALLOC_CONF"), "narenas:1");
    assert_non_null(strstr(mpb_pairs_get(&env, "kernel"), "Linux"));
    assert_non_null(mpb_pairs_get(&env, "governor"));
    assert_non_null(mpb_pairs_get(&env, "sha_extension"));
    mpb_pairs_fini(&env);
}

static void test_load(void **state)
{
    (void)state;
    double load1 = -1, psi = -1;
    char text[64] = "";
    mpb_env_read_load(&load1, &psi);
    FILE *f = fopen("/proc/loadavg", "r");
    if (f == NULL || fgets(text, sizeof(text), f) == NULL) {
        skip();
    }
    fclose(f);
    assert_true(fabs(load1 - strtod(text, NULL)) < 1); /* the second reading is later */
    assert_true(isnan(psi) || (psi >= 0 && psi <= 100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
