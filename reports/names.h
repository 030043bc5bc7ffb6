/* names.h: interned strings: a name is kept once and known by a small number, so that a row of
 * a session is 24 bytes whatever its names are. */
#ifndef MPB_REPORTS_NAMES_H
#define MPB_REPORTS_NAMES_H

#include "instrument/status.h"

MPB_BEGIN_DECLS

#define MPB_NAMES_MAX 65535

/* Zero-initialised is empty. */
struct mpb_names {
    char **text; /* text[n]; index is the id */
    size_t n, cap;
    uint32_t *slots; /* open-addressing table of id + 1 */
    size_t n_slots;
};

void mpb_names_fini(struct mpb_names *names);
/* The id of text, added if new. MPB_E_NOMEM, or MPB_E_INPUT beyond MPB_NAMES_MAX names. */
MPB_MUST_USE enum mpb_status mpb_names_intern(struct mpb_names *names, const char *text,
                                              uint16_t *out_id, struct mpb_error *err);
/* The id of text; false and *out_id untouched if it was never added. */
bool mpb_names_find(const struct mpb_names *names, const char *text, uint16_t *out_id);
/* The text of an id that was given out. Never NULL; valid until _fini. */
const char *mpb_names_text(const struct mpb_names *names, uint16_t id);

MPB_END_DECLS

#endif
