/* spawn.h: run one worker process from start to end: its own process group, /dev/null on stdin,
 * stdout read whole, the tail of stderr kept for the reason, a time limit that kills the whole
 * group. A worker does not outlive a harness that is killed (PR_SET_PDEATHSIG).
 *
 * How it ended is data (enum mpb_spawn_end), not an error: only a program that cannot be started
 * at all is one. */
#ifndef MPB_HARNESS_SPAWN_H
#define MPB_HARNESS_SPAWN_H

#include "instrument/status.h"

MPB_BEGIN_DECLS

#define MPB_SPAWN_OUT_MAX ((size_t)64 << 20)

struct mpb_spawn_job {
    char *const *argv;   /* argv[0] is the program's path; NULL ends it */
    char *const *envp;   /* NULL: the harness's own environment */
    uint64_t timeout_ns; /* 0: no limit */
    int stop_fd;         /* readable: kill the worker (stop.h); -1: none */
};

enum mpb_spawn_end {
    MPB_SPAWN_EXITED,    /* code is the exit status */
    MPB_SPAWN_SIGNALLED, /* code is the signal */
    MPB_SPAWN_TIMED_OUT,
    MPB_SPAWN_TOO_MUCH, /* more than MPB_SPAWN_OUT_MAX bytes on stdout */
    MPB_SPAWN_STOPPED   /* by stop_fd */
};

struct mpb_spawn_result {
    enum mpb_spawn_end end;
    int code;
    char *out; /* stdout[out_len], owned; NULL when empty */
    size_t out_len;
    char complaint[256]; /* the last line of stderr that is not blank; "" if none */
    uint64_t wall_ns;
};

/* Run a job to its end. On success *out is the caller's to _fini. MPB_E_INPUT naming the program
 * when it cannot be executed; MPB_E_UNAVAILABLE when the system has no process or pipe to give;
 * MPB_E_NOMEM. Blocks as long as the worker runs. */
MPB_MUST_USE enum mpb_status mpb_spawn_run(const struct mpb_spawn_job *job,
                                           struct mpb_spawn_result *out, struct mpb_error *err);
/* The type of mpb_spawn_run, for those who take a fake in tests. */
typedef enum mpb_status (*mpb_spawn_fn)(const struct mpb_spawn_job *job,
                                        struct mpb_spawn_result *out, struct mpb_error *err);
void mpb_spawn_result_fini(struct mpb_spawn_result *result);

/* One clause on how it ended, with the complaint: "exit 3: no such mix", "killed by signal 11
 * (Segmentation fault)", "still running after 60 s". Always terminated. */
void mpb_spawn_explain(const struct mpb_spawn_result *result, const struct mpb_spawn_job *job,
                       char *out, size_t cap);

MPB_END_DECLS

#endif
