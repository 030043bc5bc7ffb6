/* worker.c: one process, one pass: a variant, a scenario, all its runs, rows on stdout.
 *
 * Built twice from this source: probes off (times) and on (counts). Rows are printed only after
 * the work has been verified. Exit status: 0 rows count, 1 failed, 2 bad usage, 77 skipped with the
 * reason on stderr. */
#include <stdio.h>

#include "workloads/describe.h"
#include "workloads/scenario.h"
#include "workloads/worker_opt.h"

#ifndef MPB_CHECK_BYTES
#define MPB_CHECK_BYTES 0
#endif

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_SKIPPED = 77 };

static int complain(const struct mpb_error *err)
{
    char line[600];
    mpb_error_format(err, line, sizeof(line));
    fprintf(stderr, "msgpath-worker: %s\n", line);
    if (err->status == MPB_E_USAGE || err->status == MPB_E_INPUT || err->status == MPB_E_EXISTS) {
        return EXIT_USAGE;
    }
    return err->status == MPB_E_UNAVAILABLE ? EXIT_SKIPPED : EXIT_FAILED;
}

static enum mpb_status check_complete(const struct mpb_worker_opt *opt, struct mpb_error *err)
{
    const char *missing = opt->protocol == 0         ? "--protocol"
                          : opt->scenario == NULL    ? "--scenario"
                          : opt->cfg.variant == NULL ? "--variant"
                                                     : NULL;
    if (missing != NULL) {
        return mpb_error_set(err, MPB_E_USAGE, missing, "is required (see --help)");
    }
    return MPB_OK;
}

static enum mpb_status run_pass(struct mpb_worker_opt *opt, struct mpb_error *err)
{
    enum mpb_status st = check_complete(opt, err);
    if (st != MPB_OK) {
        return st;
    }
    struct mpb_emit emit = {.scenario = opt->scenario->name};
    opt->cfg.counting = MPB_PROBES;
    opt->cfg.check_bytes = MPB_CHECK_BYTES;
    st = opt->scenario->run(&opt->cfg, &emit, err);
    if (st == MPB_OK) {
        st = mpb_emit_print(&emit, stdout, err);
    }
    mpb_emit_fini(&emit);
    return st;
}

static enum mpb_status print_help(struct mpb_error *err)
{
    printf("usage: msgpath-worker --protocol 1 --scenario NAME --variant NAME [OPTION...]\n"
           "       msgpath-worker --describe\n\n"
           "Runs one pass and prints its rows as CSV. Usually started by msgpath.\n\n");
    mpb_worker_opt_print_help(stdout);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return mpb_error_sys(err, MPB_E_IO, "stdout", "cannot write");
    }
    return MPB_OK;
}

int main(int argc, char **argv)
{
    struct mpb_worker_opt opt;
    struct mpb_error err = {.status = MPB_OK};
    enum mpb_status st = mpb_worker_opt_parse(argc - 1, argv + 1, &opt, &err);
    if (st == MPB_OK && opt.help) {
        st = print_help(&err);
    } else if (st == MPB_OK && opt.describe) {
        st = mpb_describe_print(stdout, MPB_PROBES, &err);
    } else if (st == MPB_OK) {
        st = run_pass(&opt, &err);
    }
    return st == MPB_OK ? 0 : complain(&err);
}
