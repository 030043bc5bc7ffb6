/* arm.h: what the user names on the command line: ARM = [LABEL=]SPEC. A SPEC is a variant of the
 * built-in worker, or exec:PATH [ARGS], any program that speaks the worker protocol. Either way
 * an arm ends as two commands: the worker that is timed and the worker that counts. */
#ifndef MPB_HARNESS_ARM_H
#define MPB_HARNESS_ARM_H

#include "harness/catalog.h"
#include "harness/words.h"
#include "reports/session.h"

MPB_BEGIN_DECLS

/* A program to start and what it said of itself. */
struct mpb_worker {
    struct mpb_words command; /* the program and its own arguments */
    struct mpb_words options; /* the workload, as the program's options */
    struct mpb_catalog catalog;
};

struct mpb_arm {
    char *label, *spec;
    char *variant; /* "" for exec: */
    bool is_builtin;
    struct mpb_worker worker[MPB_KIND__COUNT]; /* MPB_KIND_TIMED, MPB_KIND_COUNTING */
};

/* Zero-initialised is empty. */
struct mpb_arms {
    struct mpb_arm *arm;
    size_t n;
};

#define MPB_ARM_MAX 16

/* Read one ARM and append it. A label given twice becomes label~2. MPB_E_USAGE naming the word;
 * MPB_E_NOMEM. Nothing is started or looked up yet. */
MPB_MUST_USE enum mpb_status mpb_arm_add(struct mpb_arms *arms, const char *text,
                                         struct mpb_error *err);
/* `--counting COMMAND`: the counting build of the arm before it, which must be an exec: arm. */
MPB_MUST_USE enum mpb_status mpb_arm_set_counting(struct mpb_arms *arms, const char *command,
                                                  struct mpb_error *err);
void mpb_arm_fini_all(struct mpb_arms *arms);
void mpb_arm_worker_fini(struct mpb_worker *worker);

MPB_END_DECLS

#endif
