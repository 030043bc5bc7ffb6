/* session_dir.h: a session as a folder of files with fixed names and columns.
 *
 * session.json is written first; rows.csv, series.csv, latency.csv and passes.csv are append-only
 * and synced after each pass, passes.csv last: its record commits the pass. Whatever dies in
 * between leaves a folder that reads back as every committed pass and nothing else. */
#ifndef MPB_REPORTS_SESSION_DIR_H
#define MPB_REPORTS_SESSION_DIR_H

#include <stdio.h>

#include "reports/session.h"

MPB_BEGIN_DECLS

/* An open session folder, for the process that runs the session. */
struct mpb_session_dir {
    char *path;
    FILE *rows, *series, *latency, *passes;
};

/* Make the folder (which must not exist; its parent must), write session.json and the headers of
 * the CSV files, and sync them. MPB_E_EXISTS, MPB_E_IO naming the path. */
MPB_MUST_USE enum mpb_status mpb_session_dir_create(struct mpb_session_dir *dir, const char *path,
                                                    const struct mpb_session *session,
                                                    struct mpb_error *err);
/* Write one finished pass: its rows (rows[n]; none count if it was not accepted), then its record.
 * Synced before it returns. MPB_E_IO: nothing of the pass counts when read back. */
MPB_MUST_USE enum mpb_status mpb_session_dir_commit(struct mpb_session_dir *dir,
                                                    const struct mpb_session *session,
                                                    const struct mpb_pass *pass,
                                                    const struct mpb_row *rows, size_t n,
                                                    struct mpb_error *err);
/* Close the files and free; the folder stays. Zero-initialised is a no-op. */
void mpb_session_dir_close(struct mpb_session_dir *dir);

/* Read a folder back. Rows of uncommitted or not accepted passes and torn last lines are left out
 * and said in session->note. MPB_E_INPUT naming file, line and field; a session.json of another
 * format version is refused with both versions. */
MPB_MUST_USE enum mpb_status mpb_session_dir_load(const char *path, struct mpb_session *session,
                                                  struct mpb_error *err);

MPB_END_DECLS

#endif
