/* cmd_compare.c: `msgpath compare` and `msgpath run`: the same session, with two arms or more, or
 * with one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/cli/command.h"
#include "harness/cli/output.h"
#include "harness/cli/workload_opt.h"
#include "harness/compare.h"
#include "harness/conduct.h"
#include "harness/plan.h"
#include "harness/progress.h"
#include "instrument/clock.h"
#include "instrument/parse.h"

#define DEFAULT_PASSES 24
#define DEFAULT_PASSES_TEXT "24"
#define DEFAULT_TIMEOUT_NS 60000000000u

struct config {
    const struct mpb_opt *options;
    struct mpb_arms arms;
    struct mpb_workload_opt workload;
    const char *scenarios, *filter, *path;
    struct mpb_plan_info plan;
    bool has_seed, quiet;
};

static enum mpb_status set_scenario(void *cfg, const char *name, const char *value,
                                    struct mpb_error *err)
{
    (void)name;
    (void)err;
    ((struct config *)cfg)->scenarios = value;
    return MPB_OK;
}

static enum mpb_status set_counting(void *cfg, const char *name, const char *value,
                                    struct mpb_error *err)
{
    (void)name;
    return mpb_arm_set_counting(&((struct config *)cfg)->arms, value, err);
}

static enum mpb_status set_passes(void *cfg, const char *name, const char *value,
                                  struct mpb_error *err)
{
    uint64_t n = 0;
    enum mpb_status st = mpb_parse_u64(value, name, 2, 20000, &n, err);
    if (st == MPB_OK && n % 2 != 0) {
        return mpb_error_set(err, MPB_E_INPUT, name,
                             "'%s' is odd (a block holds two passes of each arm)", value);
    }
    if (st == MPB_OK) {
        ((struct config *)cfg)->plan.n_blocks = (uint32_t)(n / 2);
    }
    return st;
}

static enum mpb_status set_plan_seed(void *cfg, const char *name, const char *value,
                                     struct mpb_error *err)
{
    struct config *c = cfg;
    enum mpb_status st = mpb_parse_u64(value, name, 0, UINT64_MAX, &c->plan.seed, err);
    c->has_seed = st == MPB_OK;
    return st;
}

static enum mpb_status set_timeout(void *cfg, const char *name, const char *value,
                                   struct mpb_error *err)
{
    return mpb_parse_duration(value, name, &((struct config *)cfg)->plan.pass_timeout_ns, err);
}

static enum mpb_status set_equal(void *cfg, const char *name, const char *value,
                                 struct mpb_error *err)
{
    return mpb_parse_percent(value, name, 100, &((struct config *)cfg)->plan.equal, err);
}

static enum mpb_status set_filter(void *cfg, const char *name, const char *value,
                                  struct mpb_error *err)
{
    if (value[0] == '\0') {
        return mpb_error_set(err, MPB_E_USAGE, name, "is empty");
    }
    ((struct config *)cfg)->filter = value;
    return MPB_OK;
}

static enum mpb_status set_output(void *cfg, const char *name, const char *value,
                                  struct mpb_error *err)
{
    if (value[0] == '\0') {
        return mpb_error_set(err, MPB_E_USAGE, name, "needs a folder");
    }
    ((struct config *)cfg)->path = value;
    return MPB_OK;
}

static enum mpb_status set_quiet(void *cfg, const char *name, const char *value,
                                 struct mpb_error *err)
{
    (void)name;
    (void)value;
    (void)err;
    ((struct config *)cfg)->quiet = true;
    return MPB_OK;
}

/* clang-format off */
#define SESSION_OPTIONS \
    {"scenario", 's', "NAME[,NAME]", "micro,macro", "what to run; those of them the worker has", set_scenario}, \
    {"passes", 0, "N", DEFAULT_PASSES_TEXT, "timed passes of each arm, even: N/2 blocks", set_passes}, \
    {"plan-seed", 0, "N", "random", "seed of the order of passes; always recorded", set_plan_seed}, \
    {"timeout", 0, "TIME", "60s", "a pass that takes longer is killed and has failed", set_timeout}, \
    {"counting", 0, "PATH", NULL, "a second, counting build of the exec: arm before it", set_counting}, \
    {"filter", 0, "REGEX", NULL, "show only the metrics that match", set_filter}, \
    {"output", 'o', "DIR", "msgpath-TIME", "the session's folder, which must not exist", set_output}, \
    {"quiet", 0, NULL, NULL, "nothing on stderr but errors", set_quiet}
/* clang-format on */

static const struct mpb_opt compare_options[] = {
    SESSION_OPTIONS,
    {"equal", 0, "SHARE", "2%", "differences inside this band count as unchanged", set_equal},
    {0},
};
static const struct mpb_opt run_options[] = {SESSION_OPTIONS, {0}};

static enum mpb_status take_arm(void *ctx, const char *word, struct mpb_error *err)
{
    return mpb_arm_add(&((struct config *)ctx)->arms, word, err);
}

static enum mpb_status take_unknown(void *ctx, const char *name, const char *value,
                                    const char *next, bool *used_next, struct mpb_error *err)
{
    struct config *c = ctx;
    const struct mpb_workload_word word = {name, value, next};
    return mpb_workload_opt_take(&c->workload, c->options, &word, used_next, err);
}

static enum mpb_status parse(int argc, char *const *argv, struct config *c, struct mpb_error *err)
{
    const struct mpb_opt_rest rest = {c, take_arm, take_unknown};
    c->plan = (struct mpb_plan_info){
        .n_blocks = DEFAULT_PASSES / 2,
        .n_counting_passes = MPB_CONDUCT_COUNTING_PASSES,
        .pass_timeout_ns = DEFAULT_TIMEOUT_NS,
        .equal = 0.02,
        .level = 0.05,
    };
    enum mpb_status st = mpb_opt_parse(c->options, argc, argv, c, &rest, err);
    if (st == MPB_OK && !c->has_seed) {
        c->plan.seed = mpb_plan_random_seed();
    }
    return st;
}

/* msgpath-20260131T235959Z, with -2, -3, ... when that is taken. */
static void default_path(char *out, size_t cap)
{
    time_t now = (time_t)(mpb_clock_utc_ns() / 1000000000u);
    struct tm tm;
    char stamp[32];
    gmtime_r(&now, &tm);
    strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &tm);
    snprintf(out, cap, "msgpath-%s", stamp);
    for (unsigned i = 2; access(out, F_OK) == 0 && i < 1000; i++) {
        snprintf(out, cap, "msgpath-%s-%u", stamp, i);
    }
}

/* A word as a shell would have to read it. */
static void put_word(const char *word, FILE *f)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789_@%+=:,./~-";
    if (word[0] != '\0' && strspn(word, plain) == strlen(word)) {
        fprintf(f, " %s", word);
        return;
    }
    fputs(" '", f);
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            fputs("'\\'", f);
        }
        fputc(*word, f);
    }
    fputc('\'', f);
}

/* The command as it was typed; the caller frees. */
static char *join(const char *name, int argc, char *const *argv)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (f == NULL) {
        return NULL;
    }
    fprintf(f, "msgpath %s", name);
    for (int i = 0; i < argc; i++) {
        put_word(argv[i], f);
    }
    return fclose(f) == 0 ? text : NULL;
}

/* Reports of what is in the folder, whole or not. */
static enum mpb_status report(const struct config *c, const char *path, struct mpb_error *err)
{
    struct mpb_output output = {0};
    enum mpb_status st = mpb_output_load(&output, path, err);
    if (st != MPB_OK) {
        return st;
    }
    st = mpb_output_derive(&output, path, err);
    struct mpb_error second = {0};
    enum mpb_status shown = mpb_output_show(&output, c->filter, &second);
    if (st == MPB_OK && shown != MPB_OK) {
        st = shown;
        *err = second;
    }
    if (st == MPB_OK) {
        int len = (int)strlen(path);
        for (; len > 1 && path[len - 1] == '/'; len--) {
        }
        printf("session: %.*s/   report: %.*s/report.md\n", len, path, len, path);
    }
    bool nothing = output.model.n_summary == 0 ||
                   (output.session.n_arms > 1 && mpb_compare_count(&output.model) == 0);
    if (st == MPB_OK && nothing) {
        st = mpb_error_set(err, MPB_E_INCOMPLETE, path, "nothing was %s",
                           output.session.n_arms > 1 ? "compared" : "measured");
    }
    mpb_output_fini(&output);
    return st;
}

/* Measure, then report, also when measuring ended early: then that is the error to tell. */
static enum mpb_status measure(struct config *c, const char *command, struct mpb_error *err)
{
    char path[64];
    default_path(path, sizeof(path));
    struct mpb_progress progress;
    mpb_progress_init(&progress, stderr, c->quiet);
    const struct mpb_conduct conduct = {
        .arms = &c->arms,
        .scenarios = c->scenarios,
        .given = &c->workload.given,
        .filter = c->filter,
        .plan = c->plan,
        .path = c->path != NULL ? c->path : path,
        .command = command,
        .version = MPB_VERSION,
        .spawn = mpb_spawn_run,
        .told = mpb_progress_told,
        .ctx = &progress,
    };
    bool made = false;
    enum mpb_status st = mpb_conduct_session(&conduct, &made, err);
    mpb_progress_end(&progress);
    if (!made) {
        return st;
    }
    if (st == MPB_E_INTERRUPTED) {
        mpb_error_set(err, st, NULL, "interrupted; what was measured is in %s", conduct.path);
    }
    struct mpb_error second = {0};
    enum mpb_status reported = report(c, conduct.path, &second);
    if (st == MPB_OK && reported != MPB_OK) {
        st = reported;
        *err = second;
    }
    return st;
}

static enum mpb_status run_session(const char *name, int argc, char *const *argv,
                                   const struct mpb_opt *options, struct mpb_error *err)
{
    struct config c = {.options = options};
    bool one = options == run_options;
    char *command = join(name, argc, argv);
    enum mpb_status st = parse(argc, argv, &c, err);
    if (st == MPB_OK && (one ? c.arms.n != 1 : c.arms.n < 2)) {
        st = mpb_error_set(err, MPB_E_USAGE, name, "needs %s, %zu given",
                           one ? "exactly one arm" : "at least two arms", c.arms.n);
    }
    if (st == MPB_OK && command == NULL) {
        st = mpb_error_set(err, MPB_E_NOMEM, name, NULL);
    }
    if (st == MPB_OK) {
        st = measure(&c, command, err);
    }
    free(command);
    mpb_arm_fini_all(&c.arms);
    mpb_workload_opt_fini(&c.workload);
    return st;
}

static enum mpb_status run_compare(int argc, char *const *argv, struct mpb_error *err)
{
    return run_session("compare", argc, argv, compare_options, err);
}

static enum mpb_status run_run(int argc, char *const *argv, struct mpb_error *err)
{
    return run_session("run", argc, argv, run_options, err);
}

static const char *const about_arms[] = {
    "ARM is [LABEL=]SPEC. SPEC is a variant of the built-in worker (`msgpath list variants`), or "
    "exec:PATH [ARGS], a program that speaks the worker protocol (one word; it is split at blanks, "
    "no shell).",
    "Every pass is a fresh process. Counting passes come first, then timed ones in blocks: a "
    "random "
    "order of the arms followed by its reverse.",
    NULL,
};

const struct mpb_command mpb_command_compare = {
    .name = "compare",
    .words = "ARM ARM [ARM...]",
    .doc = "measure two or more arms interleaved and say which is better",
    .about = about_arms,
    .options = compare_options,
    .has_workload = true,
    .run = run_compare,
};

const struct mpb_command mpb_command_run = {
    .name = "run",
    .words = "ARM",
    .doc = "measure one arm, without a comparison",
    .about = about_arms,
    .options = run_options,
    .has_workload = true,
    .run = run_run,
};
