/* test_catalog.c: what a worker says of itself, and what it says when it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/catalog.h"

#define HEADER "kind,name,unit,better,class,doc\n"

static const char good[] = HEADER "variant,before,,,,\"one, two\"\n"
                                  "variant,after,,,,x\n"
                                  "option,messages,N,,1000,how many\n";

static void test_rows(void **state)
{
    (void)state;
    struct mpb_catalog c = {0};
    assert_int_equal(mpb_catalog_read(good, strlen(good), "w", &c, NULL), MPB_OK);
    assert_int_equal(c.n, 3);
    assert_string_equal(mpb_catalog_find(&c, "variant", "before")->doc, "one, two");
    assert_null(mpb_catalog_find(&c, "option", "before"));
    assert_string_equal(mpb_catalog_at(&c, "variant", 1)->name, "after");
    assert_null(mpb_catalog_at(&c, "variant", 2));
    assert_string_equal(mpb_catalog_at(&c, "option", 0)->class_, "1000");
    char text[100];
    mpb_catalog_unknown(&c, "variant", "befor", text, sizeof(text));
    assert_string_equal(text, "unknown variant 'befor' (did you mean 'before'?)");
    mpb_catalog_unknown(&c, "variant", "nothing like it", text, sizeof(text));
    assert_string_equal(text, "unknown variant 'nothing like it' (known: before, after)");
    char tiny[12];
    mpb_catalog_unknown(&c, "variant", "nothing like it", tiny, sizeof(tiny));
    assert_string_equal(tiny, "unknown var");
    mpb_catalog_fini(&c);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "nonsense\n", HEADER "variant,x\n",
                                      HEADER "variant,x,,,,y", "kind,name,unit,better,class\n"};
    for (size_t i = 0; i < MPB_ARRAY_LEN(bad); i++) {
        struct mpb_catalog c = {0};
        struct mpb_error err = {0};
        assert_int_equal(mpb_catalog_read(bad[i], strlen(bad[i]), "w", &c, &err), MPB_E_INPUT);
        assert_memory_equal(err.where, "w", 1);
        assert_int_equal(c.n, 0);
    }
}

static struct mpb_spawn_result answer;
static char words[256];

static enum mpb_status spawn_fake(const struct mpb_spawn_job *job, struct mpb_spawn_result *out,
                                  struct mpb_error *err)
{
    (void)err;
    size_t len = 0;
    for (size_t i = 0; job->argv[i] != NULL && len < sizeof(words); i++) {
        len += (size_t)snprintf(words + len, sizeof(words) - len, "%s%s", i > 0 ? " " : "",
                                job->argv[i]);
    }
    *out = answer;
    out->out = answer.out != NULL ? strdup(answer.out) : NULL;
    return MPB_OK;
}

static enum mpb_status load(struct mpb_catalog *c, struct mpb_error *err)
{
    char program[] = "/opt/my-worker", own[] = "--own", option[] = "--messages", value[] = "7";
    char *command[] = {program, own, NULL}, *options[] = {option, value, NULL};
    return mpb_catalog_load(spawn_fake, command, options, c, err);
}

static void test_load(void **state)
{
    (void)state;
    struct mpb_catalog c = {0};
    char text[sizeof(good)];
    memcpy(text, good, sizeof(good));
    answer = (struct mpb_spawn_result){.out = text, .out_len = strlen(good)};
    assert_int_equal(load(&c, NULL), MPB_OK);
    assert_string_equal(words, "/opt/my-worker --own --describe --messages 7");
    mpb_catalog_fini(&c);
}

static void test_how_it_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *complaint, *text;
        int code;
        enum mpb_status want;
    } table[] = {
        {"msgpath-worker: --mix: '10k:x'", "--mix: '10k:x'", 2, MPB_E_INPUT},
        {"my-worker: --mix: no", "--mix: no", 2, MPB_E_INPUT},
        {"other: --mix: no", "other: --mix: no", 2, MPB_E_INPUT},
        {"", "--describe failed: exit 2", 2, MPB_E_INCOMPLETE},
        {"boom", "--describe failed: exit 1: boom", 1, MPB_E_INCOMPLETE},
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(table); i++) {
        struct mpb_catalog c = {0};
        struct mpb_error err = {0};
        answer = (struct mpb_spawn_result){.code = table[i].code};
        snprintf(answer.complaint, sizeof(answer.complaint), "%s", table[i].complaint);
        assert_int_equal(load(&c, &err), table[i].want);
        assert_string_equal(err.text, table[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_how_it_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
