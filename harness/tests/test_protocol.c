/* test_protocol.c: what is taken, and every way to be refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/protocol.h"

#define HEADER "scenario,run,metric,unit,value\n"

struct fixture {
    struct mpb_session session;
    struct mpb_pass pass;
    struct mpb_protocol_rows rows;
    struct mpb_error err;
};

static void open_fixture(struct fixture *f, enum mpb_kind kind)
{
    *f = (struct fixture){0};
    assert_int_equal(mpb_session_add_arm(&f->session, "a", "a", "a", NULL), MPB_OK);
    assert_int_equal(mpb_session_add_scenario(&f->session, "micro", NULL), MPB_OK);
    assert_int_equal(mpb_session_add_metric(&f->session, "glow", "lumen", MPB_BETTER_NONE,
                                            MPB_CLASS_EXACT, "", NULL),
                     MPB_OK);
    f->pass = (struct mpb_pass){.scenario = f->session.scenario[0], .pass = 3, .kind = kind};
}

static void close_fixture(struct fixture *f)
{
    mpb_protocol_rows_fini(&f->rows);
    mpb_session_fini(&f->session);
}

static enum mpb_status read_text(struct fixture *f, const char *text)
{
    return mpb_protocol_read(text, strlen(text), &f->pass, &f->session, &f->rows, &f->err);
}

static void test_rows_of_the_own_kind(void **state)
{
    (void)state;
    static const char text[] = HEADER "micro,1,wall,ns,18446744073709551615\n"
                                      "micro,0,cpu,ns,1.25\n"
                                      "micro,1,decodes,count,7\n"
                                      "micro,2,sparkle,count,0.5\n";
    struct fixture f;
    open_fixture(&f, MPB_KIND_TIMED);
    assert_int_equal(read_text(&f, text), MPB_OK);
    assert_int_equal(f.rows.n, 3); /* decodes belong to the counting pass, sparkle to nobody */
    assert_true(f.rows.row[0].is_integer && f.rows.row[0].value.integer == UINT64_MAX);
    assert_true(!f.rows.row[1].is_integer && fabs(f.rows.row[1].value.real - 1.25) < 1e-15);
    assert_int_equal(f.rows.row[2].run, 2);
    assert_int_equal(f.rows.row[2].pass, 3);
    close_fixture(&f);
    open_fixture(&f, MPB_KIND_COUNTING);
    assert_int_equal(read_text(&f, text), MPB_OK);
    assert_int_equal(f.rows.n, 2);
    assert_string_equal(mpb_names_text(&f.session.names, f.rows.row[0].metric), "decodes");
    close_fixture(&f);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *where, *what;
    } table[] = {
        {"", "stdout", "nothing was printed"},
        {HEADER, "stdout", "no row of a counting pass"},
        {HEADER "micro,1,wall,ns,1\n", "stdout", "no row of a counting pass"},
        {"hello\n", "stdout:1", "header"},
        {"scenario,run,metric,unit,val", "stdout:1", "header"},
        {HEADER "macro,1,decodes,count,1\n", "stdout:2", "scenario is 'macro', not micro"},
        {HEADER "micro,1,decodes,count,1\nmicro,x,decodes,count,1\n", "stdout:3", "'x'"},
        {HEADER "micro,65536,decodes,count,1\n", "stdout:2", "out of range"},
        {HEADER "micro,-1,decodes,count,1\n", "stdout:2", "'-1'"},
        {HEADER "micro,1,decodes,B,1\n", "stdout:2", "unit of decodes is 'B', not count"},
        {HEADER "micro,1,glow,B,1\n", "stdout:2", "unit of glow is 'B', not lumen"},
        {HEADER "micro,1,sparkle,,1\n", "stdout:2", "unit"},
        {HEADER "micro,1,,count,1\n", "stdout:2", "metric"},
        {HEADER "micro,1,a b,count,1\n", "stdout:2", "metric"},
        {HEADER "micro,1,decodes,count,1.5\n", "stdout:2: decodes", "'1.5'"},
        {HEADER "micro,1,glow,lumen,1.5\n", "stdout:2: glow", "'1.5'"},
        {HEADER "micro,1,decodes,count,\n", "stdout:2: decodes", "''"},
        {HEADER "micro,1,decodes,count,18446744073709551616\n", "stdout:2: decodes", "18446744"},
        {HEADER "micro,1,peak_bytes,B,nan\n", "stdout:2: peak_bytes", "'nan'"},
        {HEADER "micro,1,peak_bytes,B,inf\n", "stdout:2: peak_bytes", "'inf'"},
        {HEADER "micro,1,peak_bytes,B,0x10\n", "stdout:2: peak_bytes", "'0x10'"},
        {HEADER "micro,1,peak_bytes,B,-1.5\n", "stdout:2: peak_bytes", "negative"},
        {HEADER "micro,1,peak_bytes,B,\"1,5\"\n", "stdout:2: peak_bytes", "'1,5'"},
        {HEADER "micro,1,decodes,count\n", "stdout:2", "4 fields"},
        {HEADER "micro,1,decodes,count,1,1\n", "stdout:2", "6 fields"},
        {HEADER "micro,1,decodes,count,1\nmicro,1,hashes,count,1", "stdout", "torn"},
        {HEADER "micro,1,decodes,count,1\nmicro,1,decodes,count,1\n", "stdout",
         "run 1: decodes is there twice"},
        {HEADER "micro,2,decodes,count,3\nmicro,2,decodes/app,count,1\nmicro,2,decodes/x,count,1\n",
         "stdout", "run 2: decodes is 3, but its parts sum to 2"},
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(table); i++) {
        struct fixture f;
        open_fixture(&f, MPB_KIND_COUNTING);
        assert_int_equal(read_text(&f, table[i].text), MPB_E_INPUT);
        assert_string_equal(f.err.where, table[i].where);
        if (strstr(f.err.text, table[i].what) == NULL) {
            fail_msg("row %zu: '%s' does not say '%s'", i, f.err.text, table[i].what);
        }
        assert_int_equal(f.rows.n, 0);
        close_fixture(&f);
    }
}

static void test_nul_byte(void **state)
{
    (void)state;
    static const char text[] = HEADER "micro,1,decodes,count,1\0\n";
    struct fixture f;
    open_fixture(&f, MPB_KIND_COUNTING);
    assert_int_equal(
        mpb_protocol_read(text, sizeof(text) - 1, &f.pass, &f.session, &f.rows, &f.err),
        MPB_E_INPUT);
    close_fixture(&f);
}

static void test_sums(void **state)
{
    (void)state;
    static const struct {
        const char *rows;
        enum mpb_status want;
    } table[] = {
        {"micro,1,decodes,count,0\n", MPB_OK},
        {"micro,1,decodes/app,count,4\n", MPB_OK}, /* no whole, nothing to check */
        {"micro,1,decodes,count,5\nmicro,1,decodes/a,count,2\nmicro,1,decodes/b,count,3\n", MPB_OK},
        {"micro,1,decodes,count,5\nmicro,2,decodes/a,count,2\n", MPB_OK}, /* runs are apart */
        /* nodes and sites: leaves count once, each level must fit */
        {"micro,1,decodes,count,6\nmicro,1,decodes/r,count,4\nmicro,1,decodes/p,count,2\n"
         "micro,1,decodes/r/app,count,3\nmicro,1,decodes/r/x,count,1\n",
         MPB_OK},
        {"micro,1,decodes,count,6\nmicro,1,decodes/r,count,4\nmicro,1,decodes/p,count,2\n"
         "micro,1,decodes/r/app,count,3\nmicro,1,decodes/r/x,count,2\n",
         MPB_E_INPUT},
        {"micro,1,decodes,count,6\nmicro,1,decodes/r/app,count,6\n", MPB_OK},
        /* decoded_bytes is not a part of decodes, nor decodes-x */
        {"micro,1,decodes,count,1\nmicro,1,decoded_bytes,B,9\nmicro,1,decodes-x,count,9\n", MPB_OK},
        {"micro,1,decodes,count,18446744073709551615\nmicro,1,decodes/"
         "a,count,18446744073709551615\n"
         "micro,1,decodes/b,count,18446744073709551615\nmicro,1,decodes/c,count,1\n",
         MPB_E_INPUT},
        /* levels are not additive */
        {"micro,1,peak_bytes,B,5\nmicro,1,peak_bytes/app,B,2\n", MPB_OK},
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(table); i++) {
        struct fixture f;
        char text[512];
        open_fixture(&f, MPB_KIND_COUNTING);
        snprintf(text, sizeof(text), HEADER "%s", table[i].rows);
        if (read_text(&f, text) != table[i].want) {
            fail_msg("case %zu: %s", i, f.err.text);
        }
        close_fixture(&f);
    }
}

static void test_spread(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f, MPB_KIND_TIMED);
    assert_int_equal(read_text(&f, HEADER "micro,0,msg_per_s,1/s,1\nmicro,1,msg_per_s,1/s,95\n"
                                          "micro,2,msg_per_s,1/s,100\n"),
                     MPB_OK);
    assert_true(fabs(mpb_protocol_spread_pct(&f.rows, &f.session, "msg_per_s") - 5) < 1e-12);
    assert_true(isnan(mpb_protocol_spread_pct(&f.rows, &f.session, "wall")));
    close_fixture(&f);
    open_fixture(&f, MPB_KIND_TIMED);
    assert_int_equal(read_text(&f, HEADER "micro,1,msg_per_s,1/s,95\n"), MPB_OK);
    assert_true(isnan(mpb_protocol_spread_pct(&f.rows, &f.session, "msg_per_s")));
    close_fixture(&f);
}

/* Any byte of a good output changed or cut off: refused or read, never a crash. */
static void test_every_mutation_is_survived(void **state)
{
    (void)state;
    static const char good[] = HEADER "micro,1,decodes,count,2\nmicro,1,decodes/app,count,2\n";
    static const char bytes[] = {0, '\n', '"', ',', '/', '9', (char)0xff};
    for (size_t i = 0; i < sizeof(good) - 1; i++) {
        for (size_t b = 0; b < sizeof(bytes); b++) {
            struct fixture f;
            char text[sizeof(good)];
            memcpy(text, good, sizeof(good));
            text[i] = bytes[b];
            open_fixture(&f, MPB_KIND_COUNTING);
            (void)!mpb_protocol_read(text, sizeof(good) - 1, &f.pass, &f.session, &f.rows, NULL);
            mpb_protocol_rows_fini(&f.rows);
            assert_int_equal(mpb_protocol_read(text, i, &f.pass, &f.session, &f.rows, NULL) ==
                                 MPB_OK,
                             good[i > 0 ? i - 1 : 0] == '\n' && i > sizeof(HEADER) &&
                                 memchr(bytes, text[i], sizeof(bytes)) != NULL);
            close_fixture(&f);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_the_own_kind),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_nul_byte),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_every_mutation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
