/* opt.h: command-line options as a table: one row gives the parser, the help, the man page and
 * the completion. Long options only, `--name VALUE` or `--name=VALUE`, plus one-letter aliases. */
#ifndef MPB_INSTRUMENT_OPT_H
#define MPB_INSTRUMENT_OPT_H

#include <stdio.h>

#include "instrument/status.h"

MPB_BEGIN_DECLS

/* Store `value` (NULL for a flag) into the caller's configuration.
 * name is "--option", as the user knows it. */
typedef enum mpb_status (*mpb_opt_set_fn)(void *cfg, const char *name, const char *value,
                                          struct mpb_error *err);

struct mpb_opt {
    const char *name;     /* without "--"; NULL ends a table */
    char letter;          /* one-letter alias, or 0 */
    const char *arg;      /* metavariable such as "N" or "DIR"; NULL: a flag */
    const char *fallback; /* the default as text, shown in the help; NULL: none */
    const char *help;     /* one line, no full stop */
    mpb_opt_set_fn set;
};

/* Called for each word that is not an option of the table, and for each unknown option (then
 * value is its "=VALUE" part or NULL, and *used_next may be set to take next as its value).
 * For a plain word, name is NULL and value is the word. */
struct mpb_opt_rest {
    void *ctx;
    enum mpb_status (*word)(void *ctx, const char *word, struct mpb_error *err);
    enum mpb_status (*unknown)(void *ctx, const char *name, const char *value, const char *next,
                               bool *used_next, struct mpb_error *err);
};

/* Read argv[argc] (without the command's own name) into cfg. Either callback may be NULL: a word
 * or an unknown option is then MPB_E_USAGE, naming the nearest known option if one is near.
 * "--" ends the options. Repeating an option keeps the last value. */
MPB_MUST_USE enum mpb_status mpb_opt_parse(const struct mpb_opt *table, int argc, char *const *argv,
                                           void *cfg, const struct mpb_opt_rest *rest,
                                           struct mpb_error *err);

/* One help line an option, at most 100 columns, to f. */
void mpb_opt_print_help(const struct mpb_opt *table, FILE *f);

/* The word of words[n] nearest to typed (edit distance at most 2 and below its length),
 * or NULL. For "did you mean". */
const char *mpb_opt_nearest(const char *typed, const char *const *words, size_t n);

MPB_END_DECLS

#endif
