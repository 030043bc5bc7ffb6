/* workload_opt.h: the options of a workload. They are in no table of the command's own: the
 * built-in worker describes them, and whatever it describes is accepted, shown in the help and
 * handed to the workers. */
#ifndef MPB_HARNESS_CLI_WORKLOAD_OPT_H
#define MPB_HARNESS_CLI_WORKLOAD_OPT_H

#include "harness/builtin.h"
#include "instrument/opt.h"

MPB_BEGIN_DECLS

enum { MPB_WORKLOAD_OPT_MAX = 64 };

/* Zero-initialised is empty; the worker is asked when the first option comes. */
struct mpb_workload_opt {
    struct mpb_worker builtin;
    bool asked;
    struct mpb_pairs given; /* option -> value, "yes" for a flag */
};

/* `--name[=value] [next]`, as it was typed; value and next may be NULL. */
struct mpb_workload_word {
    const char *name, *value, *next;
};

/* Take an option; *used_next when next was its value. own: the command's own table, for "did you
 * mean". MPB_E_USAGE when the worker describes no such option or its value is missing. */
MPB_MUST_USE enum mpb_status mpb_workload_opt_take(struct mpb_workload_opt *w,
                                                   const struct mpb_opt *own,
                                                   const struct mpb_workload_word *word,
                                                   bool *used_next, struct mpb_error *err);
void mpb_workload_opt_fini(struct mpb_workload_opt *w);

/* The described options as rows of an option table (set is NULL), ended; text borrowed from w.
 * Returns how many; 0 when there is no built-in worker to ask. */
size_t mpb_workload_opt_table(struct mpb_workload_opt *w, struct mpb_opt out[MPB_WORKLOAD_OPT_MAX]);

MPB_END_DECLS

#endif
