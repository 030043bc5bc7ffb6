/* ledger.c: folding deliveries, and verifying a whole session of a node against the generator. */
#include "workloads/ledger.h"

#include <string.h>

#include "core/hasher.h"
#include "core/push.h"
#include "core/view.h"
#include "workloads/arena.h"

static uint64_t fold(uint64_t digest, uint64_t word)
{
    digest ^= word;
    digest *= UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ (digest >> 29);
}

void mpb_ledger_see(struct mpb_ledger *ledger, const struct mpb_msg *msg, const uint8_t *hash)
{
    uint64_t prefix = 0;
    size_t n = msg->payload.len < sizeof(prefix) ? msg->payload.len : sizeof(prefix);
    memcpy(&prefix, msg->payload.data, n);
    ledger->digest = fold(ledger->digest, prefix);
    ledger->digest = fold(ledger->digest, msg->payload.len);
    ledger->digest = fold(ledger->digest, (uint64_t)msg->timestamp_ns);
    ledger->n_seen++;
    if (hash != NULL) {
        uint64_t word = 0;
        memcpy(&word, hash, sizeof(word));
        ledger->hash_digest = fold(ledger->hash_digest, word);
        ledger->n_hashed++;
    }
}

/* The generator's side, message by message. */
struct check {
    const struct mpb_ledger_claim *claim;
    struct mpb_hasher *hasher;
    uint8_t *scratch; /* scratch[max encoded len] */
    size_t first_archived, n_archived, next_archived;
    uint8_t (*archived_hash)[MPB_MSG_HASH_LEN]; /* archived_hash[n_archived], computed anew */
    uint8_t sync_xor[MPB_MSG_HASH_LEN];
    struct mpb_ledger expected;
    struct mpb_error *err; /* for see_archived() */
};

static enum mpb_status mismatch(struct mpb_error *err, const char *what, uint64_t got,
                                uint64_t want)
{
    return mpb_error_set(err, MPB_E_VERIFY, "verify", "%s: got %llu, expected %llu", what,
                         (unsigned long long)got, (unsigned long long)want);
}

/* Messages that reached the node, and the workload's number of the kth of them. */
static size_t claimed_len(const struct mpb_ledger_claim *claim)
{
    return claim->n_warmup + claim->n_messages * claim->n_runs;
}

static size_t index_of(const struct mpb_ledger_claim *claim, size_t k)
{
    return claim->index != NULL ? claim->index[k] : k;
}

static enum mpb_status check_message(struct check *c, size_t k, struct mpb_error *err)
{
    const struct mpb_workload *w = c->claim->workload;
    size_t idx = index_of(c->claim, k);
    struct mpb_bytes wire = {c->scratch, mpb_workload_encoded_len(w, idx)};
    struct mpb_msg msg;
    uint8_t hash[MPB_MSG_HASH_LEN];
    mpb_workload_encode(w, idx, c->scratch);
    enum mpb_status st = mpb_view_decode(wire, &msg);
    if (st != MPB_OK) {
        return mpb_error_set(err, MPB_E_VERIFY, "verify", "message %zu does not decode: %s", idx,
                             mpb_status_text(st));
    }
    st = mpb_hasher_message(c->hasher, MPB_BYTES_OF(MPB_WORKLOAD_PUBSUB_TOPIC), &msg, hash);
    if (st != MPB_OK) {
        return mpb_error_set(err, st, "verify", "libcrypto failed");
    }
    for (size_t b = 0; b < sizeof(hash); b++) {
        c->sync_xor[b] ^= hash[b];
    }
    mpb_ledger_see(&c->expected, &msg, hash);
    c->expected.pushed_bytes += c->claim->n_filter_peers *
                                mpb_push_encoded_len(&msg, MPB_BYTES_OF(MPB_WORKLOAD_PUBSUB_TOPIC));
    if (k >= c->first_archived && c->n_archived > 0) {
        memcpy(c->archived_hash[k - c->first_archived], hash, sizeof(hash));
    }
    return MPB_OK;
}

static enum mpb_status check_run(struct check *c, size_t run, size_t first, size_t n,
                                 struct mpb_error *err)
{
    const struct mpb_ledger *seen = &c->claim->run[run];
    c->expected = (struct mpb_ledger){0};
    for (size_t i = 0; i < n; i++) {
        enum mpb_status st = check_message(c, first + i, err);
        if (st != MPB_OK) {
            return st;
        }
    }
    if (seen->n_seen != n) {
        return mismatch(err, "messages at the application", seen->n_seen, n);
    }
    if (seen->digest != c->expected.digest) {
        return mismatch(err, "digest of deliveries", seen->digest, c->expected.digest);
    }
    if (seen->n_hashed != 0 &&
        (seen->n_hashed != n || seen->hash_digest != c->expected.hash_digest)) {
        return mismatch(err, "digest of hashes", seen->hash_digest, c->expected.hash_digest);
    }
    if (seen->n_pushes != n * c->claim->n_filter_peers) {
        return mismatch(err, "pushes", seen->n_pushes, n * c->claim->n_filter_peers);
    }
    if (seen->pushed_bytes != c->expected.pushed_bytes) {
        return mismatch(err, "pushed bytes", seen->pushed_bytes, c->expected.pushed_bytes);
    }
    return MPB_OK;
}

/* messages = delivered + rejected; archived = delivered - refused; the archive and the index hold
 * what they must. */
static enum mpb_status check_sums(const struct check *c, struct mpb_error *err)
{
    const struct mpb_ledger_claim *claim = c->claim;
    const struct mpb_node_stats *stats = mpb_node_stats(claim->node);
    const struct mpb_archive *archive = mpb_node_archive(claim->node);
    size_t total = claimed_len(claim);
    uint64_t expected_archived = archive != NULL ? total : 0;
    if (stats->delivered != total) {
        return mismatch(err, "delivered", stats->delivered, total);
    }
    if (stats->archived != expected_archived) {
        return mismatch(err, "archived", stats->archived, expected_archived);
    }
    if (archive != NULL && mpb_archive_len(archive) != total - c->first_archived) {
        return mismatch(err, "archive length", mpb_archive_len(archive), total - c->first_archived);
    }
    const struct mpb_sync_index *index = mpb_node_sync_index(claim->node);
    size_t expected_keys = claim->no_store_sync ? 0 : total;
    if (mpb_sync_index_len(index) != expected_keys) {
        return mismatch(err, "store-sync keys", mpb_sync_index_len(index), expected_keys);
    }
    return MPB_OK;
}

/* The next of the archive, in its order, which is the generator's. A database keeps neither proof
 * nor ephemeral; the generator's messages have neither. */
static enum mpb_status see_archived(void *ctx, const struct mpb_key *key, const struct mpb_msg *msg)
{
    struct check *c = ctx;
    size_t at = c->next_archived++;
    if (at >= c->n_archived) {
        return mismatch(c->err, "archived messages", c->next_archived, c->n_archived);
    }
    size_t idx = index_of(c->claim, c->first_archived + at);
    if (key->time_ns != mpb_workload_timestamp_ns(c->claim->workload, idx) ||
        memcmp(key->hash, c->archived_hash[at], sizeof(key->hash)) != 0) {
        return mpb_error_set(c->err, MPB_E_VERIFY, "verify", "archive: message %zu has another key",
                             idx);
    }
    if (!mpb_workload_is_message(c->claim->workload, idx, msg)) {
        return mpb_error_set(c->err, MPB_E_VERIFY, "verify", "archive: message %zu has other bytes",
                             idx);
    }
    return MPB_OK;
}

static enum mpb_status check_archive(struct check *c, struct mpb_error *err)
{
    const struct mpb_archive *archive = mpb_node_archive(c->claim->node);
    if (archive == NULL) {
        return MPB_OK;
    }
    c->err = err;
    enum mpb_status st = mpb_archive_each(archive, see_archived, c, err);
    return st == MPB_OK && c->next_archived != c->n_archived
               ? mismatch(err, "archived messages", c->next_archived, c->n_archived)
               : st;
}

static enum mpb_status check_sync(const struct check *c, struct mpb_error *err)
{
    struct mpb_key from = {.time_ns = INT64_MIN}, to = {.time_ns = INT64_MAX};
    uint8_t fingerprint[MPB_MSG_HASH_LEN];
    mpb_sync_index_fingerprint(mpb_node_sync_index(c->claim->node), &from, &to, fingerprint);
    if (memcmp(fingerprint, c->sync_xor, sizeof(fingerprint)) != 0) {
        return mpb_error_set(err, MPB_E_VERIFY, "verify", "store-sync: another fingerprint");
    }
    return MPB_OK;
}

static enum mpb_status check_all(struct check *c, struct mpb_error *err)
{
    const struct mpb_ledger_claim *claim = c->claim;
    enum mpb_status st = mpb_hasher_new(&c->hasher, err);
    if (st == MPB_OK) {
        st = check_sums(c, err);
    }
    for (size_t run = 0, first = 0; run <= claim->n_runs && st == MPB_OK; run++) {
        size_t n = run == 0 ? claim->n_warmup : claim->n_messages;
        st = check_run(c, run, first, n, err);
        first += n;
    }
    if (st == MPB_OK) {
        st = check_archive(c, err);
    }
    return st == MPB_OK && !claim->no_store_sync ? check_sync(c, err) : st;
}

enum mpb_status mpb_ledger_verify(const struct mpb_ledger_claim *claim, struct mpb_error *err)
{
    size_t total = claimed_len(claim);
    size_t scratch_len = mpb_workload_max_encoded_len(claim->workload);
    bool is_evicted = claim->archive_capacity < total;
    struct check c = {.claim = claim,
                      .first_archived = is_evicted ? total - claim->archive_capacity : 0};
    c.n_archived = mpb_node_archive(claim->node) != NULL ? total - c.first_archived : 0;
    size_t hashes_len = c.n_archived * sizeof(c.archived_hash[0]);
    c.scratch = mpb_arena_map(scratch_len);
    c.archived_hash = mpb_arena_map(hashes_len);
    enum mpb_status st = c.scratch != NULL && c.archived_hash != NULL
                             ? check_all(&c, err)
                             : mpb_error_set(err, MPB_E_NOMEM, "verify", NULL);
    mpb_hasher_free(c.hasher);
    mpb_arena_unmap(c.archived_hash, hashes_len);
    mpb_arena_unmap(c.scratch, scratch_len);
    return st;
}
