/* arm.c: reading ARM words. */
#include "harness/arm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+~-"
#define LABEL_FIRST 62 /* of those, the letters and digits may come first */
#define BLANKS " \t\n"

enum { LABEL_MAX = 64 };

static bool is_label_start(char c)
{
    return c != '\0' && memchr(LABEL_CHARS, c, LABEL_FIRST) != NULL;
}

/* Length of the label in front of '=', 0 when text does not begin with one. */
static size_t label_len(const char *text)
{
    size_t n = strspn(text, LABEL_CHARS);
    return n > 0 && is_label_start(text[0]) && text[n] == '=' && n < LABEL_MAX ? n : 0;
}

/* A label out of any text: its base name, other characters as '-'. */
static void label_from(const char *text, char out[LABEL_MAX])
{
    const char *slash = strrchr(text, '/');
    const char *base = slash != NULL ? slash + 1 : text;
    size_t n = 0;
    for (; *base != '\0' && n < LABEL_MAX - 1; base++) {
        bool known = strchr(LABEL_CHARS, *base) != NULL;
        if (n > 0 || is_label_start(*base)) {
            out[n] = '-';
            if (known) {
                out[n] = *base;
            }
            n++;
        }
    }
    snprintf(out + n, LABEL_MAX - n, "%s", n == 0 ? "arm" : "");
}

static bool label_taken(const struct mpb_arms *arms, const char *label)
{
    for (size_t i = 0; i < arms->n; i++) {
        if (strcmp(arms->arm[i].label, label) == 0) {
            return true;
        }
    }
    return false;
}

/* label, or label~2, label~3, ...: the first one that is free. */
static char *free_label(const struct mpb_arms *arms, const char *label)
{
    char numbered[LABEL_MAX + 16];
    snprintf(numbered, sizeof(numbered), "%s", label);
    for (unsigned i = 2; label_taken(arms, numbered); i++) {
        snprintf(numbered, sizeof(numbered), "%s~%u", label, i);
    }
    return strdup(numbered);
}

void mpb_arm_worker_fini(struct mpb_worker *worker)
{
    mpb_words_fini(&worker->command);
    mpb_words_fini(&worker->options);
    mpb_catalog_fini(&worker->catalog);
}

static void arm_fini(struct mpb_arm *arm)
{
    free(arm->label);
    free(arm->spec);
    free(arm->variant);
    for (size_t kind = 0; kind < MPB_KIND__COUNT; kind++) {
        mpb_arm_worker_fini(&arm->worker[kind]);
    }
}

void mpb_arm_fini_all(struct mpb_arms *arms)
{
    for (size_t i = 0; i < arms->n; i++) {
        arm_fini(&arms->arm[i]);
    }
    free(arms->arm);
    *arms = (struct mpb_arms){0};
}

/* The command of an exec: arm, for both kinds until --counting says otherwise. */
static enum mpb_status read_exec(struct mpb_arm *arm, const char *command, struct mpb_error *err)
{
    enum mpb_status st = MPB_OK;
    for (size_t kind = 0; kind < MPB_KIND__COUNT && st == MPB_OK; kind++) {
        st = mpb_words_split(&arm->worker[kind].command, command, BLANKS, err);
    }
    if (st == MPB_OK && arm->worker[0].command.n == 0) {
        st = mpb_error_set(err, MPB_E_USAGE, "arm", "exec: needs the path of a program");
    }
    return st;
}

static MPB_COLD enum mpb_status refuse_spec(const char *spec, struct mpb_error *err)
{
    return mpb_error_set(err, MPB_E_USAGE, "arm",
                         "unknown spec '%s' (a variant of `msgpath list variants`, or exec:PATH)",
                         spec);
}

static enum mpb_status read_spec(struct mpb_arm *arm, const char *spec, struct mpb_error *err)
{
    const char *variant = "";
    enum mpb_status st = MPB_OK;
    if (strncmp(spec, "exec:", 5) == 0) {
        st = read_exec(arm, spec + 5, err);
    } else if (spec[0] == '\0' || strpbrk(spec, ":/" BLANKS) != NULL) {
        st = refuse_spec(spec, err);
    } else {
        arm->is_builtin = true;
        variant = spec;
    }
    arm->spec = strdup(spec);
    arm->variant = strdup(variant);
    if (st == MPB_OK && (arm->spec == NULL || arm->variant == NULL)) {
        st = mpb_error_set(err, MPB_E_NOMEM, "arm", NULL);
    }
    return st;
}

enum mpb_status mpb_arm_add(struct mpb_arms *arms, const char *text, struct mpb_error *err)
{
    if (arms->n >= MPB_ARM_MAX) {
        return mpb_error_set(err, MPB_E_USAGE, "arm", "more than %d of them", MPB_ARM_MAX);
    }
    struct mpb_arm *grown = realloc(arms->arm, (arms->n + 1) * sizeof(*grown));
    if (grown == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "arm", NULL);
    }
    arms->arm = grown;
    struct mpb_arm arm = {0};
    size_t n = label_len(text);
    enum mpb_status st = read_spec(&arm, n > 0 ? text + n + 1 : text, err);
    if (st == MPB_OK) {
        char label[LABEL_MAX];
        if (n > 0) {
            snprintf(label, sizeof(label), "%.*s", (int)n, text);
        } else {
            const struct mpb_words *command = &arm.worker[MPB_KIND_TIMED].command;
            label_from(command->n > 0 ? command->word[0] : arm.variant, label);
        }
        arm.label = free_label(arms, label);
        st = arm.label != NULL ? MPB_OK : mpb_error_set(err, MPB_E_NOMEM, "arm", NULL);
    }
    if (st != MPB_OK) {
        arm_fini(&arm);
        return st;
    }
    arms->arm[arms->n++] = arm;
    return MPB_OK;
}

enum mpb_status mpb_arm_set_counting(struct mpb_arms *arms, const char *command,
                                     struct mpb_error *err)
{
    if (arms->n == 0 || arms->arm[arms->n - 1].is_builtin) {
        return mpb_error_set(err, MPB_E_USAGE, "--counting", "must follow an exec: arm");
    }
    struct mpb_words words = {0};
    enum mpb_status st = mpb_words_split(&words, command, BLANKS, err);
    if (st == MPB_OK && words.n == 0) {
        st = mpb_error_set(err, MPB_E_USAGE, "--counting", "needs the path of a program");
    }
    if (st != MPB_OK) {
        mpb_words_fini(&words);
        return st;
    }
    struct mpb_words *old = &arms->arm[arms->n - 1].worker[MPB_KIND_COUNTING].command;
    mpb_words_fini(old);
    *old = words;
    return MPB_OK;
}
