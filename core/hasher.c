/* hasher.c: SHA-256 by libcrypto, algorithm fetched once and context reused. */
#include "core/hasher.h"

#include <string.h>

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include "core/crypto_heap.h"
#include "instrument/heap.h"

/* Content topic, meta and timestamp go to libcrypto in one call when they fit here: for 10 kB
 * each call saved is a thousandth of the hash. */
#define TAIL_MAX 256
#define PREFIX_MAX 128 /* bytes of a pubsub topic that is kept hashed */
#define TIMESTAMP_LEN 8

/* A node's messages come on few pubsub topics: the state after the last one is kept in `prefix`
 * and copied, which costs what beginning anew does and saves hashing the topic. */
struct mpb_hasher {
    EVP_MD *md;
    EVP_MD_CTX *ctx, *prefix;
    size_t topic_len; /* NO_TOPIC: prefix holds none */
    uint8_t topic[PREFIX_MAX];
};

#define NO_TOPIC SIZE_MAX

enum mpb_status mpb_hasher_new(struct mpb_hasher **out, struct mpb_error *err)
{
    struct mpb_hasher *hasher = mpb_heap_alloc(sizeof(*hasher));
    if (hasher == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "hasher", NULL);
    }
    mpb_crypto_heap_use();
    hasher->md = EVP_MD_fetch(NULL, "SHA256", NULL);
    hasher->ctx = EVP_MD_CTX_new();
    hasher->prefix = EVP_MD_CTX_new();
    hasher->topic_len = NO_TOPIC;
    if (hasher->md == NULL || hasher->ctx == NULL || hasher->prefix == NULL ||
        EVP_DigestInit_ex2(hasher->ctx, hasher->md, NULL) != 1) {
        bool is_missing = hasher->md == NULL;
        mpb_hasher_free(hasher);
        ERR_clear_error();
        return mpb_error_set(err, is_missing ? MPB_E_UNAVAILABLE : MPB_E_NOMEM, "hasher",
                             is_missing ? "libcrypto has no SHA-256" : NULL);
    }
    *out = hasher;
    return MPB_OK;
}

void mpb_hasher_free(struct mpb_hasher *hasher)
{
    if (hasher == NULL) {
        return;
    }
    EVP_MD_CTX_free(hasher->prefix);
    EVP_MD_CTX_free(hasher->ctx);
    EVP_MD_free(hasher->md);
    mpb_heap_free(hasher);
}

static bool begin(const struct mpb_hasher *hasher, EVP_MD_CTX *ctx)
{
    return EVP_DigestInit_ex2(ctx, hasher->md, NULL) == 1;
}

static bool add(EVP_MD_CTX *ctx, struct mpb_bytes bytes)
{
    return bytes.len == 0 || EVP_DigestUpdate(ctx, bytes.data, bytes.len) == 1;
}

/* Hash topic into prefix and remember it. */
static bool keep_topic(struct mpb_hasher *hasher, struct mpb_bytes topic)
{
    hasher->topic_len = NO_TOPIC;
    if (!begin(hasher, hasher->prefix) || !add(hasher->prefix, topic)) {
        return false;
    }
    if (topic.len > 0) {
        memcpy(hasher->topic, topic.data, topic.len);
    }
    hasher->topic_len = topic.len;
    return true;
}

static bool begin_with_topic(struct mpb_hasher *hasher, struct mpb_bytes topic)
{
    if (topic.len > PREFIX_MAX) {
        return begin(hasher, hasher->ctx) && add(hasher->ctx, topic);
    }
    bool is_kept = topic.len == hasher->topic_len &&
                   (topic.len == 0 || memcmp(topic.data, hasher->topic, topic.len) == 0);
    return (is_kept || keep_topic(hasher, topic)) &&
           EVP_MD_CTX_copy_ex(hasher->ctx, hasher->prefix) == 1;
}

/* The digest goes through a buffer of its own, so that out stays untouched on failure. */
static bool end(struct mpb_hasher *hasher, uint8_t out[MPB_MSG_HASH_LEN])
{
    uint8_t digest[MPB_MSG_HASH_LEN];
    unsigned len = 0;
    if (EVP_DigestFinal_ex(hasher->ctx, digest, &len) != 1 || len != sizeof(digest)) {
        return false;
    }
    memcpy(out, digest, sizeof(digest));
    return true;
}

static void put_be64(int64_t value, uint8_t out[TIMESTAMP_LEN])
{
    for (unsigned i = 0; i < TIMESTAMP_LEN; i++) {
        out[i] = (uint8_t)((uint64_t)value >> (56 - 8 * i));
    }
}

static void put_bytes(struct mpb_bytes bytes, uint8_t *tail, size_t *n)
{
    if (bytes.len > 0) {
        memcpy(tail + *n, bytes.data, bytes.len);
        *n += bytes.len;
    }
}

static bool add_tail(struct mpb_hasher *hasher, const struct mpb_msg *msg)
{
    uint8_t tail[TAIL_MAX];
    size_t n = 0;
    if (msg->content_topic.len <= TAIL_MAX - TIMESTAMP_LEN - MPB_MSG_META_MAX &&
        msg->meta.len <= MPB_MSG_META_MAX) {
        put_bytes(msg->content_topic, tail, &n);
        put_bytes(msg->meta, tail, &n);
    } else if (!add(hasher->ctx, msg->content_topic) || !add(hasher->ctx, msg->meta)) {
        return false;
    }
    put_be64(msg->timestamp_ns, tail + n);
    return add(hasher->ctx, (struct mpb_bytes){tail, n + TIMESTAMP_LEN});
}

/* libcrypto notes a failure in a queue of the thread, in memory that nobody would free. */
static enum mpb_status outcome(bool is_ok)
{
    if (!is_ok) {
        ERR_clear_error();
    }
    return is_ok ? MPB_OK : MPB_E_INTERNAL;
}

enum mpb_status mpb_hasher_message(struct mpb_hasher *hasher, struct mpb_bytes pubsub_topic,
                                   const struct mpb_msg *msg, uint8_t out[MPB_MSG_HASH_LEN])
{
    MPB_PROBE_ADD(HASHES, 1);
    MPB_PROBE_ADD(HASHED_BYTES, msg->payload.len + msg->meta.len);
    bool is_ok = begin_with_topic(hasher, pubsub_topic) && add(hasher->ctx, msg->payload) &&
                 add_tail(hasher, msg) && end(hasher, out);
    return outcome(is_ok);
}

enum mpb_status mpb_hasher_id_parts(struct mpb_hasher *hasher, const struct mpb_bytes *parts,
                                    size_t n_parts, uint8_t out[MPB_MSG_HASH_LEN])
{
    size_t n_bytes = 0;
    bool is_ok = begin(hasher, hasher->ctx);
    for (size_t i = 0; i < n_parts; i++) {
        is_ok = is_ok && add(hasher->ctx, parts[i]);
        n_bytes += parts[i].len;
    }
    MPB_PROBE_ADD(ID_HASHES, 1);
    MPB_PROBE_ADD(ID_HASHED_BYTES, n_bytes);
    return outcome(is_ok && end(hasher, out));
}

enum mpb_status mpb_hasher_id(struct mpb_hasher *hasher, struct mpb_bytes encoded,
                              uint8_t out[MPB_MSG_HASH_LEN])
{
    return mpb_hasher_id_parts(hasher, &encoded, 1, out);
}

const char *mpb_hasher_library(void)
{
    return OpenSSL_version(OPENSSL_VERSION);
}

const char *mpb_hasher_cpu(void)
{
    const char *settings = OPENSSL_info(OPENSSL_INFO_CPU_SETTINGS);
    return settings != NULL ? settings : "n/a";
}
