/* test_session_dir.c: a small session written, read back, torn at every byte, and spoilt in every
 * column. */
#include "reports/session_dir.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const files[] = {"session.json", "passes.csv", "rows.csv", "series.csv",
                                    "latency.csv"};

/* A folder of its own for each test, removed afterwards. */
static int make_folder(void **state)
{
    char *folder = strdup("/tmp/mpb-test-XXXXXX");
    if (folder == NULL || mkdtemp(folder) == NULL) {
        free(folder);
        return -1;
    }
    *state = folder;
    return 0;
}

static char *path_in(const char *folder, const char *file)
{
    static char path[256];
    snprintf(path, sizeof(path), "%s/s/%s", folder, file);
    return path;
}

static int remove_folder(void **state)
{
    char *folder = *state;
    for (size_t i = 0; i < MPB_ARRAY_LEN(files); i++) {
        unlink(path_in(folder, files[i]));
    }
    rmdir(path_in(folder, ""));
    rmdir(folder);
    free(folder);
    return 0;
}

static void fill(struct mpb_session *s)
{
    assert_int_equal(mpb_session_add_arm(s, "before", "before", "before", NULL), MPB_OK);
    assert_int_equal(mpb_session_add_arm(s, "after", "git:x,\"y\"", "after", NULL), MPB_OK);
    assert_int_equal(mpb_pairs_set(&s->arm[1].facts, "flags", "-O2 \"q\"", NULL), MPB_OK);
    assert_int_equal(mpb_session_add_scenario(s, "micro", NULL), MPB_OK);
    assert_int_equal(mpb_session_add_scenario(s, "odd,\"\nname", NULL), MPB_OK);
    assert_int_equal(mpb_session_add_metric(s, "wall", "ns", MPB_BETTER_LOWER, MPB_CLASS_TIMED,
                                            "the clock", NULL),
                     MPB_OK);
    assert_int_equal(mpb_pairs_set(&s->workload, "messages", "1000", NULL), MPB_OK);
    assert_int_equal(mpb_pairs_set(&s->environment, "cpu", "some \xc2\xb5", NULL), MPB_OK);
    s->started = strdup("2026-01-31T23:59:59Z");
    s->command = strdup("msgpath compare before after \xff");
    s->version = strdup("0.1.0");
    s->plan = (struct mpb_plan_info){.seed = UINT64_MAX,
                                     .n_blocks = 12,
                                     .n_counting_passes = 3,
                                     .pass_timeout_ns = 60000000000U,
                                     .equal = 0.7 / 100,
                                     .level = 0.05};
    mpb_session_add_note(s, "said before it began");
}

/* Pass n of an arm: a whole, a 64-bit and a fractional value. */
static void commit(struct mpb_session_dir *dir, struct mpb_session *s, uint16_t arm, uint32_t n,
                   bool accepted)
{
    char reason[] = "exit 1, \"bad\"";
    uint16_t wall = 0, ns = 0, other = 0;
    assert_int_equal(mpb_names_intern(&s->names, "wall", &wall, NULL), MPB_OK);
    assert_int_equal(mpb_names_intern(&s->names, "ns", &ns, NULL), MPB_OK);
    assert_int_equal(mpb_names_intern(&s->names, "a,\"b\"", &other, NULL), MPB_OK);
    struct mpb_pass pass = {.arm = arm,
                            .scenario = s->scenario[n % 2],
                            .pass = n,
                            .kind = MPB_KIND_TIMED,
                            .block = n,
                            .slot = 2,
                            .accepted = accepted,
                            .reason = accepted ? NULL : reason,
                            .started_utc_ns = 1769903999123456789U,
                            .wall_ns = UINT64_MAX,
                            .load1 = 0.25,
                            .psi_cpu = NAN,
                            .spread_pct = 1.0 / 3};
    struct mpb_row rows[3] = {
        {arm, pass.scenario, wall, ns, n, 1, true, {.integer = UINT64_MAX}},
        {arm, pass.scenario, wall, ns, n, 2, false, {.real = 1.0 / 3}},
        {arm, pass.scenario, other, ns, n, 0, false, {.real = -2.5e-7}},
    };
    assert_int_equal(mpb_session_dir_commit(dir, s, &pass, rows, 3, NULL), MPB_OK);
}

/* Two accepted passes and one that was not. */
static void write_session(const char *folder)
{
    struct mpb_session s = {0};
    struct mpb_session_dir dir = {0};
    fill(&s);
    assert_int_equal(mpb_session_dir_create(&dir, path_in(folder, ""), &s, NULL), MPB_OK);
    commit(&dir, &s, 0, 1, true);
    commit(&dir, &s, 1, 1, false);
    commit(&dir, &s, 1, 2, true);
    mpb_session_dir_close(&dir);
    mpb_session_fini(&s);
}

static char *slurp(const char *path, size_t *len)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 16);
    assert_non_null(f);
    assert_non_null(text);
    *len = fread(text, 1, (1 << 16) - 1, f);
    fclose(f);
    return text;
}

static void spill(const char *path, const char *text, size_t len)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, len, f), len);
    fclose(f);
}

static void test_reads_back_what_was_written(void **state)
{
    struct mpb_session s = {0};
    write_session(*state);
    assert_int_equal(mpb_session_dir_load(path_in(*state, ""), &s, NULL), MPB_OK);
    assert_string_equal(s.command, "msgpath compare before after \xef\xbf\xbd");
    assert_string_equal(s.arm[1].spec, "git:x,\"y\"");
    assert_string_equal(mpb_pairs_get(&s.arm[1].facts, "flags"), "-O2 \"q\"");
    assert_string_equal(mpb_names_text(&s.names, s.scenario[1]), "odd,\"\nname");
    assert_string_equal(mpb_pairs_get(&s.environment, "cpu"), "some \xc2\xb5");
    assert_string_equal(s.metric[0].doc, "the clock");
    assert_true(s.plan.seed == UINT64_MAX);
    assert_int_equal(s.plan.n_blocks, 12);
    assert_true(fabs(s.plan.equal - 0.7 / 100) <= 0);
    assert_int_equal(s.n_passes, 3);
    const struct mpb_pass *pass = &s.pass[1];
    assert_false(pass->accepted);
    assert_string_equal(pass->reason, "exit 1, \"bad\"");
    assert_true(pass->started_utc_ns == 1769903999123000000U);
    assert_true(pass->wall_ns == UINT64_MAX);
    assert_true(fabs(pass->spread_pct - 1.0 / 3) <= 0);
    assert_true(isnan(pass->psi_cpu));
    assert_int_equal(s.n_rows, 6); /* not the rejected pass's */
    assert_true(s.row[0].is_integer && s.row[0].value.integer == UINT64_MAX);
    assert_true(!s.row[1].is_integer && fabs(s.row[1].value.real - 1.0 / 3) <= 0);
    assert_int_equal(s.n_notes, 1);
    mpb_session_fini(&s);
}

static void test_columns_are_the_fixed_ones(void **state)
{
    static const char *const starts[] = {
        "{\n  \"format\": 1,",
        "arm,scenario,pass,kind,block,slot,accepted,reason,started,wall_ns,load1,psi_cpu,"
        "spread_pct\n"
        "before,\"odd,\"\"\nname\",1,timed,1,2,1,,2026-01-31T23:59:59.123Z,18446744073709551615,"
        "0.25,,0.3333333333333333\n",
        "arm,scenario,pass,run,metric,unit,value\n"
        "before,\"odd,\"\"\nname\",1,1,wall,ns,18446744073709551615\n"
        "before,\"odd,\"\"\nname\",1,2,wall,ns,0.3333333333333333\n"
        "before,\"odd,\"\"\nname\",1,0,\"a,\"\"b\"\"\",ns,-2.5e-07\n",
        "arm,scenario,pass,run,index,metric,unit,value\n",
        "arm,scenario,pass,run,metric,low_ns,high_ns,count\n"};
    write_session(*state);
    for (size_t i = 0; i < MPB_ARRAY_LEN(files); i++) {
        size_t len = 0;
        char *text = slurp(path_in(*state, files[i]), &len);
        text[strlen(starts[i])] = '\0';
        assert_string_equal(text, starts[i]);
        free(text);
    }
}

static void test_an_existing_folder_is_never_overwritten(void **state)
{
    struct mpb_session s = {0};
    struct mpb_session_dir dir = {0};
    struct mpb_error err = {0};
    write_session(*state);
    fill(&s);
    assert_int_equal(mpb_session_dir_create(&dir, path_in(*state, ""), &s, &err), MPB_E_EXISTS);
    assert_int_equal(mpb_session_dir_create(&dir, "/proc/none/s", &s, &err), MPB_E_IO);
    assert_non_null(strstr(err.where, "/proc/none/s"));
    assert_null(dir.path);
    mpb_session_fini(&s);
}

/* A file cut to `cut` bytes: it loads, with whole records only, and says what it dropped; cut
 * passes never leave rows behind. */
static void load_cut(const char *folder, const char *path, const char *text, size_t cut)
{
    struct mpb_session s = {0};
    struct mpb_error err = {0};
    spill(path, text, cut);
    if (mpb_session_dir_load(path_in(folder, ""), &s, &err) != MPB_OK) {
        fail_msg("%s cut at %zu: %s: %s", path, cut, err.where, err.text);
    }
    bool in_name = strncmp(text + cut, "name\"", 5) == 0; /* a line end inside quotes */
    bool at_record = cut > 0 && text[cut - 1] == '\n' && !in_name;
    bool says_torn = s.n_notes > 1 && (strstr(s.note[1], "torn last line") != NULL ||
                                       strstr(s.note[1], "inside its header") != NULL);
    assert_int_equal(says_torn, !at_record);
    assert_true(s.n_passes <= 3 && s.n_rows <= 6);
    for (size_t r = 0; r < s.n_rows; r++) {
        assert_true(s.n_passes > 0 && s.row[r].arm <= s.pass[s.n_passes - 1].arm);
    }
    mpb_session_fini(&s);
}

static void test_every_truncation_of_every_csv_file_loads(void **state)
{
    write_session(*state);
    for (size_t i = 1; i < MPB_ARRAY_LEN(files); i++) {
        size_t len = 0;
        char *path = strdup(path_in(*state, files[i]));
        char *text = slurp(path, &len);
        for (size_t cut = 0; cut < len; cut++) {
            load_cut(*state, path, text, cut);
        }
        spill(path, text, len);
        free(text);
        free(path);
    }
}

static void test_every_truncation_of_the_json_is_refused_with_its_line(void **state)
{
    write_session(*state);
    size_t len = 0;
    char *path = strdup(path_in(*state, "session.json"));
    char *text = slurp(path, &len);
    for (size_t cut = 0; cut + 2 < len; cut++) {
        struct mpb_session s = {0};
        struct mpb_error err = {0};
        spill(path, text, cut);
        assert_int_equal(mpb_session_dir_load(path_in(*state, ""), &s, &err), MPB_E_INPUT);
        assert_non_null(strstr(err.where, "session.json:"));
        assert_int_equal(strncmp(err.text, "is not JSON: ", 13), 0);
        assert_int_equal(s.n_arms, 0);
    }
    free(text);
    free(path);
}

static void test_missing_files(void **state)
{
    struct mpb_session s = {0};
    struct mpb_error err = {0};
    write_session(*state);
    unlink(path_in(*state, "series.csv"));
    unlink(path_in(*state, "latency.csv"));
    assert_int_equal(mpb_session_dir_load(path_in(*state, ""), &s, &err), MPB_OK);
    assert_int_equal(s.n_notes, 3);
    assert_string_equal(s.note[1], "series.csv is missing");
    mpb_session_fini(&s);
    unlink(path_in(*state, "rows.csv"));
    assert_int_equal(mpb_session_dir_load(path_in(*state, ""), &s, &err), MPB_E_IO);
    assert_non_null(strstr(err.where, "rows.csv"));
}

static void test_rows_of_a_pass_that_never_finished_are_left_out(void **state)
{
    struct mpb_session s = {0};
    FILE *f = NULL;
    write_session(*state);
    f = fopen(path_in(*state, "rows.csv"), "a");
    assert_non_null(f);
    fputs("before,micro,9,1,wall,ns,1\nafter,\"odd,\"\"\nname\",1,1,wall,ns,1\n", f);
    fclose(f);
    assert_int_equal(mpb_session_dir_load(path_in(*state, ""), &s, NULL), MPB_OK);
    assert_int_equal(s.n_rows, 6);
    assert_string_equal(s.note[1], "rows.csv: rows of passes that never finished, left out: 1");
    assert_string_equal(s.note[2], "rows.csv: rows of passes that were not accepted, left out: 1");
    mpb_session_fini(&s);
}

/* What is appended to a file, and what the error must say. */
static void test_spoilt_records_are_refused_by_file_line_and_field(void **state)
{
    static const struct {
        const char *file, *line, *where, *text;
    } bad[] = {
        {"rows.csv", "nobody,micro,2,1,wall,ns,1", "rows.csv:11: arm",
         "'nobody' is not an arm of this session"},
        {"rows.csv", "after,macro,2,1,wall,ns,1", "rows.csv:11: scenario",
         "'macro' is not a scenario of this session"},
        {"rows.csv", "after,wall,2,1,wall,ns,1", "rows.csv:11: scenario", "not a scenario"},
        {"rows.csv", "after,micro,x,1,wall,ns,1", "rows.csv:11: pass", "'x' is not a whole number"},
        {"rows.csv", "after,micro,2,65536,wall,ns,1", "rows.csv:11: run", "out of range"},
        {"rows.csv", "after,micro,2,1,,ns,1", "rows.csv:11: metric", "not a metric's name"},
        {"rows.csv", "after,micro,2,1,wall,ns,1", "rows.csv:11: metric",
         "'wall' is there twice in this run of this pass"},
        {"rows.csv", "after,micro,2,3,wall,ns,", "rows.csv:11: value", "'' is not a finite"},
        {"rows.csv", "after,micro,2,3,wall,ns,\"1,5\"", "rows.csv:11: value", "'1,5' is not"},
        {"rows.csv", "after,micro,2,3,wall,ns,nan", "rows.csv:11: value", "'nan' is not a finite"},
        {"rows.csv", "after,micro,2,3,wall,ns,18446744073709551616", "rows.csv:11: value", "'184"},
        {"rows.csv", "after,micro,2,3,wall,ns,1,", "rows.csv:11", "8 fields, the header has 7"},
        {"series.csv", "after", "series.csv:2", "1 fields, the header has 8"},
        {"passes.csv", "after,micro,2,timed,1,1,1,,2026-01-31T23:59:59.123Z,1,,,",
         "passes.csv:7: pass", "'2' is there twice for its arm and scenario"},
        {"passes.csv", "after,micro,3,Timed,1,1,1,,2026-01-31T23:59:59.123Z,1,,,",
         "passes.csv:7: kind", "'Timed' is not timed or counting"},
        {"passes.csv", "after,micro,3,timed,1,1,yes,,2026-01-31T23:59:59.123Z,1,,,",
         "passes.csv:7: accepted", "'yes' is not 0 or 1"},
        {"passes.csv", "after,micro,3,timed,1,1,1,,2026-02-31T23:59:59.123Z,1,,,",
         "passes.csv:7: started", "is not a UTC time"},
        {"passes.csv", "after,micro,3,timed,1,1,1,,2026-01-31 23:59:59,1,,,",
         "passes.csv:7: started", "is not a UTC time"},
        {"passes.csv", "after,micro,3,timed,1,1,1,,2026-01-31T23:59:59.123Z,-1,,,",
         "passes.csv:7: wall_ns", "'-1' is not a whole number"},
        {"passes.csv", "after,micro,3,timed,1,1,1,,2026-01-31T23:59:59.123Z,1,\"0,5\",,",
         "passes.csv:7: load1", "'0,5' is not a finite"},
    };
    write_session(*state);
    for (size_t i = 0; i < MPB_ARRAY_LEN(bad); i++) {
        struct mpb_session s = {0};
        struct mpb_error err = {0};
        size_t len = 0;
        char *path = strdup(path_in(*state, bad[i].file));
        char *text = slurp(path, &len);
        FILE *f = fopen(path, "a");
        assert_non_null(f);
        fprintf(f, "%s\n", bad[i].line);
        fclose(f);
        assert_int_equal(mpb_session_dir_load(path_in(*state, ""), &s, &err), MPB_E_INPUT);
        if (strstr(err.where, bad[i].where) == NULL || strstr(err.text, bad[i].text) == NULL) {
            fail_msg("'%s' said: %s: %s", bad[i].line, err.where, err.text);
        }
        spill(path, text, len);
        free(text);
        free(path);
    }
}

/* One replacement in session.json, and what the error must say. */
static void test_spoilt_json_is_refused_by_field(void **state)
{
    static const struct {
        const char *from, *to, *text;
    } bad[] = {
        {"\"format\": 1", "\"format\": 2", "the session has format 2, this msgpath reads format 1"},
        {"\"format\": 1", "\"format\": 0", "the session has format 0, this msgpath reads format 1"},
        {"\"format\": 1", "\"formed\": 1", "format: is missing or not a whole number"},
        {"\"format\": 1,", "\"format\": 1,\n,", "is not JSON: "},
        {"\"arms\"", "\"legs\"", "arms: is missing or not a list"},
        {"\"label\": \"after\"", "\"label\": \"before\"", "arms[1]: two arms have this label"},
        {"\"label\": \"after\"", "\"label\": 7", "arms[1]: label: is missing or not text"},
        {"\"messages\": \"1000\"", "\"messages\": 1000", "workload.messages: is not text"},
        {"\"18446744073709551615\"", "\"18446744073709551616\"", "seed: is not a whole number"},
        {"\"18446744073709551615\"", "-1", "seed: is missing or not a whole number"},
        {"\"level\": 0.05", "\"level\": 5", "level: is missing or not above 0 and below 1"},
        {"\"better\": \"lower\"", "\"better\": \"less\"", "metrics[0]: better: is not none"},
        {"\"blocks\": 12", "\"blocks\": 1.5", "blocks: is missing or not a whole number"},
    };
    write_session(*state);
    size_t len = 0;
    char *path = strdup(path_in(*state, "session.json"));
    char *text = slurp(path, &len);
    for (size_t i = 0; i < MPB_ARRAY_LEN(bad); i++) {
        struct mpb_session s = {0};
        struct mpb_error err = {0};
        const char *at = strstr(text, bad[i].from);
        assert_non_null(at);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fprintf(f, "%.*s%s%s", (int)(at - text), text, bad[i].to, at + strlen(bad[i].from));
        fclose(f);
        assert_int_equal(mpb_session_dir_load(path_in(*state, ""), &s, &err), MPB_E_INPUT);
        if (strstr(err.text, bad[i].text) == NULL) {
            fail_msg("'%s' said: %s: %s", bad[i].to, err.where, err.text);
        }
    }
    free(text);
    free(path);
}

static void test_a_seed_may_be_an_integer(void **state)
{
    struct mpb_session s = {0};
    write_session(*state);
    size_t len = 0;
    char *path = strdup(path_in(*state, "session.json"));
    char *text = slurp(path, &len);
    char *seed = strstr(text, "\"18446744073709551615\"");
    assert_non_null(seed);
    static const char integer[] = "9007199254740993      "; /* 2^53 + 1: not a double */
    for (size_t i = 0; i < sizeof(integer) - 1; i++) {
        seed[i] = integer[i];
    }
    spill(path, text, len);
    assert_int_equal(mpb_session_dir_load(path_in(*state, ""), &s, NULL), MPB_OK);
    assert_true(s.plan.seed == 9007199254740993U);
    mpb_session_fini(&s);
    free(text);
    free(path);
}

static void test_a_value_that_is_no_number_is_not_committed(void **state)
{
    struct mpb_session s = {0};
    struct mpb_session_dir dir = {0};
    struct mpb_pass pass = {.pass = 1, .accepted = true};
    struct mpb_row row = {.pass = 1, .run = 1, .value = {.real = (double)INFINITY}};
    fill(&s);
    assert_int_equal(mpb_session_dir_create(&dir, path_in(*state, ""), &s, NULL), MPB_OK);
    pass.scenario = row.scenario = s.scenario[0];
    assert_int_equal(mpb_session_dir_commit(&dir, &s, &pass, &row, 1, NULL), MPB_E_INPUT);
    mpb_session_dir_close(&dir);
    mpb_session_fini(&s);
    assert_int_equal(mpb_session_dir_load(path_in(*state, ""), &s, NULL), MPB_OK);
    assert_int_equal(s.n_passes + s.n_rows, 0);
    mpb_session_fini(&s);
}

/* /dev/full: a disk that is full. The pass must not count, and the rows file stays whole. */
static void test_a_full_disk_commits_nothing(void **state)
{
    struct mpb_session s = {0};
    struct mpb_session_dir dir = {0};
    struct mpb_error err = {0};
    fill(&s);
    assert_int_equal(mpb_session_dir_create(&dir, path_in(*state, ""), &s, NULL), MPB_OK);
    commit(&dir, &s, 0, 1, true);
    fclose(dir.rows);
    dir.rows = fopen("/dev/full", "a");
    if (dir.rows == NULL) {
        skip();
    }
    setvbuf(dir.rows, NULL, _IONBF, 0);
    struct mpb_pass pass = {.pass = 2, .accepted = true, .scenario = s.scenario[0]};
    struct mpb_row row = {.pass = 2, .run = 1, .scenario = s.scenario[0], .is_integer = true};
    assert_int_equal(mpb_session_dir_commit(&dir, &s, &pass, &row, 1, &err), MPB_E_IO);
    assert_non_null(strstr(err.text, "No space left"));
    mpb_session_dir_close(&dir);
    mpb_session_fini(&s);
    assert_int_equal(mpb_session_dir_load(path_in(*state, ""), &s, NULL), MPB_OK);
    assert_int_equal(s.n_passes, 1);
    mpb_session_fini(&s);
}

#define FOLDER_TEST(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(test_reads_back_what_was_written),
        FOLDER_TEST(test_columns_are_the_fixed_ones),
        FOLDER_TEST(test_an_existing_folder_is_never_overwritten),
        FOLDER_TEST(test_every_truncation_of_every_csv_file_loads),
        FOLDER_TEST(test_every_truncation_of_the_json_is_refused_with_its_line),
        FOLDER_TEST(test_missing_files),
        FOLDER_TEST(test_rows_of_a_pass_that_never_finished_are_left_out),
        FOLDER_TEST(test_spoilt_records_are_refused_by_file_line_and_field),
        FOLDER_TEST(test_spoilt_json_is_refused_by_field),
        FOLDER_TEST(test_a_seed_may_be_an_integer),
        FOLDER_TEST(test_a_value_that_is_no_number_is_not_committed),
        FOLDER_TEST(test_a_full_disk_commits_nothing),
    };
    return cmocka_run_group_tests_name("session_dir", tests, NULL, NULL);
}
