/* archive_db.h: SQLite for the archive: a connection over the measured heap, its table, and its
 * statements, prepared once. Together with archive_sqlite.c the only place that sees SQLite;
 * private to it. */
#ifndef MPB_CORE_ARCHIVE_DB_H
#define MPB_CORE_ARCHIVE_DB_H

#include <sqlite3.h>

#include "instrument/status.h"

MPB_BEGIN_DECLS

enum mpb__archive_statement {
    MPB__ARCHIVE_INSERT, /* ?1 hash, ?2 pubsub topic, ?3 content topic, ?4 payload, ?5 version,
                            ?6 timestamp, ?7 meta */
    MPB__ARCHIVE_OLDEST, /* gives timestamp, hash, bytes */
    MPB__ARCHIVE_EVICT,  /* ?1 hash */
    MPB__ARCHIVE_BEGIN,
    MPB__ARCHIVE_COMMIT,
    MPB__ARCHIVE_ROLLBACK,
    MPB__ARCHIVE_PAGE, /* after ?1 timestamp, ?2 hash; to ?3 timestamp; at most ?4: gives timestamp,
                          hash, payload, content topic, version, meta */
    MPB__ARCHIVE_STATEMENT__COUNT
};

/* Zero-initialised is closed. */
struct mpb__archive_db {
    sqlite3 *connection;
    sqlite3_stmt *statement[MPB__ARCHIVE_STATEMENT__COUNT];
    const char *path; /* borrowed; NULL: in memory */
    bool owns_file;
};

/* Create the database, empty, at path (NULL: in memory). Errors as mpb_archive_new(); _close must
 * follow all the same. */
MPB_MUST_USE enum mpb_status mpb__archive_db_open(struct mpb__archive_db *db, const char *path,
                                                  struct mpb_error *err);
/* Close it, and remove its file if _open created it. */
void mpb__archive_db_close(struct mpb__archive_db *db);

/* Step a statement that gives no rows, its parameters bound, and reset it. */
MPB_MUST_USE enum mpb_status mpb__archive_db_run(const struct mpb__archive_db *db,
                                                 enum mpb__archive_statement which,
                                                 struct mpb_error *err);
/* Undo an unfinished transaction; a no-op when there is none. */
void mpb__archive_db_roll_back(const struct mpb__archive_db *db);
/* Why a call for this statement failed: MPB_E_NOMEM, or MPB_E_IO with SQLite's words. */
enum mpb_status mpb__archive_db_fail(const struct mpb__archive_db *db,
                                     enum mpb__archive_statement which, struct mpb_error *err);

/* The library's version. Never NULL. */
const char *mpb__archive_db_version(void);

MPB_END_DECLS

#endif
