/* session_json.h: session.json: everything about a session but its passes and rows. Internal to
 * session_dir. Unknown keys are left alone, so that fields can be added without a new format. */
#ifndef MPB_REPORTS_SESSION_JSON_H
#define MPB_REPORTS_SESSION_JSON_H

#include <stdio.h>

#include "reports/session.h"

MPB_BEGIN_DECLS

/* Write the session's JSON to f. Write errors are the caller's to see in ferror(f). MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_session_json_write(const struct mpb_session *session, FILE *f,
                                                    struct mpb_error *err);
/* Fill an empty session from the file. MPB_E_IO if it cannot be opened; MPB_E_INPUT naming the
 * line (not JSON) or the field. */
MPB_MUST_USE enum mpb_status mpb_session_json_read(const char *path, struct mpb_session *session,
                                                   struct mpb_error *err);

MPB_END_DECLS

#endif
