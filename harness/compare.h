/* compare.h: a session in, a model out: every figure and word that a report prints. A pure
 * function of the session, so that a report made again from its folder is the same to the byte.
 *
 * With more than two arms each is compared with the one before it and with the first. */
#ifndef MPB_HARNESS_COMPARE_H
#define MPB_HARNESS_COMPARE_H

#include "reports/model.h"

MPB_BEGIN_DECLS

/* Fill an empty model: A/B rows by scenario, pair and metric; each arm's own figures; what each
 * scenario could see. *out borrows from session. MPB_E_NOMEM. O(rows log rows). */
MPB_MUST_USE enum mpb_status mpb_compare_session(const struct mpb_session *session,
                                                 struct mpb_model *out, struct mpb_error *err);

/* Rows in which both arms were measured: 0 means that nothing was compared at all. */
size_t mpb_compare_count(const struct mpb_model *model);

MPB_END_DECLS

#endif
