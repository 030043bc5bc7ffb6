/* catalog.h: what a worker says of itself (`WORKER --describe`): its scenarios, variants, mixes,
 * sites, metrics, options and the facts of its build. The harness links no workload: this is all
 * it knows of one, and workload options are accepted because a worker describes them. */
#ifndef MPB_HARNESS_CATALOG_H
#define MPB_HARNESS_CATALOG_H

#include "harness/spawn.h"

MPB_BEGIN_DECLS

/* One row. All text owned by the table; unused columns are "".
 * option: unit is the metavariable ("" for a flag), class_ the default, doc the help line.
 * build: name is the fact, doc its value. */
struct mpb_catalog_row {
    char *kind, *name, *unit, *better, *class_, *doc;
};

/* Zero-initialised is empty. */
struct mpb_catalog {
    struct mpb_catalog_row *row;
    size_t n, cap;
};

/* Run `command[0..n] --describe options[0..n_options]` (both NULL-terminated) and read its rows.
 * MPB_E_INPUT with the worker's own sentence when it exits 2 (it refused an option), or when the
 * program cannot be executed; MPB_E_INCOMPLETE naming the program when it fails otherwise. */
MPB_MUST_USE enum mpb_status mpb_catalog_load(mpb_spawn_fn spawn, char *const *command,
                                              char *const *options, struct mpb_catalog *out,
                                              struct mpb_error *err);
/* Read the rows from text[len]; name is what errors call it. MPB_E_INPUT, MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_catalog_read(const char *text, size_t len, const char *name,
                                              struct mpb_catalog *out, struct mpb_error *err);
void mpb_catalog_fini(struct mpb_catalog *d);

/* The row of that kind and name, NULL if there is none. */
const struct mpb_catalog_row *mpb_catalog_find(const struct mpb_catalog *d, const char *kind,
                                               const char *name);
/* The i-th row of a kind, NULL beyond the last. */
const struct mpb_catalog_row *mpb_catalog_at(const struct mpb_catalog *d, const char *kind,
                                             size_t i);
/* "unknown KIND 'typed' (did you mean 'x'?)" or "(known: a, b, c)" into out[cap]. */
void mpb_catalog_unknown(const struct mpb_catalog *d, const char *kind, const char *typed,
                         char *out, size_t cap);

MPB_END_DECLS

#endif
