/* builtin.c: where the built-in workers are. */
#include "harness/builtin.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[MPB_KIND__COUNT] = {"msgpath-worker", "msgpath-worker-probed"};
static const char *const folders[] = {".", "../workloads", "../libexec/msgpath"};

/* The folder of the running executable, links resolved. */
static enum mpb_status own_folder(char out[PATH_MAX], struct mpb_error *err)
{
    ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);
    if (n <= 0) {
        return mpb_error_sys(err, MPB_E_UNAVAILABLE, "/proc/self/exe", "cannot be read");
    }
    out[n] = '\0';
    *strrchr(out, '/') = '\0';
    return MPB_OK;
}

/* The path of one of them, NULL when no folder has it; the caller frees it. */
static char *locate(const char *own, const char *name)
{
    for (size_t i = 0; i < MPB_ARRAY_LEN(folders); i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s/%s", own, folders[i], name) < 0) {
            return NULL;
        }
        char *real = access(path, X_OK) == 0 ? realpath(path, NULL) : NULL;
        free(path);
        if (real != NULL) {
            return real;
        }
    }
    return NULL;
}

static enum mpb_status find_one(const char *own, enum mpb_kind kind, struct mpb_worker *out,
                                struct mpb_error *err)
{
    char *path = locate(own, names[kind]);
    if (path == NULL) {
        return mpb_error_set(err, MPB_E_UNAVAILABLE, names[kind],
                             "is not in %.200s, nor in its ../workloads or ../libexec/msgpath",
                             own);
    }
    enum mpb_status st = mpb_words_add(&out->command, path, err);
    free(path);
    return st;
}

enum mpb_status mpb_builtin_find(mpb_spawn_fn spawn, struct mpb_worker *out_timed,
                                 struct mpb_worker *out_counting, struct mpb_error *err)
{
    char own[PATH_MAX];
    struct mpb_worker timed = {0}, counting = {0};
    enum mpb_status st = own_folder(own, err);
    if (st == MPB_OK) {
        st = find_one(own, MPB_KIND_TIMED, &timed, err);
    }
    if (st == MPB_OK) {
        st = mpb_catalog_load(spawn, timed.command.word, NULL, &timed.catalog, err);
    }
    if (st == MPB_OK && out_counting != NULL) {
        st = find_one(own, MPB_KIND_COUNTING, &counting, err);
    }
    if (st == MPB_OK && out_timed != NULL) {
        *out_timed = timed;
        timed = (struct mpb_worker){0};
    }
    if (st == MPB_OK && out_counting != NULL) {
        *out_counting = counting;
        counting = (struct mpb_worker){0};
    }
    mpb_arm_worker_fini(&timed);
    mpb_arm_worker_fini(&counting);
    return st;
}
