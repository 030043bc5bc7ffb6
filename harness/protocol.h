/* protocol.h: what a worker printed in one pass, read strictly: one wrong byte and none of its
 * rows count, because a pass that is half believed is worse than one that is run again. */
#ifndef MPB_HARNESS_PROTOCOL_H
#define MPB_HARNESS_PROTOCOL_H

#include "reports/session.h"

MPB_BEGIN_DECLS

/* Rows of one pass. Zero-initialised is empty. */
struct mpb_protocol_rows {
    struct mpb_row *row;
    size_t n, cap;
};
void mpb_protocol_rows_fini(struct mpb_protocol_rows *rows);

/* Read text[len], the stdout of a worker. `pass` gives what every row must agree with: its
 * scenario, and its kind, whose metrics are kept (a row that the other kind of pass owns is
 * dropped; metrics the metric list does not know are kept). Names are interned in session.
 * Checked: header; scenario; run 0..65535; the metric's unit; exact metrics are integers; known
 * metrics are not negative; every value finite; no row twice; a name that has parts (name/part)
 * is their sum if the metric is additive; no torn last line; at least one row.
 * MPB_E_INPUT naming "stdout:line"; MPB_E_NOMEM. *out is untouched on failure. */
MPB_MUST_USE enum mpb_status mpb_protocol_read(const char *text, size_t len,
                                               const struct mpb_pass *pass,
                                               struct mpb_session *session,
                                               struct mpb_protocol_rows *out,
                                               struct mpb_error *err);

/* (max - min) / max of a metric over the runs >= 1, per cent; NAN with fewer than two of them. */
double mpb_protocol_spread_pct(const struct mpb_protocol_rows *rows,
                               const struct mpb_session *session, const char *metric);

/* The kind of pass whose rows of this metric count: as the metric list says; for a metric it does
 * not know, exact ones belong to the counting pass and all others to the timed one. */
enum mpb_kind mpb_protocol_owner(const struct mpb_session *session, const char *metric);
/* The class of a metric: from the metric list, else as its worker described it, else timed. */
enum mpb_class mpb_protocol_class(const struct mpb_session *session, const char *metric);

MPB_END_DECLS

#endif
