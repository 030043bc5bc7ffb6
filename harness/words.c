/* words.c: lists of strings. */
#include "harness/words.h"

#include <stdlib.h>
#include <string.h>

/* Append text[len]. */
static enum mpb_status add(struct mpb_words *words, const char *text, size_t len,
                           struct mpb_error *err)
{
    if (words->n + 1 >= words->cap) { /* one more for the NULL */
        size_t cap = words->cap == 0 ? 16 : words->cap * 2;
        char **word = realloc(words->word, cap * sizeof(*word));
        if (word == NULL) {
            return mpb_error_set(err, MPB_E_NOMEM, NULL, NULL);
        }
        words->word = word;
        words->cap = cap;
    }
    char *copy = strndup(text, len);
    if (copy == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, NULL, NULL);
    }
    words->word[words->n++] = copy;
    words->word[words->n] = NULL;
    return MPB_OK;
}

enum mpb_status mpb_words_add(struct mpb_words *words, const char *text, struct mpb_error *err)
{
    return add(words, text, strlen(text), err);
}

enum mpb_status mpb_words_add_all(struct mpb_words *words, char *const *list, struct mpb_error *err)
{
    enum mpb_status st = MPB_OK;
    for (size_t i = 0; list != NULL && list[i] != NULL && st == MPB_OK; i++) {
        st = mpb_words_add(words, list[i], err);
    }
    return st;
}

enum mpb_status mpb_words_split(struct mpb_words *words, const char *text, const char *separators,
                                struct mpb_error *err)
{
    enum mpb_status st = MPB_OK;
    while (st == MPB_OK && *(text += strspn(text, separators)) != '\0') {
        size_t len = strcspn(text, separators);
        st = add(words, text, len, err);
        text += len;
    }
    return st;
}

bool mpb_words_has(const struct mpb_words *words, const char *text)
{
    for (size_t i = 0; i < words->n; i++) {
        if (strcmp(words->word[i], text) == 0) {
            return true;
        }
    }
    return false;
}

void mpb_words_fini(struct mpb_words *words)
{
    for (size_t i = 0; i < words->n; i++) {
        free(words->word[i]);
    }
    free(words->word);
    *words = (struct mpb_words){0};
}
