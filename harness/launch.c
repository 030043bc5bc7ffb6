/* launch.c: argv and envp of passes. */
#include "harness/launch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAD "MSGPATH_PAD="

static enum mpb_status add_pair(struct mpb_words *argv, const char *name, const char *value,
                                struct mpb_error *err)
{
    enum mpb_status st = mpb_words_add(argv, name, err);
    return st == MPB_OK ? mpb_words_add(argv, value, err) : st;
}

enum mpb_status mpb_launch_build(const struct mpb_arm *arm, enum mpb_kind kind,
                                 const char *scenario, struct mpb_launch *out,
                                 struct mpb_error *err)
{
    const struct mpb_worker *w = &arm->worker[kind];
    struct mpb_words argv = {0};
    enum mpb_status st = mpb_words_add_all(&argv, w->command.word, err);
    if (st == MPB_OK) {
        st = add_pair(&argv, "--protocol", "1", err);
    }
    if (st == MPB_OK) {
        st = add_pair(&argv, "--scenario", scenario, err);
    }
    if (st == MPB_OK && arm->variant[0] != '\0') {
        st = add_pair(&argv, "--variant", arm->variant, err);
    }
    if (st == MPB_OK) {
        st = mpb_words_add_all(&argv, w->options.word, err);
    }
    if (st != MPB_OK) {
        mpb_words_fini(&argv);
        return st;
    }
    out->argv = argv;
    return MPB_OK;
}

static size_t room_of(const struct mpb_words *words)
{
    size_t room = 0;
    for (size_t i = 0; i < words->n; i++) {
        room += strlen(words->word[i]) + 1 + sizeof(char *);
    }
    return room;
}

size_t mpb_launch_room(const struct mpb_launch *launch)
{
    /* The program's path is there once more, for the loader. */
    size_t path = launch->argv.n > 0 ? strlen(launch->argv.word[0]) + 1 : 0;
    return path + room_of(&launch->argv) + room_of(&launch->envp);
}

/* The harness's environment, and pad_len dots. */
static enum mpb_status set_environment(struct mpb_launch *launch, size_t pad_len,
                                       struct mpb_error *err)
{
    enum mpb_status st = MPB_OK;
    for (size_t i = 0; environ[i] != NULL && st == MPB_OK; i++) {
        if (strncmp(environ[i], PAD, strlen(PAD)) != 0) {
            st = mpb_words_add(&launch->envp, environ[i], err);
        }
    }
    char *pad = malloc(sizeof(PAD) + pad_len);
    if (pad == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, NULL, NULL);
    }
    memcpy(pad, PAD, strlen(PAD));
    memset(pad + strlen(PAD), '.', pad_len);
    pad[strlen(PAD) + pad_len] = '\0';
    if (st == MPB_OK) {
        st = mpb_words_add(&launch->envp, pad, err);
    }
    free(pad);
    return st;
}

enum mpb_status mpb_launch_level(struct mpb_launch *launches, size_t n, struct mpb_error *err)
{
    size_t most = 0;
    for (size_t i = 0; i < n; i++) {
        mpb_words_fini(&launches[i].envp);
        size_t room = mpb_launch_room(&launches[i]);
        most = room > most ? room : most;
    }
    enum mpb_status st = MPB_OK;
    for (size_t i = 0; i < n && st == MPB_OK; i++) {
        st = set_environment(&launches[i], most - mpb_launch_room(&launches[i]), err);
    }
    return st;
}

void mpb_launch_fini(struct mpb_launch *launch)
{
    mpb_words_fini(&launch->argv);
    mpb_words_fini(&launch->envp);
}
