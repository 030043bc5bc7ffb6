/* test_emit.c: rows: their text, their order, and what happens when they cannot be written. */
#include "workloads/emit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char text[1 << 18];

/* Print into text. */
static void print(const struct mpb_emit *emit)
{
    FILE *f = fmemopen(text, sizeof(text), "w");
    assert_non_null(f);
    assert_int_equal(mpb_emit_print(emit, f, NULL), MPB_OK);
    fclose(f);
}

static void test_rows(void **state)
{
    (void)state;
    struct mpb_emit emit = {.scenario = "micro"};
    mpb_emit_integer(&emit, 1, MPB_METRIC_DECODES, NULL, 2000);
    mpb_emit_integer(&emit, 1, MPB_METRIC_DECODES, "validator", 1000);
    mpb_emit_integer(&emit, 2, MPB_METRIC_WALL, NULL, UINT64_MAX);
    mpb_emit_integer(&emit, 0, MPB_METRIC_PEAK_RSS, NULL, 0);
    mpb_emit_integer(&emit, 1, MPB_METRIC_REJECTED, "wire_type", 3);
    mpb_emit_real(&emit, 1, MPB_METRIC_MSG_PER_S, 1234.5);
    print(&emit);
    assert_string_equal(text, "scenario,run,metric,unit,value\n"
                              "micro,1,decodes,count,2000\n"
                              "micro,1,decodes/validator,count,1000\n"
                              "micro,2,wall,ns,18446744073709551615\n"
                              "micro,0,peak_rss,B,0\n"
                              "micro,1,rejected/wire_type,count,3\n"
                              "micro,1,msg_per_s,1/s,1234.5\n");
    mpb_emit_fini(&emit);
}

/* A real number comes back bit for bit. */
static void test_reals_come_back(void **state)
{
    (void)state;
    static const double values[] = {1.0 / 3, 1e-300, 123456789.123456789, 0.1, 26402.0};
    for (size_t i = 0; i < MPB_ARRAY_LEN(values); i++) {
        struct mpb_emit emit = {.scenario = "micro"};
        mpb_emit_real(&emit, 1, MPB_METRIC_MSG_PER_S, values[i]);
        print(&emit);
        double back = strtod(strrchr(text, ',') + 1, NULL);
        assert_memory_equal(&back, &values[i], sizeof(back));
        mpb_emit_fini(&emit);
    }
}

/* More rows than there was room for at first: none lost, none reordered. */
static void test_many(void **state)
{
    (void)state;
    struct mpb_emit emit = {.scenario = "micro"};
    for (uint64_t i = 0; i < 3000; i++) {
        mpb_emit_integer(&emit, 1, MPB_METRIC_COPIES, i % 2 == 0 ? "app" : NULL, i);
    }
    print(&emit);
    const char *at = text + sizeof(MPB_EMIT_HEADER);
    char expected[64];
    for (uint64_t i = 0; i < 3000; i++) {
        snprintf(expected, sizeof(expected), "micro,1,copies%s,count,%llu\n",
                 i % 2 == 0 ? "/app" : "", (unsigned long long)i);
        assert_memory_equal(at, expected, strlen(expected));
        at += strlen(expected);
    }
    assert_string_equal(at, "");
    mpb_emit_fini(&emit);
    assert_int_equal(emit.n, 0);
}

static void test_no_rows(void **state)
{
    (void)state;
    struct mpb_emit emit = {.scenario = "micro"};
    print(&emit);
    assert_string_equal(text, "scenario,run,metric,unit,value\n");
    mpb_emit_fini(&emit);
}

/* A full disk is noticed, for one row as for more than a buffer's worth. */
static void test_full_disk(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 1000; n += 999) {
        struct mpb_emit emit = {.scenario = "micro"};
        struct mpb_error err = {.status = MPB_OK};
        FILE *full = fopen("/dev/full", "w");
        assert_non_null(full);
        for (size_t i = 0; i < n; i++) {
            mpb_emit_integer(&emit, 1, MPB_METRIC_COPIES, NULL, i);
        }
        assert_int_equal(mpb_emit_print(&emit, full, &err), MPB_E_IO);
        assert_string_equal(err.where, "stdout");
        assert_non_null(strstr(err.text, "cannot write the rows: "));
        fclose(full);
        mpb_emit_fini(&emit);
    }
}

static void test_lost_row(void **state)
{
    (void)state;
    struct mpb_emit emit = {.scenario = "micro", .failed = true};
    FILE *f = fmemopen(text, sizeof(text), "w");
    assert_non_null(f);
    text[0] = '\0';
    assert_int_equal(mpb_emit_print(&emit, f, NULL), MPB_E_NOMEM);
    fclose(f);
    assert_string_equal(text, ""); /* not even a header */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),      cmocka_unit_test(test_reals_come_back),
        cmocka_unit_test(test_many),      cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_full_disk), cmocka_unit_test(test_lost_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
