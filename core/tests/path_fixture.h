/* path_fixture.h: messages, arriving buffers, random numbers and probe readings for the tests of
 * the message path. */
#ifndef MPB_CORE_TESTS_PATH_FIXTURE_H
#define MPB_CORE_TESTS_PATH_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/archive.h"
#include "core/buffer.h"
#include "core/hasher.h"
#include "core/timeline.h"
#include "instrument/probe.h"

#define FIXTURE_PUBSUB_TOPIC MPB_BYTES_OF("/waku/2/rs/0/0")
#define FIXTURE_CONTENT_TOPIC MPB_BYTES_OF("/waku/2/default-content/proto")
#define FIXTURE_BASE_NS INT64_C(1681964442000000000)

enum { FIXTURE_POOL_LEN = 1 << 18 };

/* splitmix64: the tests' own numbers, the same everywhere. */
static inline uint64_t fixture_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline size_t fixture_below(uint64_t *state, size_t n)
{
    return (size_t)(fixture_random(state) % n);
}

/* FIXTURE_POOL_LEN random bytes, filled at the first call. */
static inline const uint8_t *fixture_pool(void)
{
    static uint8_t pool[FIXTURE_POOL_LEN];
    static bool is_filled;
    uint64_t state = 7;
    for (size_t i = 0; i < FIXTURE_POOL_LEN && !is_filled; i += sizeof(uint64_t)) {
        uint64_t word = fixture_random(&state);
        memcpy(pool + i, &word, sizeof(word));
    }
    is_filled = true;
    return pool;
}

/* Message idx with a payload of its own, meta and proof: 1 ms after message idx - 1. */
static inline struct mpb_msg fixture_msg(size_t idx, size_t payload_len)
{
    assert_true(idx * 8 + payload_len + 64 <= FIXTURE_POOL_LEN);
    struct mpb_msg msg = {
        .payload = {fixture_pool() + idx * 8, payload_len},
        .content_topic = FIXTURE_CONTENT_TOPIC,
        .meta = {fixture_pool() + 3, 5},
        .proof = {fixture_pool() + 11, 7},
        .timestamp_ns = FIXTURE_BASE_NS + (int64_t)idx * 1000000,
        .version = 2,
    };
    return msg;
}

/* Bytes that arrive. */
static inline struct mpb_buffer *fixture_arrive_bytes(struct mpb_bytes wire)
{
    struct mpb_buffer *buffer = mpb_buffer_new(wire.len);
    assert_non_null(buffer);
    memcpy(buffer->data, wire.data, wire.len);
    return buffer;
}

/* The message, encoded. */
static inline struct mpb_buffer *fixture_arrive(const struct mpb_msg *msg)
{
    struct mpb_buffer *buffer = mpb_buffer_new(mpb_msg_encoded_len(msg));
    assert_non_null(buffer);
    assert_int_equal(mpb_msg_encode(msg, buffer->data, buffer->len), buffer->len);
    return buffer;
}

/* Its key, hashed anew. */
static inline struct mpb_key fixture_key(const struct mpb_msg *msg)
{
    struct mpb_hasher *hasher = NULL;
    struct mpb_key key = {.time_ns = msg->timestamp_ns};
    assert_int_equal(mpb_hasher_new(&hasher, NULL), MPB_OK);
    assert_int_equal(mpb_hasher_message(hasher, FIXTURE_PUBSUB_TOPIC, msg, key.hash), MPB_OK);
    mpb_hasher_free(hasher);
    return key;
}

/* A random key out of a small set, so that equal times and equal keys happen. */
static inline struct mpb_key fixture_random_key(uint64_t *state, size_t n_times, size_t n_hashes)
{
    struct mpb_key key = {.time_ns = (int64_t)fixture_below(state, n_times) - 5};
    uint64_t hash_state = fixture_below(state, n_hashes);
    for (size_t b = 0; b < MPB_MSG_HASH_LEN; b++) {
        key.hash[b] = (uint8_t)fixture_random(&hash_state);
    }
    return key;
}

/* The order of keys, said another way than the code under test does. */
static inline int fixture_key_order(const struct mpb_key *a, const struct mpb_key *b)
{
    int by_time = (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
    for (size_t i = 0; i < MPB_MSG_HASH_LEN && by_time == 0; i++) {
        by_time = (int)a->hash[i] - (int)b->hash[i];
    }
    return by_time;
}

static inline bool fixture_is_same_key(const struct mpb_key *a, const struct mpb_key *b)
{
    return a->time_ns == b->time_ns && memcmp(a->hash, b->hash, sizeof(a->hash)) == 0;
}

static inline int64_t fixture_live_bytes(void)
{
    struct mpb_probe_counts counts;
    mpb_probe_read(&counts);
    return counts.live_bytes;
}

static inline uint64_t fixture_total(enum mpb_metric metric)
{
    struct mpb_probe_counts counts;
    mpb_probe_read(&counts);
    return mpb_probe_total(&counts, metric);
}

/* Counters of libcrypto's own start-up must not fall into a test's balance. */
static inline void fixture_wake_libcrypto(void)
{
    struct mpb_msg msg = fixture_msg(0, 8);
    fixture_key(&msg);
}

/* Nor may SQLite's. */
static inline void fixture_wake_sqlite(void)
{
    struct mpb_archive *archive = NULL;
    struct mpb_archive_cfg cfg = {.keeps = MPB_ARCHIVE_ROWS, .capacity = 1};
    cfg.db = MPB_ARCHIVE_DB_MEMORY;
    assert_int_equal(mpb_archive_new(&cfg, &archive, NULL), MPB_OK);
    mpb_archive_free(archive);
}

#endif
