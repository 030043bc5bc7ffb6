/* words.h: a growing list of strings that is always a valid argv: NULL-terminated, each owned. */
#ifndef MPB_HARNESS_WORDS_H
#define MPB_HARNESS_WORDS_H

#include "instrument/status.h"

MPB_BEGIN_DECLS

/* Zero-initialised is empty (word is then NULL, not an empty argv). */
struct mpb_words {
    char **word;
    size_t n, cap;
};

/* Append a copy of text. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_words_add(struct mpb_words *words, const char *text,
                                           struct mpb_error *err);
/* Append copies of a NULL-terminated list (NULL: nothing). */
MPB_MUST_USE enum mpb_status mpb_words_add_all(struct mpb_words *words, char *const *list,
                                               struct mpb_error *err);
/* Append the pieces of text between any of the separators; empty pieces are left out. */
MPB_MUST_USE enum mpb_status mpb_words_split(struct mpb_words *words, const char *text,
                                             const char *separators, struct mpb_error *err);
/* Is text one of the words? */
bool mpb_words_has(const struct mpb_words *words, const char *text);
void mpb_words_fini(struct mpb_words *words);

MPB_END_DECLS

#endif
