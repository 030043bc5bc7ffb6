/* archive_sqlite.c: the archive as a table, with the schema that nwaku nodes have: one plain INSERT
 * a message, whose primary key refuses duplicates. A file has a write-ahead log, committed (and
 * synced) message by message. */
#include <string.h>

#include "core/archive_db.h"
#include "core/archive_priv.h"
#include "instrument/heap.h"

struct table {
    struct mpb_archive base;
    struct mpb__archive_db db;
    struct mpb_bytes pubsub_topic;
    size_t len;
    uint64_t n_bytes;
    struct { /* as the last admission to a full archive found it */
        struct mpb_key key;
        uint64_t n_bytes;
    } oldest;
};

/* Not copied: what is bound outlives the step. An empty value is no NULL. */
static bool bind_bytes(sqlite3_stmt *s, int at, struct mpb_bytes bytes)
{
    const void *data = bytes.len > 0 ? (const void *)bytes.data : "";
    return sqlite3_bind_blob64(s, at, data, bytes.len, SQLITE_STATIC) == SQLITE_OK;
}

static bool bind_integer(sqlite3_stmt *s, int at, int64_t value)
{
    return sqlite3_bind_int64(s, at, value) == SQLITE_OK;
}

static struct mpb_bytes hash_of(const struct mpb_key *key)
{
    return (struct mpb_bytes){key->hash, sizeof(key->hash)};
}

static struct mpb_bytes column_bytes(sqlite3_stmt *s, int at)
{
    const uint8_t *data = sqlite3_column_blob(s, at); /* before its length is asked for */
    return (struct mpb_bytes){data, (size_t)sqlite3_column_bytes(s, at)};
}

/* The key of a row that begins with it. */
static enum mpb_status read_key(const struct table *t, sqlite3_stmt *s, struct mpb_key *out,
                                struct mpb_error *err)
{
    struct mpb_bytes hash = column_bytes(s, 1);
    if (hash.len != sizeof(out->hash)) {
        return hash.data == NULL && sqlite3_errcode(t->db.connection) == SQLITE_NOMEM
                   ? mpb__archive_db_fail(&t->db, MPB__ARCHIVE_PAGE, err)
                   : mpb_error_set(err, MPB_E_IO, "archive", "a row has a key of %zu bytes",
                                   hash.len);
    }
    out->time_ns = sqlite3_column_int64(s, 0);
    memcpy(out->hash, hash.data, hash.len);
    return MPB_OK;
}

static enum mpb_status read_oldest(struct table *t, struct mpb_error *err)
{
    sqlite3_stmt *s = t->db.statement[MPB__ARCHIVE_OLDEST];
    enum mpb_status st = MPB_OK;
    if (sqlite3_step(s) == SQLITE_ROW) {
        st = read_key(t, s, &t->oldest.key, err);
        t->oldest.n_bytes = (uint64_t)sqlite3_column_int64(s, 2);
    } else {
        st = mpb__archive_db_fail(&t->db, MPB__ARCHIVE_OLDEST, err);
    }
    sqlite3_reset(s);
    return st;
}

static enum mpb_status admit(struct mpb_archive *archive, const struct mpb_key *key,
                             enum mpb_refusal *refusal, struct mpb_error *err)
{
    struct table *t = (struct table *)archive;
    bool is_full = t->len == archive->capacity;
    enum mpb_status st = is_full ? read_oldest(t, err) : MPB_OK;
    if (st == MPB_OK) {
        bool is_older = is_full && mpb_timeline_compare(key, &t->oldest.key) < 0;
        *refusal = is_older ? MPB_REFUSAL_TOO_OLD : MPB_REFUSAL__COUNT;
    }
    return st;
}

static bool bind_item(const struct table *t, const struct mpb_archive_item *item)
{
    sqlite3_stmt *s = t->db.statement[MPB__ARCHIVE_INSERT];
    const struct mpb_msg *msg = item->msg;
    return bind_bytes(s, 1, hash_of(item->key)) && bind_bytes(s, 2, t->pubsub_topic) &&
           bind_bytes(s, 3, msg->content_topic) && bind_bytes(s, 4, msg->payload) &&
           bind_integer(s, 5, msg->version) && bind_integer(s, 6, item->key->time_ns) &&
           bind_bytes(s, 7, msg->meta);
}

static enum mpb_status insert(const struct table *t, const struct mpb_archive_item *item,
                              enum mpb_refusal *refusal, struct mpb_error *err)
{
    sqlite3_stmt *s = t->db.statement[MPB__ARCHIVE_INSERT];
    bool is_done = bind_item(t, item) && sqlite3_step(s) == SQLITE_DONE;
    bool is_duplicate =
        !is_done && sqlite3_extended_errcode(t->db.connection) == SQLITE_CONSTRAINT_PRIMARYKEY;
    enum mpb_status st =
        is_done || is_duplicate ? MPB_OK : mpb__archive_db_fail(&t->db, MPB__ARCHIVE_INSERT, err);
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    *refusal = is_duplicate ? MPB_REFUSAL_DUPLICATE : MPB_REFUSAL__COUNT;
    return st;
}

static enum mpb_status evict(const struct table *t, struct mpb_error *err)
{
    sqlite3_stmt *s = t->db.statement[MPB__ARCHIVE_EVICT];
    if (!bind_bytes(s, 1, hash_of(&t->oldest.key))) {
        return mpb__archive_db_fail(&t->db, MPB__ARCHIVE_EVICT, err);
    }
    enum mpb_status st = mpb__archive_db_run(&t->db, MPB__ARCHIVE_EVICT, err);
    sqlite3_clear_bindings(s);
    return st;
}

static enum mpb_status put(struct mpb_archive *archive, const struct mpb_archive_item *item,
                           enum mpb_refusal *refusal, struct mpb_error *err)
{
    struct table *t = (struct table *)archive;
    bool is_full = t->len == archive->capacity;
    enum mpb_refusal found = MPB_REFUSAL__COUNT;
    enum mpb_status st = is_full ? mpb__archive_db_run(&t->db, MPB__ARCHIVE_BEGIN, err) : MPB_OK;
    if (st == MPB_OK) {
        st = insert(t, item, &found, err);
    }
    bool is_stored = st == MPB_OK && found == MPB_REFUSAL__COUNT;
    if (is_stored && is_full) {
        st = evict(t, err);
        st = st == MPB_OK ? mpb__archive_db_run(&t->db, MPB__ARCHIVE_COMMIT, err) : st;
        is_stored = st == MPB_OK;
    }
    if (!is_stored) {
        mpb__archive_db_roll_back(&t->db);
    } else {
        t->len += is_full ? 0 : 1;
        t->n_bytes -= is_full ? t->oldest.n_bytes : 0;
        t->n_bytes += item->msg->payload.len + item->msg->content_topic.len + item->msg->meta.len;
    }
    if (st == MPB_OK) {
        *refusal = found;
    }
    return st;
}

static size_t len(const struct mpb_archive *archive)
{
    return ((const struct table *)archive)->len;
}

static uint64_t bytes(const struct mpb_archive *archive)
{
    return ((const struct table *)archive)->n_bytes;
}

static enum mpb_status see_row(const struct table *t, mpb_archive_fn fn, void *ctx,
                               struct mpb_error *err)
{
    sqlite3_stmt *s = t->db.statement[MPB__ARCHIVE_PAGE];
    struct mpb_key key;
    enum mpb_status st = read_key(t, s, &key, err);
    if (st != MPB_OK) {
        return st;
    }
    struct mpb_msg msg = {.payload = column_bytes(s, 2),
                          .content_topic = column_bytes(s, 3),
                          .meta = column_bytes(s, 5),
                          .timestamp_ns = key.time_ns,
                          .version = (uint32_t)sqlite3_column_int64(s, 4)};
    return sqlite3_errcode(t->db.connection) == SQLITE_NOMEM
               ? mpb__archive_db_fail(&t->db, MPB__ARCHIVE_PAGE, err)
               : fn(ctx, &key, &msg);
}

/* Without a cursor, after the empty hash, which is before any other. */
static enum mpb_status find(const struct mpb_archive *archive,
                            const struct mpb_archive_query *query, mpb_archive_fn fn, void *ctx,
                            struct mpb_error *err)
{
    const struct table *t = (const struct table *)archive;
    sqlite3_stmt *s = t->db.statement[MPB__ARCHIVE_PAGE];
    const struct mpb_key *cursor = query->cursor;
    bool is_after = cursor != NULL && cursor->time_ns >= query->from_ns;
    int64_t limit = query->limit < INT64_MAX ? (int64_t)query->limit : INT64_MAX;
    enum mpb_status st = MPB_OK;
    if (!bind_integer(s, 1, is_after ? cursor->time_ns : query->from_ns) ||
        !bind_bytes(s, 2, is_after ? hash_of(cursor) : (struct mpb_bytes){NULL, 0}) ||
        !bind_integer(s, 3, query->to_ns) || !bind_integer(s, 4, limit)) {
        return mpb__archive_db_fail(&t->db, MPB__ARCHIVE_PAGE, err);
    }
    int rc = SQLITE_ROW;
    while (st == MPB_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
        st = see_row(t, fn, ctx, err);
    }
    if (st == MPB_OK && rc != SQLITE_DONE) {
        st = mpb__archive_db_fail(&t->db, MPB__ARCHIVE_PAGE, err);
    }
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return st;
}

static void free_all(struct mpb_archive *archive)
{
    struct table *t = (struct table *)archive;
    mpb__archive_db_close(&t->db);
    mpb_heap_free(t);
}

static const struct mpb__archive_ops ops = {free_all, admit, put, len, bytes, find, NULL, NULL};

enum mpb_status mpb__archive_sqlite_new(const struct mpb_archive_cfg *cfg, struct mpb_archive **out,
                                        struct mpb_error *err)
{
    bool is_file = strcmp(cfg->db, MPB_ARCHIVE_DB_MEMORY) != 0;
    struct table *t = mpb_heap_alloc(sizeof(*t));
    if (t == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "archive", NULL);
    }
    *t = (struct table){.base = {&ops, cfg->keeps, cfg->capacity},
                        .pubsub_topic = cfg->pubsub_topic};
    enum mpb_status st = mpb__archive_db_open(&t->db, is_file ? cfg->db : NULL, err);
    if (st != MPB_OK) {
        free_all(&t->base);
        return st;
    }
    *out = &t->base;
    return MPB_OK;
}
