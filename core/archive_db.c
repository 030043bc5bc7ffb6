/* archive_db.c: opening and closing SQLite. Whatever builds of the library set differently, and
 * would show in a counter, is set here. */
#include "core/archive_db.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "instrument/heap.h"

/* clang-format off */
static const struct {
    const char *purpose; /* completes "SQLite cannot ..." */
    const char *sql;
} statements[MPB__ARCHIVE_STATEMENT__COUNT] = {
    [MPB__ARCHIVE_INSERT] = {"insert", "INSERT INTO Message (messageHash, pubsubTopic, contentTopic, payload, version,"
                          " timestamp, meta) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"},
    [MPB__ARCHIVE_OLDEST] = {"find the oldest", "SELECT timestamp, messageHash, length(payload) + length(contentTopic)"
                                   " + length(meta) FROM Message ORDER BY timestamp, messageHash LIMIT 1"},
    [MPB__ARCHIVE_EVICT] = {"evict", "DELETE FROM Message WHERE messageHash = ?1"},
    [MPB__ARCHIVE_BEGIN] = {"begin", "BEGIN"},
    [MPB__ARCHIVE_COMMIT] = {"commit", "COMMIT"},
    [MPB__ARCHIVE_ROLLBACK] = {"roll back", "ROLLBACK"},
    [MPB__ARCHIVE_PAGE] = {"read", "SELECT timestamp, messageHash, payload, contentTopic, version, meta FROM Message"
                      " WHERE (timestamp, messageHash) > (?1, ?2) AND timestamp <= ?3"
                      " ORDER BY timestamp, messageHash LIMIT ?4"},
};
/* clang-format on */

/* SQLite's own defaults, said because builds change them: Debian's, for one, overwrites what is
 * deleted with zeros. The page size comes before the first page. */
static const char settings[] =
    "PRAGMA page_size = 4096; PRAGMA cache_size = -2000; PRAGMA auto_vacuum = 0;"
    "PRAGMA secure_delete = 0; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000;";

static const char schema[] =
    "CREATE TABLE Message (messageHash BLOB PRIMARY KEY, pubsubTopic BLOB NOT NULL,"
    " contentTopic BLOB NOT NULL, payload BLOB, version INTEGER NOT NULL,"
    " timestamp INTEGER NOT NULL, meta BLOB) WITHOUT ROWID;"
    "CREATE INDEX i_ts ON Message (timestamp);";

static void *heap_alloc(int n_bytes)
{
    return mpb_heap_alloc((size_t)n_bytes);
}

static void *heap_realloc(void *ptr, int n_bytes)
{
    return mpb_heap_realloc(ptr, (size_t)n_bytes);
}

static int heap_size(void *ptr)
{
    return ptr != NULL ? (int)mpb_heap_usable_bytes(ptr) : 0;
}

static int heap_round(int n_bytes)
{
    return (n_bytes + 7) & ~7;
}

static int heap_start(void *ctx)
{
    (void)ctx;
    return SQLITE_OK;
}

static void heap_stop(void *ctx)
{
    (void)ctx;
}

/* Every allocation a call of its own to the measured heap: no slab for small ones (builds differ in
 * that), no first pages in bulk; and no statistics, which would take a lock each time. Connections
 * stay with their thread. Once SQLite runs it refuses all this as misuse: an archive before this
 * one has said it. */
static int start_library(void)
{
    static const sqlite3_mem_methods heap = {heap_alloc, mpb_heap_free, heap_realloc, heap_size,
                                             heap_round, heap_start,    heap_stop,    NULL};
    int rc = sqlite3_config(SQLITE_CONFIG_MALLOC, &heap);
    if (rc == SQLITE_MISUSE) {
        return SQLITE_OK;
    }
    if (rc == SQLITE_OK) {
        rc = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    }
    if (rc == SQLITE_OK) {
        rc = sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
    }
    if (rc == SQLITE_OK) {
        rc = sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
    }
    if (rc == SQLITE_OK) {
        rc = sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
    }
    return rc == SQLITE_OK ? sqlite3_initialize() : rc;
}

static enum mpb_status fail(const struct mpb__archive_db *db, const char *purpose,
                            struct mpb_error *err)
{
    if (db->connection == NULL || sqlite3_errcode(db->connection) == SQLITE_NOMEM) {
        return mpb_error_set(err, MPB_E_NOMEM, "archive", NULL);
    }
    return mpb_error_set(err, MPB_E_IO, db->path != NULL ? db->path : "archive",
                         "SQLite cannot %s: %s", purpose, sqlite3_errmsg(db->connection));
}

enum mpb_status mpb__archive_db_fail(const struct mpb__archive_db *db,
                                     enum mpb__archive_statement which, struct mpb_error *err)
{
    return fail(db, statements[which].purpose, err);
}

enum mpb_status mpb__archive_db_run(const struct mpb__archive_db *db,
                                    enum mpb__archive_statement which, struct mpb_error *err)
{
    int rc = sqlite3_step(db->statement[which]);
    enum mpb_status st = rc == SQLITE_DONE ? MPB_OK : mpb__archive_db_fail(db, which, err);
    sqlite3_reset(db->statement[which]);
    return st;
}

/* Some failures have rolled back already. */
void mpb__archive_db_roll_back(const struct mpb__archive_db *db)
{
    sqlite3_stmt *s = db->statement[MPB__ARCHIVE_ROLLBACK];
    if (!sqlite3_get_autocommit(db->connection)) {
        sqlite3_step(s);
        sqlite3_reset(s);
    }
}

/* The path with a suffix of SQLite's, never with a meaning of its own ("file:...", ":memory:"). */
static bool name_file(const char *path, const char *suffix, char out[PATH_MAX])
{
    int n = snprintf(out, PATH_MAX, "%s%s%s", path[0] == '/' ? "" : "./", path, suffix);
    return n > 0 && n < PATH_MAX;
}

static enum mpb_status create_file(struct mpb__archive_db *db, struct mpb_error *err)
{
    int fd = open(db->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) {
        return errno == EEXIST
                   ? mpb_error_set(err, MPB_E_EXISTS, db->path, NULL)
                   : mpb_error_sys(err, MPB_E_INPUT, db->path, "cannot create the file");
    }
    db->owns_file = true;
    close(fd);
    return MPB_OK;
}

static int see_journal(void *is_wal, int n, char **value, char **name)
{
    (void)name;
    *(bool *)is_wal = n == 1 && value[0] != NULL && strcmp(value[0], "wal") == 0;
    return 0;
}

static enum mpb_status connect(struct mpb__archive_db *db, struct mpb_error *err)
{
    char name[PATH_MAX] = ":memory:";
    bool is_wal = false;
    if (db->path != NULL && !name_file(db->path, "", name)) {
        return mpb_error_set(err, MPB_E_INPUT, db->path, "the path is too long");
    }
    if (sqlite3_open_v2(name, &db->connection, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
        return fail(db, "open the database", err);
    }
    if (sqlite3_exec(db->connection, settings, NULL, NULL, NULL) != SQLITE_OK) {
        return fail(db, "take its settings", err);
    }
    if (db->path != NULL && sqlite3_exec(db->connection, "PRAGMA journal_mode = WAL", see_journal,
                                         &is_wal, NULL) != SQLITE_OK) {
        return fail(db, "begin a write-ahead log", err);
    }
    if (db->path != NULL && !is_wal) {
        return mpb_error_set(err, MPB_E_IO, db->path, "no write-ahead log on this file system");
    }
    if (sqlite3_exec(db->connection, schema, NULL, NULL, NULL) != SQLITE_OK) {
        return fail(db, "create the table", err);
    }
    return MPB_OK;
}

static enum mpb_status prepare(struct mpb__archive_db *db, struct mpb_error *err)
{
    for (size_t i = 0; i < MPB__ARCHIVE_STATEMENT__COUNT; i++) {
        if (sqlite3_prepare_v3(db->connection, statements[i].sql, -1, SQLITE_PREPARE_PERSISTENT,
                               &db->statement[i], NULL) != SQLITE_OK) {
            return fail(db, statements[i].purpose, err);
        }
    }
    return MPB_OK;
}

enum mpb_status mpb__archive_db_open(struct mpb__archive_db *db, const char *path,
                                     struct mpb_error *err)
{
    int rc = start_library();
    if (rc != SQLITE_OK) {
        return rc == SQLITE_NOMEM ? mpb_error_set(err, MPB_E_NOMEM, "archive", NULL)
                                  : mpb_error_set(err, MPB_E_UNAVAILABLE, "archive",
                                                  "SQLite does not start: %s", sqlite3_errstr(rc));
    }
    *db = (struct mpb__archive_db){.path = path};
    enum mpb_status st = path != NULL ? create_file(db, err) : MPB_OK;
    if (st == MPB_OK) {
        st = connect(db, err);
    }
    return st == MPB_OK ? prepare(db, err) : st;
}

/* Close without copying the log into a file that goes anyway. */
void mpb__archive_db_close(struct mpb__archive_db *db)
{
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    char name[PATH_MAX];
    for (size_t i = 0; i < MPB__ARCHIVE_STATEMENT__COUNT; i++) {
        sqlite3_finalize(db->statement[i]);
    }
    if (db->connection != NULL) {
        sqlite3_db_config(db->connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)NULL);
        sqlite3_close(db->connection);
    }
    for (size_t i = 0; i < MPB_ARRAY_LEN(suffixes) && db->owns_file; i++) {
        if (name_file(db->path, suffixes[i], name)) {
            unlink(name);
        }
    }
    *db = (struct mpb__archive_db){.connection = NULL};
}

const char *mpb__archive_db_version(void)
{
    return sqlite3_libversion();
}
