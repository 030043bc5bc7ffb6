/* names.c: interning by open addressing, FNV-1a, at most half full. */
#include "reports/names.h"

#include <stdlib.h>
#include <string.h>

#include "reports/utf8.h"

static uint64_t hash_text(const char *text)
{
    uint64_t h = 0xcbf29ce484222325U; /* FNV-1a, 64 bits */
    for (const char *p = text; *p != '\0'; p++) {
        h = (h ^ (uint8_t)*p) * 0x100000001b3U;
    }
    return h ^ (h >> 32);
}

/* The slot that holds text, or the free one where it belongs. n_slots is a power of two. */
static size_t slot_of(const struct mpb_names *names, const char *text)
{
    size_t i = (size_t)hash_text(text) & (names->n_slots - 1);
    while (names->slots[i] != 0 && strcmp(names->text[names->slots[i] - 1], text) != 0) {
        i = (i + 1) & (names->n_slots - 1);
    }
    return i;
}

static bool grow_slots(struct mpb_names *names)
{
    size_t n_slots = names->n_slots == 0 ? 64 : names->n_slots * 2;
    uint32_t *slots = calloc(n_slots, sizeof(*slots));
    if (slots == NULL) {
        return false;
    }
    free(names->slots);
    names->slots = slots;
    names->n_slots = n_slots;
    for (size_t id = 0; id < names->n; id++) {
        slots[slot_of(names, names->text[id])] = (uint32_t)id + 1;
    }
    return true;
}

static bool grow_text(struct mpb_names *names)
{
    size_t cap = names->cap == 0 ? 32 : names->cap * 2;
    char **text = realloc(names->text, cap * sizeof(*text));
    if (text == NULL) {
        return false;
    }
    names->text = text;
    names->cap = cap;
    return true;
}

void mpb_names_fini(struct mpb_names *names)
{
    for (size_t i = 0; i < names->n; i++) {
        free(names->text[i]);
    }
    free(names->text);
    free(names->slots);
    *names = (struct mpb_names){0};
}

static enum mpb_status add(struct mpb_names *names, const char *text, struct mpb_error *err)
{
    bool room = (names->n < names->cap || grow_text(names)) &&
                (2 * (names->n + 1) <= names->n_slots || grow_slots(names));
    char *copy = room ? strdup(text) : NULL;
    if (copy == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, text, NULL);
    }
    names->slots[slot_of(names, copy)] = (uint32_t)names->n + 1;
    names->text[names->n] = copy;
    names->n++;
    return MPB_OK;
}

enum mpb_status mpb_names_intern(struct mpb_names *names, const char *text, uint16_t *out_id,
                                 struct mpb_error *err)
{
    if (mpb_names_find(names, text, out_id)) {
        return MPB_OK;
    }
    if (names->n >= MPB_NAMES_MAX) {
        return mpb_error_set(err, MPB_E_INPUT, text, "more than %d different names", MPB_NAMES_MAX);
    }
    size_t len = strlen(text);
    if (mpb_utf8_valid_bytes(text, len) != len) {
        return mpb_error_set(err, MPB_E_INPUT, "name", "is not UTF-8");
    }
    enum mpb_status st = add(names, text, err);
    if (st == MPB_OK) {
        *out_id = (uint16_t)(names->n - 1);
    }
    return st;
}

bool mpb_names_find(const struct mpb_names *names, const char *text, uint16_t *out_id)
{
    uint32_t found = names->n_slots == 0 ? 0 : names->slots[slot_of(names, text)];
    if (found != 0) {
        *out_id = (uint16_t)(found - 1);
    }
    return found != 0;
}

const char *mpb_names_text(const struct mpb_names *names, uint16_t id)
{
    return id < names->n ? names->text[id] : "?";
}
