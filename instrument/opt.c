/* opt.c: the option parser over a table. */
#include "instrument/opt.h"

#include <string.h>

static size_t table_len(const struct mpb_opt *table)
{
    size_t n = 0;
    while (table[n].name != NULL) {
        n++;
    }
    return n;
}

/* Levenshtein distance, one row at a time; words longer than the row are "far". */
static size_t edit_distance(const char *a, const char *b)
{
    enum { MAX = 48 };
    size_t la = strlen(a), lb = strlen(b), row[MAX + 1];
    if (la > MAX || lb > MAX) {
        return MAX;
    }
    for (size_t j = 0; j <= lb; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= la; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            best = row[j] + 1 < best ? row[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[lb];
}

const char *mpb_opt_nearest(const char *typed, const char *const *words, size_t n)
{
    const char *best = NULL;
    size_t best_distance = 3;
    for (size_t i = 0; i < n; i++) {
        size_t d = edit_distance(typed, words[i]);
        if (d < best_distance && d < strlen(words[i])) {
            best = words[i];
            best_distance = d;
        }
    }
    return best;
}

static enum mpb_status refuse_unknown(const struct mpb_opt *table, const char *name,
                                      struct mpb_error *err)
{
    enum { MAX = 64 };
    const char *words[MAX];
    size_t n = table_len(table);
    n = n < MAX ? n : MAX;
    for (size_t i = 0; i < n; i++) {
        words[i] = table[i].name;
    }
    const char *near = mpb_opt_nearest(name, words, n);
    if (near != NULL) {
        return mpb_error_set(err, MPB_E_USAGE, NULL, "unknown option --%s (did you mean --%s?)",
                             name, near);
    }
    return mpb_error_set(err, MPB_E_USAGE, NULL, "unknown option --%s (see --help)", name);
}

struct cursor {
    int argc;
    char *const *argv;
    int at;
};

static const char *next_word(const struct cursor *c)
{
    return c->at + 1 < c->argc ? c->argv[c->at + 1] : NULL;
}

static enum mpb_status take(const struct mpb_opt *o, const char *inline_value, struct cursor *c,
                            void *cfg, struct mpb_error *err)
{
    char dashed[64];
    snprintf(dashed, sizeof(dashed), "--%s", o->name);
    if (o->arg == NULL) {
        if (inline_value != NULL) {
            return mpb_error_set(err, MPB_E_USAGE, dashed, "takes no value");
        }
        return o->set(cfg, dashed, NULL, err);
    }
    const char *value = inline_value;
    if (value == NULL) {
        value = next_word(c);
        c->at++;
    }
    if (value == NULL) {
        return mpb_error_set(err, MPB_E_USAGE, dashed, "needs a value (%s)", o->arg);
    }
    return o->set(cfg, dashed, value, err);
}

static const struct mpb_opt *find_long(const struct mpb_opt *table, const char *name)
{
    for (const struct mpb_opt *o = table; o->name != NULL; o++) {
        if (strcmp(o->name, name) == 0) {
            return o;
        }
    }
    return NULL;
}

static enum mpb_status long_option(const struct mpb_opt *table, struct cursor *c, void *cfg,
                                   const struct mpb_opt_rest *rest, struct mpb_error *err)
{
    const char *word = c->argv[c->at] + 2;
    const char *eq = strchr(word, '=');
    char name[64];
    size_t n = eq != NULL ? (size_t)(eq - word) : strlen(word);
    if (n >= sizeof(name)) {
        return mpb_error_set(err, MPB_E_USAGE, NULL, "unknown option --%.40s... (see --help)",
                             word);
    }
    memcpy(name, word, n);
    name[n] = '\0';
    const struct mpb_opt *o = find_long(table, name);
    if (o != NULL) {
        return take(o, eq != NULL ? eq + 1 : NULL, c, cfg, err);
    }
    if (rest == NULL || rest->unknown == NULL) {
        return refuse_unknown(table, name, err);
    }
    bool used_next = false;
    enum mpb_status st =
        rest->unknown(rest->ctx, name, eq != NULL ? eq + 1 : NULL, next_word(c), &used_next, err);
    c->at += used_next ? 1 : 0;
    return st;
}

static enum mpb_status letter_option(const struct mpb_opt *table, struct cursor *c, void *cfg,
                                     struct mpb_error *err)
{
    const char *word = c->argv[c->at];
    for (const struct mpb_opt *o = table; o->name != NULL; o++) {
        if (o->letter == word[1]) {
            return take(o, word[2] != '\0' ? word + 2 : NULL, c, cfg, err);
        }
    }
    return mpb_error_set(err, MPB_E_USAGE, NULL, "unknown option %s (see --help)", word);
}

enum mpb_status mpb_opt_parse(const struct mpb_opt *table, int argc, char *const *argv, void *cfg,
                              const struct mpb_opt_rest *rest, struct mpb_error *err)
{
    bool options_ended = false;
    for (struct cursor c = {argc, argv, 0}; c.at < argc; c.at++) {
        const char *word = argv[c.at];
        enum mpb_status st = MPB_OK;
        if (!options_ended && strcmp(word, "--") == 0) {
            options_ended = true;
        } else if (!options_ended && strncmp(word, "--", 2) == 0) {
            st = long_option(table, &c, cfg, rest, err);
        } else if (!options_ended && word[0] == '-' && word[1] != '\0') {
            st = letter_option(table, &c, cfg, err);
        } else if (rest != NULL && rest->word != NULL) {
            st = rest->word(rest->ctx, word, err);
        } else {
            st = mpb_error_set(err, MPB_E_USAGE, NULL, "unexpected argument '%s'", word);
        }
        if (st != MPB_OK) {
            return st;
        }
    }
    return MPB_OK;
}

void mpb_opt_print_help(const struct mpb_opt *table, FILE *f)
{
    for (const struct mpb_opt *o = table; o->name != NULL; o++) {
        char left[64], letter[8] = "    ";
        if (o->letter != 0) {
            snprintf(letter, sizeof(letter), "-%c, ", o->letter);
        }
        snprintf(left, sizeof(left), "%s--%s%s%s", letter, o->name, o->arg != NULL ? " " : "",
                 o->arg != NULL ? o->arg : "");
        fprintf(f, "  %-30s %s", left, o->help);
        if (o->fallback != NULL) {
            fprintf(f, " [%s]", o->fallback);
        }
        fputc('\n', f);
    }
}
