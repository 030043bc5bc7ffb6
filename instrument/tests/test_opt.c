/* test_opt.c: the option parser over a small table, its complaints, its help. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "instrument/opt.h"
#include "instrument/parse.h"

#include <stdlib.h>
#include <string.h>

struct cfg {
    const char *out;
    uint64_t n;
    int n_quiet;
};

static enum mpb_status set_out(void *cfg, const char *name, const char *value,
                               struct mpb_error *err)
{
    (void)name;
    (void)err;
    ((struct cfg *)cfg)->out = value;
    return MPB_OK;
}

static enum mpb_status set_n(void *cfg, const char *name, const char *value, struct mpb_error *err)
{
    return mpb_parse_u64(value, name, 1, 100, &((struct cfg *)cfg)->n, err);
}

static enum mpb_status set_quiet(void *cfg, const char *name, const char *value,
                                 struct mpb_error *err)
{
    (void)name;
    (void)err;
    assert_null(value);
    ((struct cfg *)cfg)->n_quiet++;
    return MPB_OK;
}

static const struct mpb_opt table[] = {
    {"out", 'o', "DIR", NULL, "folder for the results", set_out},
    {"messages", 0, "N", "10", "messages a run", set_n},
    {"quiet", 'q', NULL, NULL, "say nothing", set_quiet},
    {0},
};

/* Collects what is not in the table: words joined by spaces. */
struct rest_log {
    char text[256];
    bool take_next;
};

static void note(struct rest_log *log, const char *a, const char *b)
{
    size_t n = strlen(log->text);
    snprintf(log->text + n, sizeof(log->text) - n, "%s%s;", a, b);
}

static enum mpb_status rest_word(void *ctx, const char *word, struct mpb_error *err)
{
    (void)err;
    note(ctx, "", word);
    return MPB_OK;
}

static enum mpb_status rest_unknown(void *ctx, const char *name, const char *value,
                                    const char *next, bool *used_next, struct mpb_error *err)
{
    (void)err;
    struct rest_log *log = ctx;
    note(log, "?", name);
    if (value != NULL) {
        note(log, "=", value);
    } else if (log->take_next && next != NULL) {
        note(log, "+", next);
        *used_next = true;
    }
    return MPB_OK;
}

enum { MAX_ARGS = 12 };

/* Parse the words of line (split at single spaces; they live in *store) into cfg and log. */
static enum mpb_status parse(const char *line, char *store, struct cfg *cfg, struct rest_log *log,
                             struct mpb_error *err)
{
    char *argv[MAX_ARGS] = {NULL};
    int argc = 0;
    memcpy(store, line, strlen(line) + 1);
    for (char *at = store; at != NULL && *line != '\0' && argc < MAX_ARGS;) {
        argv[argc++] = strsep(&at, " ");
    }
    const struct mpb_opt_rest rest = {log, rest_word, rest_unknown};
    return mpb_opt_parse(table, argc, argv, cfg, log != NULL ? &rest : NULL, err);
}

static void values_in_every_spelling(void **state)
{
    (void)state;
    static const char *const lines[] = {"--out d --messages 7", "--out=d --messages=7",
                                        "-o d --messages 7", "-od --messages 7",
                                        "--messages 5 -o x --messages 7 -o d"};
    for (size_t i = 0; i < MPB_ARRAY_LEN(lines); i++) {
        char store[128];
        struct cfg cfg = {0};
        assert_int_equal(parse(lines[i], store, &cfg, NULL, NULL), MPB_OK);
        assert_string_equal(cfg.out, "d");
        assert_int_equal(cfg.n, 7);
    }
}

static void an_option_takes_the_next_word_whatever_it_is(void **state)
{
    (void)state;
    char store[128];
    struct cfg cfg = {0};
    assert_int_equal(parse("--out --quiet", store, &cfg, NULL, NULL), MPB_OK);
    assert_string_equal(cfg.out, "--quiet");
    assert_int_equal(cfg.n_quiet, 0);
    assert_int_equal(parse("--out=", store, &cfg, NULL, NULL), MPB_OK);
    assert_string_equal(cfg.out, "");
}

static void no_arguments_are_fine(void **state)
{
    (void)state;
    char store[128];
    struct cfg cfg = {0};
    assert_int_equal(parse("", store, &cfg, NULL, NULL), MPB_OK);
    assert_int_equal(cfg.n_quiet, 0);
}

static void complaints_name_the_option(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum mpb_status status;
        const char *where, *text;
    } cases[] = {
        {"--messages", MPB_E_USAGE, "--messages", "needs a value (N)"},
        {"-o", MPB_E_USAGE, "--out", "needs a value (DIR)"},
        {"--messages 0", MPB_E_INPUT, "--messages", "'0' is out of range (1 to 100)"},
        {"--messages 1,5", MPB_E_INPUT, "--messages", "'1,5' is not a whole number (1 to 100)"},
        {"--quiet=1", MPB_E_USAGE, "--quiet", "takes no value"},
        {"--mesages 3", MPB_E_USAGE, "", "unknown option --mesages (did you mean --messages?)"},
        {"--quite", MPB_E_USAGE, "", "unknown option --quite (did you mean --quiet?)"},
        {"--zebra", MPB_E_USAGE, "", "unknown option --zebra (see --help)"},
        {"--=3", MPB_E_USAGE, "", "unknown option -- (see --help)"},
        {"-x", MPB_E_USAGE, "", "unknown option -x (see --help)"},
        {"word", MPB_E_USAGE, "", "unexpected argument 'word'"},
        {"-", MPB_E_USAGE, "", "unexpected argument '-'"},
        {"-- --quiet", MPB_E_USAGE, "", "unexpected argument '--quiet'"},
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(cases); i++) {
        char store[128];
        struct cfg cfg = {0};
        struct mpb_error err = {0};
        assert_int_equal(parse(cases[i].line, store, &cfg, NULL, &err), cases[i].status);
        assert_string_equal(err.where, cases[i].where);
        assert_string_equal(err.text, cases[i].text);
    }
}

static void a_very_long_option_is_refused_in_short(void **state)
{
    (void)state;
    char line[400] = "--", store[400];
    memset(line + 2, 'x', 300);
    struct cfg cfg = {0};
    struct mpb_error err = {0};
    assert_int_equal(parse(line, store, &cfg, NULL, &err), MPB_E_USAGE);
    assert_true(strlen(err.text) < 100);
}

static void a_letter_of_a_flag_takes_nothing(void **state)
{
    (void)state;
    char store[128];
    struct cfg cfg = {0};
    struct mpb_error err = {0};
    assert_int_equal(parse("-q -q", store, &cfg, NULL, &err), MPB_OK);
    assert_int_equal(cfg.n_quiet, 2);
    assert_int_equal(parse("-qx", store, &cfg, NULL, &err), MPB_E_USAGE);
}

static void words_and_unknown_options_go_to_the_rest(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool take_next;
        const char *want;
    } cases[] = {
        {"before -q after", false, "before;after;"},
        {"--mix seed", false, "?mix;seed;"},
        {"--mix seed", true, "?mix;+seed;"},
        {"--mix=seed after", true, "?mix;=seed;after;"},
        {"--mix", true, "?mix;"},
        {"a -- --mix -q -- b", false, "a;--mix;-q;--;b;"},
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(cases); i++) {
        char store[128];
        struct cfg cfg = {0};
        struct rest_log log = {.take_next = cases[i].take_next};
        assert_int_equal(parse(cases[i].line, store, &cfg, &log, NULL), MPB_OK);
        assert_string_equal(log.text, cases[i].want);
    }
}

static void the_nearest_word_is_near(void **state)
{
    (void)state;
    static const char *const words[] = {"micro", "macro", "ops"};
    static const struct {
        const char *typed, *want;
    } cases[] = {
        {"micro", "micro"}, {"mirco", "micro"}, {"macr", "macro"}, {"opz", "ops"},
        {"", NULL},         {"zzzzz", NULL},    {"mi", NULL},
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(cases); i++) {
        const char *near = mpb_opt_nearest(cases[i].typed, words, MPB_ARRAY_LEN(words));
        if (cases[i].want == NULL) {
            assert_null(near);
        } else {
            assert_non_null(near);
            assert_string_equal(near, cases[i].want);
        }
    }
    assert_null(mpb_opt_nearest("micro", words, 0));
    static const char *const short_words[] = {"a", "bc"};
    assert_null(mpb_opt_nearest("x", short_words, 1)); /* every letter changed: not near */
    assert_null(mpb_opt_nearest("yz", short_words, 2));
    char longer[200];
    memset(longer, 'm', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    assert_null(mpb_opt_nearest(longer, words, MPB_ARRAY_LEN(words)));
}

static void help_lists_each_row_once(void **state)
{
    (void)state;
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    assert_non_null(f);
    mpb_opt_print_help(table, f);
    fclose(f);
    static const char want[] = "  -o, --out DIR                  folder for the results\n"
                               "      --messages N               messages a run [10]\n"
                               "  -q, --quiet                    say nothing\n";
    assert_string_equal(text, want);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_in_every_spelling),
        cmocka_unit_test(an_option_takes_the_next_word_whatever_it_is),
        cmocka_unit_test(no_arguments_are_fine),
        cmocka_unit_test(complaints_name_the_option),
        cmocka_unit_test(a_very_long_option_is_refused_in_short),
        cmocka_unit_test(a_letter_of_a_flag_takes_nothing),
        cmocka_unit_test(words_and_unknown_options_go_to_the_rest),
        cmocka_unit_test(the_nearest_word_is_near),
        cmocka_unit_test(help_lists_each_row_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
