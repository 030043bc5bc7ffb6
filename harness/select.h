/* select.h: `--filter REGEX`: which metrics are shown. A pattern that can match nothing is a
 * mistake, found before anything is measured. */
#ifndef MPB_HARNESS_SELECT_H
#define MPB_HARNESS_SELECT_H

#include "reports/model.h"

MPB_BEGIN_DECLS

/* Does the pattern (POSIX extended, anywhere in the name) match a metric of the session, or an
 * additive metric's name/site? MPB_E_USAGE when it does not compile or matches none. */
MPB_MUST_USE enum mpb_status
mpb_select_check(const char *pattern, const struct mpb_session *session, struct mpb_error *err);
/* A model of the rows whose metric matches (and of messages, by which others are divided); all
 * else as in the given one, which must outlive it.
 * The caller frees it with mpb_model_fini(). MPB_E_USAGE when no row is left. */
MPB_MUST_USE enum mpb_status mpb_select_model(const char *pattern, const struct mpb_model *model,
                                              struct mpb_model *out, struct mpb_error *err);

MPB_END_DECLS

#endif
