/* keymap.h: a set of 64-bit keys that remembers a small number for each. Keys are added, never
 * removed; any key value is allowed. */
#ifndef MPB_REPORTS_KEYMAP_H
#define MPB_REPORTS_KEYMAP_H

#include "instrument/status.h"

MPB_BEGIN_DECLS

/* Zero-initialised is empty. */
struct mpb_keymap {
    struct mpb_keymap_slot {
        uint64_t key;
        uint32_t value;
        bool used;
    } * slot;
    size_t n, n_slots;
};

/* Add a key. *added is false, and its first value kept, if it is there already. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_keymap_add(struct mpb_keymap *map, uint64_t key, uint32_t value,
                                            bool *added, struct mpb_error *err);
/* The value of a key; false and *out untouched if it was never added. */
bool mpb_keymap_find(const struct mpb_keymap *map, uint64_t key, uint32_t *out);
void mpb_keymap_fini(struct mpb_keymap *map);

MPB_END_DECLS

#endif
