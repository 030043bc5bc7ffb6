/* test_ledger.c: a true session verifies; each kind of planted fault makes verification fail and
 * is named. The node's insides are written to here, as no caller could. */
#include "workloads/ledger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/archive_db.h"
#include "core/node_priv.h"

enum { N_WARMUP = 2, N_MESSAGES = 5, N_RUNS = 2, TOTAL = N_WARMUP + N_MESSAGES * N_RUNS };
enum { CAPACITY = 6, N_PEERS = 3, VICTIM = 9 /* of run 2, still archived */ };

enum fault {
    NONE,
    DROPPED,          /* a message never seen */
    SEEN_TWICE,       /* one message seen again */
    WARMUP_DROPPED,   /* the same before run 1 */
    SWAPPED,          /* two messages the other way round */
    WRONG_PREFIX,     /* another message's first byte */
    WRONG_LENGTH,     /* a byte short */
    WRONG_TIME,       /* a nanosecond late */
    WRONG_HASH,       /* a bit of a hash */
    MISSING_HASH,     /* a hash that did not come along */
    MISSING_PUSH,     /* a peer not served */
    SHORT_PUSH,       /* a push a byte short */
    ARCHIVED_BIT,     /* a bit of an archived payload, behind the prefix */
    ARCHIVED_VERSION, /* a field of an archived message */
    ARCHIVED_KEY,     /* a bit of an archived hash */
    ARCHIVED_TIME,    /* the time of an archived key */
    ARCHIVE_SHORT,    /* fewer archived than claimed */
    MISSING_SYNC_KEY, /* a key fewer */
    WRONG_SYNC_KEY,   /* another key */
    NOT_DELIVERED,    /* a count that does not close */
    NOT_ARCHIVED,
};

struct session {
    enum fault fault;
    const char *db, *sql; /* archive in this file, and spoil it so; NULL: archive in memory */
    struct mpb_workload *workload;
    struct mpb_node *node;
    struct mpb_ledger run[N_RUNS + 1], *current;
    size_t next;
    struct mpb_msg held; /* SWAPPED: seen later */
    uint8_t held_prefix[8], held_hash[MPB_MSG_HASH_LEN];
};

static void see_swapped(struct session *s, const struct mpb_delivery *delivery)
{
    if (s->next == VICTIM) { /* by now its bytes would be gone: keep what is folded */
        s->held = *delivery->msg;
        memcpy(s->held_prefix, delivery->msg->payload.data, sizeof(s->held_prefix));
        memcpy(s->held_hash, delivery->hash, sizeof(s->held_hash));
        s->held.payload.data = s->held_prefix;
        return;
    }
    mpb_ledger_see(s->current, delivery->msg, delivery->hash);
    if (s->next == VICTIM + 1) {
        mpb_ledger_see(s->current, &s->held, s->held_hash);
    }
}

static void see_altered(struct session *s, const struct mpb_delivery *delivery)
{
    struct mpb_msg msg = *delivery->msg;
    uint8_t prefix[8], hash[MPB_MSG_HASH_LEN];
    memcpy(prefix, msg.payload.data, sizeof(prefix));
    memcpy(hash, delivery->hash, sizeof(hash));
    prefix[0] ^= s->fault == WRONG_PREFIX ? 1 : 0;
    hash[3] ^= s->fault == WRONG_HASH ? 1 : 0;
    msg.payload.data = prefix;
    msg.payload.len -= s->fault == WRONG_LENGTH ? 1 : 0;
    msg.timestamp_ns += s->fault == WRONG_TIME ? 1 : 0;
    mpb_ledger_see(s->current, &msg, s->fault == MISSING_HASH ? NULL : hash);
    if (s->fault == SEEN_TWICE) {
        mpb_ledger_see(s->current, delivery->msg, delivery->hash);
    }
}

static void app(void *ctx, const struct mpb_delivery *delivery)
{
    struct session *s = ctx;
    bool is_victim = s->next == (s->fault == WARMUP_DROPPED ? 1 : VICTIM);
    if (s->fault == SWAPPED) {
        see_swapped(s, delivery);
    } else if (is_victim && (s->fault == DROPPED || s->fault == WARMUP_DROPPED)) {
        return;
    } else if (is_victim && delivery->hash != NULL) {
        see_altered(s, delivery);
    } else {
        mpb_ledger_see(s->current, delivery->msg, delivery->hash);
    }
}

static void push(void *ctx, uint32_t peer, const struct mpb_parts *given)
{
    const struct mpb_bytes parts[] = {given->head, given->data, given->tail};
    const size_t n_parts = MPB_ARRAY_LEN(parts);
    struct session *s = ctx;
    bool is_victim = s->next == VICTIM && peer == 1;
    if (is_victim && s->fault == MISSING_PUSH) {
        return;
    }
    s->current->n_pushes++;
    for (size_t i = 0; i < n_parts; i++) {
        s->current->pushed_bytes += parts[i].len;
    }
    s->current->pushed_bytes -= is_victim && s->fault == SHORT_PUSH ? 1 : 0;
}

static void set_up(struct session *s, const char *variant)
{
    struct mpb_mix mix;
    assert_int_equal(mpb_mix_parse("100:1,300-400:2,8:1", "--mix", &mix, NULL), MPB_OK);
    struct mpb_workload_cfg workload_cfg = {42, &mix, N_WARMUP, N_MESSAGES, N_RUNS, 0};
    assert_int_equal(mpb_workload_new(&workload_cfg, &s->workload, NULL), MPB_OK);
    struct mpb_filter *filter = mpb_filter_new();
    for (uint32_t peer = 0; peer < N_PEERS; peer++) {
        assert_int_equal(mpb_filter_subscribe(filter, peer, MPB_BYTES_OF(MPB_WORKLOAD_PUBSUB_TOPIC),
                                              MPB_BYTES_OF(MPB_WORKLOAD_CONTENT_TOPIC)),
                         MPB_OK);
    }
    struct mpb_node_cfg cfg = {
        .variant = mpb_variant_find(variant),
        .pubsub_topic = MPB_BYTES_OF(MPB_WORKLOAD_PUBSUB_TOPIC),
        .archive_capacity = s->fault == ARCHIVE_SHORT ? CAPACITY - 1 : CAPACITY,
        .archive_db = s->db,
        .filter = filter,
        .app = app,
        .app_ctx = s,
        .push = push,
        .push_ctx = s,
    };
    assert_int_equal(mpb_node_new(&cfg, &s->node, NULL), MPB_OK);
}

static void receive_all(struct session *s)
{
    for (s->next = 0; s->next < TOTAL; s->next++) {
        size_t run = s->next < N_WARMUP ? 0 : 1 + (s->next - N_WARMUP) / N_MESSAGES;
        struct mpb_buffer *buffer = mpb_buffer_new(mpb_workload_encoded_len(s->workload, s->next));
        s->current = &s->run[run];
        mpb_workload_encode(s->workload, s->next, buffer->data);
        assert_int_equal(
            mpb_node_receive(s->node, buffer, mpb_workload_timestamp_ns(s->workload, s->next)),
            MPB_OK);
    }
}

/* The archive hands out read-only views of what it owns. */
static void *writable(const void *ptr)
{
    union {
        const void *read_only;
        void *writable;
    } both = {ptr};
    return both.writable;
}

static void tamper(struct session *s)
{
    size_t at = VICTIM - (TOTAL - CAPACITY);
    const struct mpb_archive *archive = s->node->archive;
    struct mpb_key *key = writable(mpb_archive_key(archive, s->fault == ARCHIVE_SHORT ? 0 : at));
    struct mpb_msg *msg = writable(mpb_archive_msg(archive, s->fault == ARCHIVE_SHORT ? 0 : at));
    uint8_t *payload = writable(msg->payload.data);
    struct mpb_key *sync = writable(mpb_timeline_key(&s->node->sync_index.timeline, 4));
    payload[msg->payload.len - 1] ^= s->fault == ARCHIVED_BIT ? 0x10 : 0;
    msg->version += s->fault == ARCHIVED_VERSION ? 1 : 0;
    key->hash[31] ^= s->fault == ARCHIVED_KEY ? 1 : 0;
    key->time_ns += s->fault == ARCHIVED_TIME ? 1 : 0;
    s->node->sync_index.timeline.len -= s->fault == MISSING_SYNC_KEY ? 1 : 0;
    sync->hash[0] ^= s->fault == WRONG_SYNC_KEY ? 1 : 0;
    s->node->stats.delivered -= s->fault == NOT_DELIVERED ? 1 : 0;
    s->node->stats.archived -= s->fault == NOT_ARCHIVED ? 1 : 0;
}

/* The victim's row, through a connection of our own. */
static void tamper_row(const struct session *s)
{
    sqlite3 *db = NULL;
    char sql[512];
    snprintf(sql, sizeof(sql), "%s WHERE timestamp = %lld", s->sql,
             (long long)mpb_workload_timestamp_ns(s->workload, VICTIM));
    assert_int_equal(sqlite3_open_v2(s->db, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_changes(db), 1);
    sqlite3_close(db);
}

static enum mpb_status verify_session(struct session *s, const char *variant, struct mpb_error *err)
{
    set_up(s, variant);
    receive_all(s);
    if (s->db == NULL) {
        tamper(s);
    } else if (s->sql != NULL) {
        tamper_row(s);
    }
    struct mpb_ledger_claim claim = {
        .workload = s->workload,
        .node = s->node,
        .run = s->run,
        .n_warmup = N_WARMUP,
        .n_messages = N_MESSAGES,
        .n_runs = N_RUNS,
        .archive_capacity = CAPACITY,
        .n_filter_peers = N_PEERS,
    };
    enum mpb_status status = mpb_ledger_verify(&claim, err);
    mpb_node_free(s->node);
    mpb_workload_free(s->workload);
    return status;
}

static enum mpb_status verify(const char *variant, enum fault fault, struct mpb_error *err)
{
    struct session s = {.fault = fault};
    return verify_session(&s, variant, err);
}

static void test_true_sessions_verify(void **state)
{
    (void)state;
    size_t n = 0;
    const struct mpb_variant *all = mpb_variant_all(&n);
    for (size_t i = 0; i < n; i++) {
        struct mpb_error err = {.status = MPB_OK};
        if (verify(all[i].name, NONE, &err) != MPB_OK) {
            fail_msg("%s: %s", all[i].name, err.text);
        }
        struct session in_db = {.db = MPB_ARCHIVE_DB_MEMORY};
        if (verify_session(&in_db, all[i].name, &err) != MPB_OK) {
            fail_msg("%s, SQLite: %s", all[i].name, err.text);
        }
    }
}

static const struct {
    enum fault fault;
    const char *words;
} planted[] = {
    {DROPPED, "messages at the application: got 4, expected 5"},
    {SEEN_TWICE, "messages at the application: got 6, expected 5"},
    {WARMUP_DROPPED, "messages at the application: got 1, expected 2"},
    {SWAPPED, "digest of deliveries: got "},
    {WRONG_PREFIX, "digest of deliveries: got "},
    {WRONG_LENGTH, "digest of deliveries: got "},
    {WRONG_TIME, "digest of deliveries: got "},
    {WRONG_HASH, "digest of hashes: got "},
    {MISSING_HASH, "digest of hashes: got "},
    {MISSING_PUSH, "pushes: got 14, expected 15"},
    {SHORT_PUSH, "pushed bytes: got "},
    {ARCHIVED_BIT, "archive: message 9 has other bytes"},
    {ARCHIVED_VERSION, "archive: message 9 has other bytes"},
    {ARCHIVED_KEY, "archive: message 9 has another key"},
    {ARCHIVED_TIME, "archive: message 9 has another key"},
    {ARCHIVE_SHORT, "archive length: got 5, expected 6"},
    {MISSING_SYNC_KEY, "store-sync keys: got 11, expected 12"},
    {WRONG_SYNC_KEY, "store-sync: another fingerprint"},
    {NOT_DELIVERED, "delivered: got 11, expected 12"},
    {NOT_ARCHIVED, "archived: got 11, expected 12"},
};

static void test_planted_faults_are_named(void **state)
{
    (void)state;
    static const char *const variants[] = {"before", "after", "floor"};
    for (size_t i = 0; i < MPB_ARRAY_LEN(planted) * MPB_ARRAY_LEN(variants); i++) {
        const char *variant = variants[i / MPB_ARRAY_LEN(planted)];
        enum fault fault = planted[i % MPB_ARRAY_LEN(planted)].fault;
        const char *words = planted[i % MPB_ARRAY_LEN(planted)].words;
        struct mpb_error err = {.status = MPB_OK};
        bool is_at_app = fault >= SEEN_TWICE && fault <= MISSING_HASH && fault != WARMUP_DROPPED;
        if (is_at_app && strcmp(variant, "before") == 0) {
            continue; /* its application gets no hash to alter */
        }
        if (verify(variant, fault, &err) != MPB_E_VERIFY) {
            fail_msg("%s: fault %d was not seen", variant, fault);
        }
        assert_string_equal(err.where, "verify");
        if (strncmp(err.text, words, strlen(words)) != 0) {
            fail_msg("%s: fault %d is called '%s', not '%s'", variant, fault, err.text, words);
        }
    }
}

static void test_planted_rows_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *words;
    } rows[] = {
        {"UPDATE Message SET payload = CAST(substr(payload, 2) AS BLOB)",
         "archive: message 9 has other bytes"},
        {"UPDATE Message SET payload = CAST(substr(payload, 1, length(payload) - 1) AS BLOB) ||"
         " CASE WHEN substr(payload, -1) = x'00' THEN x'01' ELSE x'00' END",
         "archive: message 9 has other bytes"},
        {"UPDATE Message SET contentTopic = x'2f'", "archive: message 9 has other bytes"},
        {"UPDATE Message SET meta = x'00'", "archive: message 9 has other bytes"},
        {"UPDATE Message SET version = version + 1", "archive: message 9 has other bytes"},
        {"UPDATE Message SET timestamp = timestamp + 1", "archive: message 9 has another key"},
        {"UPDATE Message SET messageHash = zeroblob(32)", "archive: message 9 has another key"},
        {"DELETE FROM Message", "archive: message 9 has another key"},
        {"INSERT INTO Message SELECT zeroblob(32), pubsubTopic, contentTopic, payload, version,"
         " timestamp + 1000000000, meta FROM Message",
         "archived messages: got 7, expected 6"},
    };
    char folder[] = "/tmp/mpb-test-XXXXXX", path[sizeof(folder) + 8];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/a.db", folder);
    for (size_t i = 0; i < MPB_ARRAY_LEN(rows); i++) {
        struct session s = {.db = path, .sql = rows[i].sql};
        struct mpb_error err = {.status = MPB_OK};
        assert_int_equal(verify_session(&s, "before", &err), MPB_E_VERIFY);
        assert_string_equal(err.text, rows[i].words);
    }
    assert_int_equal(rmdir(folder), 0);
}

/* Payloads shorter than the prefix do not read past their end. */
static void test_short_payload(void **state)
{
    (void)state;
    struct mpb_ledger ledger = {0};
    uint8_t *byte = malloc(1);
    *byte = 7;
    struct mpb_msg msg = {.payload = {byte, 1}};
    mpb_ledger_see(&ledger, &msg, NULL);
    assert_int_equal(ledger.n_seen, 1);
    assert_int_equal(ledger.n_hashed, 0);
    assert_int_not_equal(ledger.digest, 0);
    free(byte);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_true_sessions_verify),
        cmocka_unit_test(test_planted_faults_are_named),
        cmocka_unit_test(test_planted_rows_are_named),
        cmocka_unit_test(test_short_payload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
