/* session_read.h: a session folder's CSV files back into a session. Internal to session_dir.
 *
 * name is the file's path, for errors (MPB_E_INPUT naming file, line and field). What is left out
 * is said in session->note. */
#ifndef MPB_REPORTS_SESSION_READ_H
#define MPB_REPORTS_SESSION_READ_H

#include <stdio.h>

#include "reports/session.h"

MPB_BEGIN_DECLS

/* Add every pass of an open passes.csv. */
MPB_MUST_USE enum mpb_status mpb_session_read_passes(struct mpb_session *session, const char *name,
                                                     FILE *f, struct mpb_error *err);
/* Add every row of an open rows.csv that belongs to an accepted pass; passes first. */
MPB_MUST_USE enum mpb_status mpb_session_read_rows(struct mpb_session *session, const char *name,
                                                   FILE *f, struct mpb_error *err);
/* Check that a file has this header and whole records; nothing is kept. */
MPB_MUST_USE enum mpb_status mpb_session_read_check(struct mpb_session *session, const char *name,
                                                    FILE *f, const char *header,
                                                    struct mpb_error *err);

MPB_END_DECLS

#endif
