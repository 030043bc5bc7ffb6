/* test_archive_sqlite.c: what is the database's own: its table, its file, and what it does when the
 * disk, the file or the memory fails it. */
#include "core/archive.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/archive_db.h"
#include "core/tests/failing_heap.h"
#include "core/tests/file_limit.h"
#include "core/tests/path_fixture.h"

enum { PATH_LEN = 256 };

/* A folder of its own for each test; that it can be removed says that nothing is left in it. */
static int make_folder(void **state)
{
    static char folder[PATH_LEN];
    snprintf(folder, sizeof(folder), "/tmp/mpb-test-XXXXXX");
    *state = folder;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    return rmdir(*state);
}

static const char *file_in(const char *folder, const char *name)
{
    static char path[2 * PATH_LEN];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static enum mpb_status make(const char *db, size_t capacity, struct mpb_archive **out,
                            struct mpb_error *err)
{
    struct mpb_archive_cfg cfg = {MPB_ARCHIVE_ROWS, capacity, FIXTURE_PUBSUB_TOPIC, db};
    return mpb_archive_new(&cfg, out, err);
}

static struct mpb_archive *made(const char *db, size_t capacity)
{
    struct mpb_archive *archive = NULL;
    struct mpb_error err = {.status = MPB_OK};
    if (make(db, capacity, &archive, &err) != MPB_OK) {
        fail_msg("%s: %s", err.where, err.text);
    }
    return archive;
}

static enum mpb_status put(struct mpb_archive *archive, const struct mpb_msg *msg,
                           enum mpb_refusal *refusal, struct mpb_error *err)
{
    struct mpb_key key = fixture_key(msg);
    struct mpb_archive_item item = {.key = &key, .msg = msg};
    enum mpb_status st = mpb_archive_admit(archive, &key, refusal, err);
    return st == MPB_OK && *refusal == MPB_REFUSAL__COUNT
               ? mpb_archive_put(archive, &item, refusal, err)
               : st;
}

static void put_well(struct mpb_archive *archive, const struct mpb_msg *msg)
{
    enum mpb_refusal refusal = MPB_REFUSAL_EPHEMERAL;
    struct mpb_error err = {.status = MPB_OK};
    if (put(archive, msg, &refusal, &err) != MPB_OK) {
        fail_msg("%s: %s", err.where, err.text);
    }
    assert_int_equal(refusal, MPB_REFUSAL__COUNT);
}

/* Messages first..first + n - 1 of the fixture, in order. */
struct expected {
    size_t next, payload_len;
};

static enum mpb_status see(void *ctx, const struct mpb_key *key, const struct mpb_msg *msg)
{
    struct expected *e = ctx;
    struct mpb_msg want = fixture_msg(e->next++, e->payload_len);
    struct mpb_key want_key = fixture_key(&want);
    want.proof.len = 0;
    assert_true(fixture_is_same_key(key, &want_key));
    assert_true(mpb_msg_is_equal(msg, &want));
    return MPB_OK;
}

static void assert_holds(const struct mpb_archive *archive, size_t first, size_t n,
                         size_t payload_len)
{
    struct expected e = {first, payload_len};
    assert_int_equal(mpb_archive_each(archive, see, &e, NULL), MPB_OK);
    assert_int_equal(e.next, first + n);
    assert_int_equal(mpb_archive_len(archive), n);
}

/* All it keeps comes back; proof and ephemeral do not. Empty values, NULs and extremes included. */
static const struct mpb_msg odd[] = {
    {.payload = {(const uint8_t *)"\0\x01\0", 3},
     .content_topic = {(const uint8_t *)"a\0b\xff", 4},
     .meta = {(const uint8_t *)"\0", 1},
     .timestamp_ns = INT64_MIN,
     .version = UINT32_MAX},
    {.timestamp_ns = -1},
    {.content_topic = {(const uint8_t *)"/", 1}, .timestamp_ns = 0},
    {.payload = {(const uint8_t *)"x", 1},
     .proof = {(const uint8_t *)"proof", 5},
     .timestamp_ns = INT64_MAX,
     .version = 1,
     .ephemeral = true},
};

static enum mpb_status see_odd(void *ctx, const struct mpb_key *key, const struct mpb_msg *msg)
{
    size_t *at = ctx;
    struct mpb_msg want = odd[(*at)++];
    want.proof.len = 0;
    want.ephemeral = false;
    assert_int_equal(key->time_ns, want.timestamp_ns);
    assert_true(mpb_msg_is_equal(msg, &want));
    return MPB_OK;
}

static void test_what_it_keeps(void **state)
{
    (void)state;
    struct mpb_archive *archive = made(MPB_ARCHIVE_DB_MEMORY, 9);
    size_t at = 0;
    for (size_t i = MPB_ARRAY_LEN(odd); i-- > 0;) {
        put_well(archive, &odd[i]);
    }
    assert_int_equal(mpb_archive_bytes(archive), 3 + 4 + 1 + 0 + 1 + 1);
    assert_int_equal(mpb_archive_each(archive, see_odd, &at, NULL), MPB_OK);
    assert_int_equal(at, MPB_ARRAY_LEN(odd));
    mpb_archive_free(archive);
}

/* A first message costs its record and its pages: what is bound is not copied before. */
static void test_binds_without_copy(void **state)
{
    (void)state;
    const uint64_t payload_len = 200000;
    struct mpb_archive *archive = made(MPB_ARCHIVE_DB_MEMORY, 9);
    struct mpb_msg msg = fixture_msg(0, payload_len);
    mpb_probe_reset();
    put_well(archive, &msg);
    uint64_t n_bytes = fixture_total(MPB_METRIC_REQUESTED_BYTES);
    assert_true(n_bytes > 2 * payload_len && n_bytes < 2 * payload_len + payload_len / 2);
    mpb_archive_free(archive);
}

/* The primary key is the hash: at another time it is a duplicate all the same, and evicts nothing.
 */
static void test_hash_is_the_key(void **state)
{
    (void)state;
    struct mpb_archive *archive = made(MPB_ARCHIVE_DB_MEMORY, 2);
    struct mpb_msg first = fixture_msg(0, 50), second = fixture_msg(1, 50);
    struct mpb_key key = fixture_key(&second);
    struct mpb_archive_item item = {.key = &key, .msg = &second};
    put_well(archive, &first);
    put_well(archive, &second);
    for (int64_t later = 0; later < 3; later++) {
        enum mpb_refusal refusal = MPB_REFUSAL__COUNT;
        key.time_ns += later;
        assert_int_equal(mpb_archive_admit(archive, &key, &refusal, NULL), MPB_OK);
        assert_int_equal(refusal, MPB_REFUSAL__COUNT);
        assert_int_equal(mpb_archive_put(archive, &item, &refusal, NULL), MPB_OK);
        assert_int_equal(refusal, MPB_REFUSAL_DUPLICATE);
        assert_holds(archive, 0, 2, 50);
    }
    mpb_archive_free(archive);
}

/* One value of a second connection to the same file. */
static void assert_says(const char *path, const char *sql, const char *value)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *s = NULL;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(s, 0), value);
    sqlite3_finalize(s);
    sqlite3_close(db);
}

/* Committed message by message, in the table that nodes have. */
static void test_file_holds_the_table(void **state)
{
    const char *path = file_in(*state, "a.db");
    struct mpb_archive *archive = made(path, 9);
    struct mpb_msg msg = fixture_msg(0, 50);
    put_well(archive, &msg);
    assert_says(path, "PRAGMA journal_mode", "wal");
    assert_says(path,
                "SELECT group_concat(name || ' ' || type || ' ' || pk) FROM"
                " pragma_table_info('Message')",
                "messageHash BLOB 1,pubsubTopic BLOB 0,contentTopic BLOB 0,payload BLOB 0,"
                "version INTEGER 0,timestamp INTEGER 0,meta BLOB 0");
    assert_says(path, "SELECT sql LIKE '%WITHOUT ROWID' FROM sqlite_master WHERE name = 'Message'",
                "1");
    assert_says(path, "SELECT sql FROM sqlite_master WHERE name = 'i_ts'",
                "CREATE INDEX i_ts ON Message (timestamp)");
    assert_says(path, "SELECT CAST(pubsubTopic AS TEXT) FROM Message", "/waku/2/rs/0/0");
    assert_says(path, "SELECT length(messageHash) || ' ' || length(payload) FROM Message", "32 50");
    msg = fixture_msg(1, 50);
    put_well(archive, &msg);
    assert_says(path, "SELECT count(*) FROM Message", "2");
    mpb_archive_free(archive); /* remove_folder() sees that the file went */
}

static void assert_refused(const char *path, enum mpb_status expected, const char *words)
{
    struct mpb_archive *archive = NULL;
    struct mpb_error err = {.status = MPB_OK};
    int64_t live = fixture_live_bytes();
    assert_int_equal(make(path, 9, &archive, &err), expected);
    assert_null(archive);
    assert_int_equal(err.status, expected);
    assert_memory_equal(err.where, path, strlen(path) < 100 ? strlen(path) : 100);
    assert_string_equal(err.text, words);
    assert_int_equal(fixture_live_bytes(), live);
}

/* A file that is there is not touched. */
static void test_file_must_be_new(void **state)
{
    const char *path = file_in(*state, "a.db");
    char text[16] = "";
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("mine", f);
    fclose(f);
    assert_refused(path, MPB_E_EXISTS, "already exists");
    f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fread(text, 1, sizeof(text), f), 4);
    assert_string_equal(text, "mine");
    fclose(f);
    assert_int_equal(unlink(path), 0);

    struct mpb_archive *archive = made(path, 9);
    assert_refused(path, MPB_E_EXISTS, "already exists"); /* that of a living archive too */
    mpb_archive_free(archive);
    mpb_archive_free(made(path, 9)); /* it went: there may be another */
}

static void test_file_cannot_be_created(void **state)
{
    const char *folder = *state;
    char *path = calloc(1, 5001);
    assert_refused(folder, MPB_E_EXISTS, "already exists"); /* a folder is no new file either */
    assert_refused(file_in(folder, "no/a.db"), MPB_E_INPUT,
                   "cannot create the file: No such file or directory");
    memset(path, 'x', 5000);
    assert_refused(path, MPB_E_INPUT, "cannot create the file: File name too long");
    free(path);
}

/* Names that SQLite would read as something else than a file here. */
static void test_file_names(void **state)
{
    static const char *const names[] = {"file:b?mode=memory", "file::memory:", "a b.db", "-x",
                                        "\xc3\xa9%41?#"};
    char *home = getcwd(NULL, 0);
    assert_int_equal(chdir(*state), 0);
    for (size_t i = 0; i < MPB_ARRAY_LEN(names); i++) {
        struct mpb_archive *archive = made(names[i], 9);
        assert_int_equal(access(names[i], F_OK), 0);
        mpb_archive_free(archive);
        assert_int_equal(access(names[i], F_OK), -1);
    }
    assert_int_equal(chdir(home), 0);
    free(home);
}

/* The disk fills while a message is put: an error in SQLite's words; the archive is as before, full
 * or not, and takes messages again when there is room. */
static void fill_disk(const char *path, size_t capacity)
{
    enum { PAYLOAD_LEN = 100000 };
    struct mpb_archive *archive = made(path, capacity);
    struct mpb_error err = {.status = MPB_OK};
    enum mpb_refusal refusal = MPB_REFUSAL_EPHEMERAL;
    struct mpb_msg msg;
    for (size_t i = 0; i < 3; i++) {
        msg = fixture_msg(i, PAYLOAD_LEN);
        put_well(archive, &msg);
    }
    uint64_t n_bytes = mpb_archive_bytes(archive);
    msg = fixture_msg(3, PAYLOAD_LEN);
    file_limit_set(450000);
    enum mpb_status status = put(archive, &msg, &refusal, &err);
    file_limit_lift();
    assert_int_equal(status, MPB_E_IO);
    assert_int_equal(err.status, MPB_E_IO);
    assert_string_equal(err.where, path);
    assert_non_null(strstr(err.text, "SQLite cannot "));
    assert_non_null(strstr(err.text, ": disk I/O error"));
    assert_holds(archive, 0, 3, PAYLOAD_LEN);
    assert_int_equal(mpb_archive_bytes(archive), n_bytes);
    put_well(archive, &msg);
    assert_holds(archive, capacity == 3 ? 1 : 0, capacity == 3 ? 3 : 4, PAYLOAD_LEN);
    mpb_archive_free(archive);
}

static void test_disk_full(void **state)
{
    fill_disk(file_in(*state, "a.db"), 9);
    fill_disk(file_in(*state, "a.db"), 3);
}

static void spoil(const char *path)
{
    static uint8_t rubbish[1 << 16];
    int fd = open(path, O_RDWR);
    off_t len = lseek(fd, 0, SEEK_END);
    memset(rubbish, 0x55, sizeof(rubbish));
    assert_true(fd >= 0 && len > 1 << 20); /* the log has been copied into the file */
    for (off_t at = 4096; at < len; at += (off_t)sizeof(rubbish)) {
        assert_int_equal(pwrite(fd, rubbish, sizeof(rubbish), at), (ssize_t)sizeof(rubbish));
    }
    close(fd);
}

static enum mpb_status see_any(void *ctx, const struct mpb_key *key, const struct mpb_msg *msg)
{
    (void)ctx, (void)key, (void)msg;
    return MPB_OK;
}

/* A file that somebody overwrites is an error, not another message. */
static void test_damaged_file(void **state)
{
    const char *path = file_in(*state, "a.db");
    struct mpb_archive *archive = made(path, 99);
    struct mpb_error err = {.status = MPB_OK};
    enum mpb_refusal refusal = MPB_REFUSAL_EPHEMERAL;
    struct mpb_msg msg;
    for (size_t i = 0; i < 80; i++) {
        msg = fixture_msg(i, 100000);
        put_well(archive, &msg);
    }
    spoil(path);
    assert_int_equal(mpb_archive_each(archive, see_any, NULL, &err), MPB_E_IO);
    assert_string_equal(err.text, "SQLite cannot read: database disk image is malformed");
    for (size_t i = 0; i < 20 && err.text[14] == 'r'; i++) {
        msg = fixture_msg(100 + i, 100000);
        put(archive, &msg, &refusal, &err);
    }
    assert_string_equal(err.text, "SQLite cannot insert: database disk image is malformed");
    mpb_archive_free(archive);
}

/* Make it, fill it, put one more, read it: each with its k-th allocation failing, for all k. */
enum stage { MAKING, PUTTING, EVICTING, READING, N_STAGES };

static enum mpb_status fail_once(enum stage stage, size_t fail_at, bool *fired)
{
    struct mpb_archive *archive = NULL;
    enum mpb_refusal refusal = MPB_REFUSAL_EPHEMERAL;
    struct mpb_msg msg[3] = {fixture_msg(0, 9000), fixture_msg(1, 9000), fixture_msg(2, 9000)};
    struct mpb_key key = fixture_key(&msg[2]);
    struct mpb_archive_item item = {.key = &key, .msg = &msg[2]};
    failing_heap_at(stage == MAKING ? fail_at : 0);
    enum mpb_status st = make(MPB_ARCHIVE_DB_MEMORY, stage == EVICTING ? 2 : 3, &archive, NULL);
    if (stage == MAKING) {
        *fired = failing_heap_end();
        mpb_archive_free(archive);
        return st;
    }
    put_well(archive, &msg[0]);
    put_well(archive, &msg[1]);
    failing_heap_at(fail_at);
    if (stage == READING) {
        st = mpb_archive_each(archive, see_any, NULL, NULL);
    } else {
        st = mpb_archive_admit(archive, &key, &refusal, NULL);
        st = st == MPB_OK ? mpb_archive_put(archive, &item, &refusal, NULL) : st;
    }
    *fired = failing_heap_end();
    bool is_put = stage != READING && st == MPB_OK;
    assert_holds(archive, is_put && stage == EVICTING ? 1 : 0, is_put && stage == PUTTING ? 3 : 2,
                 9000);
    mpb_archive_free(archive);
    return st;
}

static void test_failing_allocations(void **state)
{
    (void)state;
    for (enum stage stage = MAKING; stage < N_STAGES; stage++) {
        size_t n_failed = 0;
        bool fired = true;
        for (size_t k = 1; fired; k++) {
            int64_t live = fixture_live_bytes();
            enum mpb_status st = fail_once(stage, k, &fired);
            assert_true(st == MPB_OK || (fired && st == MPB_E_NOMEM));
            n_failed += st == MPB_OK ? 0 : 1;
            assert_int_equal(fixture_live_bytes(), live);
        }
        assert_true(n_failed >= 3);
    }
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_it_keeps),
        cmocka_unit_test(test_binds_without_copy),
        cmocka_unit_test(test_hash_is_the_key),
        IN_FOLDER(test_file_holds_the_table),
        IN_FOLDER(test_file_must_be_new),
        IN_FOLDER(test_file_cannot_be_created),
        IN_FOLDER(test_file_names),
        IN_FOLDER(test_disk_full),
        IN_FOLDER(test_damaged_file),
        cmocka_unit_test(test_failing_allocations),
    };
    fixture_wake_libcrypto();
    fixture_wake_sqlite();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
