/* workload.c: the message generator. */
#include "workloads/workload.h"

#include <string.h>

#include "workloads/arena.h"

enum {
    PREFIX_LEN = 8,
    POOL_SLACK = 1 << 16, /* distinct offsets a body can start at */
    STREAM_SIZES = 1,
    STREAM_BODIES = 1000, /* behind every run's STREAM_SIZES + run */
    VERSION = 2,
};

struct mpb_workload {
    uint64_t rate_per_s; /* 0: MPB_WORKLOAD_STEP_NS apart */
    size_t n;
    size_t pool_len;
    uint8_t *pool;           /* pool[pool_len] random bytes */
    uint32_t *payload_bytes; /* payload_bytes[n] */
    uint32_t *offset;        /* offset[n] into pool */
    size_t max_encoded_len;
};

static const struct mpb_bytes content_topic = {(const uint8_t *)MPB_WORKLOAD_CONTENT_TOPIC,
                                               sizeof(MPB_WORKLOAD_CONTENT_TOPIC) - 1};

static void fill_pool(struct mpb_workload *w, uint64_t seed)
{
    struct mpb_rng rng;
    mpb_rng_init(&rng, seed, STREAM_BODIES);
    for (size_t at = 0; at < w->pool_len; at += sizeof(uint64_t)) {
        uint64_t word = mpb_rng_next(&rng);
        size_t n = w->pool_len - at < sizeof(word) ? w->pool_len - at : sizeof(word);
        memcpy(w->pool + at, &word, n);
    }
    for (size_t i = 0; i < w->n; i++) {
        w->offset[i] = (uint32_t)mpb_rng_below(&rng, POOL_SLACK);
    }
}

/* Sizes by quota: for the warm-up, then for each run, each with a stream of its own. */
static void fill_sizes(struct mpb_workload *w, const struct mpb_workload_cfg *cfg)
{
    size_t at = 0;
    for (size_t run = 0; run <= cfg->n_runs; run++) {
        struct mpb_rng rng;
        size_t n = run == 0 ? cfg->n_warmup : cfg->n_messages;
        mpb_rng_init(&rng, cfg->seed, STREAM_SIZES + run);
        mpb_mix_fill(cfg->mix, &rng, w->payload_bytes + at, n);
        at += n;
    }
    for (size_t i = 0; i < w->n; i++) {
        size_t len = mpb_workload_encoded_len(w, i);
        w->max_encoded_len = len > w->max_encoded_len ? len : w->max_encoded_len;
    }
}

enum mpb_status mpb_workload_new(const struct mpb_workload_cfg *cfg, struct mpb_workload **out,
                                 struct mpb_error *err)
{
    struct mpb_workload *w = mpb_arena_map(sizeof(*w));
    if (w == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "workload", NULL);
    }
    w->rate_per_s = cfg->rate_per_s;
    w->n = cfg->n_warmup + cfg->n_messages * cfg->n_runs;
    w->pool_len = cfg->mix->max_bytes + POOL_SLACK;
    w->pool = mpb_arena_map(w->pool_len);
    w->payload_bytes = mpb_arena_map(w->n * sizeof(w->payload_bytes[0]));
    w->offset = mpb_arena_map(w->n * sizeof(w->offset[0]));
    if (w->pool == NULL || w->payload_bytes == NULL || w->offset == NULL) {
        mpb_workload_free(w);
        return mpb_error_set(err, MPB_E_NOMEM, "workload", NULL);
    }
    fill_sizes(w, cfg);
    fill_pool(w, cfg->seed);
    *out = w;
    return MPB_OK;
}

void mpb_workload_free(struct mpb_workload *workload)
{
    if (workload == NULL) {
        return;
    }
    mpb_arena_unmap(workload->pool, workload->pool_len);
    mpb_arena_unmap(workload->payload_bytes, workload->n * sizeof(workload->payload_bytes[0]));
    mpb_arena_unmap(workload->offset, workload->n * sizeof(workload->offset[0]));
    mpb_arena_unmap(workload, sizeof(*workload));
}

size_t mpb_workload_len(const struct mpb_workload *workload)
{
    return workload->n;
}

size_t mpb_workload_max_encoded_len(const struct mpb_workload *workload)
{
    return workload->max_encoded_len;
}

size_t mpb_workload_payload_len(const struct mpb_workload *workload, size_t idx)
{
    return workload->payload_bytes[idx];
}

uint64_t mpb_workload_payload_sum(const struct mpb_workload *workload, size_t first, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = first; i < first + n; i++) {
        sum += workload->payload_bytes[i];
    }
    return sum;
}

int64_t mpb_workload_timestamp_ns(const struct mpb_workload *workload, size_t idx)
{
    int64_t since_ns = workload->rate_per_s > 0
                           ? (int64_t)((uint64_t)idx * 1000000000U / workload->rate_per_s)
                           : (int64_t)idx * MPB_WORKLOAD_STEP_NS;
    return MPB_WORKLOAD_BASE_NS + since_ns;
}

/* The message without its payload bytes, for lengths and comparisons. */
static struct mpb_msg message_of(const struct mpb_workload *w, size_t idx)
{
    return (struct mpb_msg){
        .payload = {NULL, w->payload_bytes[idx]},
        .content_topic = content_topic,
        .version = VERSION,
        .timestamp_ns = mpb_workload_timestamp_ns(w, idx),
    };
}

size_t mpb_workload_encoded_len(const struct mpb_workload *workload, size_t idx)
{
    struct mpb_msg msg = message_of(workload, idx);
    return mpb_msg_encoded_len(&msg);
}

static uint8_t *put_varint(uint8_t *at, uint64_t v)
{
    for (; v >= 0x80; v >>= 7) {
        *at++ = (uint8_t)(v | 0x80);
    }
    *at++ = (uint8_t)v;
    return at;
}

static void put_prefix(uint8_t out[PREFIX_LEN], size_t idx)
{
    for (size_t i = 0; i < PREFIX_LEN; i++) {
        out[i] = (uint8_t)((uint64_t)idx >> (8 * i));
    }
}

static void put_payload(const struct mpb_workload *w, size_t idx, uint8_t *out)
{
    put_prefix(out, idx);
    memcpy(out + PREFIX_LEN, w->pool + w->offset[idx], w->payload_bytes[idx] - PREFIX_LEN);
}

struct mpb_msg mpb_workload_message(const struct mpb_workload *workload, size_t idx,
                                    uint8_t *payload)
{
    struct mpb_msg msg = message_of(workload, idx);
    put_payload(workload, idx, payload);
    msg.payload.data = payload;
    return msg;
}

void mpb_workload_encode(const struct mpb_workload *workload, size_t idx, uint8_t *out)
{
    size_t payload_len = workload->payload_bytes[idx];
    uint64_t zigzag = (uint64_t)mpb_workload_timestamp_ns(workload, idx) << 1; /* never negative */
    *out++ = 0x0a;
    out = put_varint(out, payload_len);
    put_payload(workload, idx, out);
    out += payload_len;
    *out++ = 0x12;
    out = put_varint(out, content_topic.len);
    memcpy(out, content_topic.data, content_topic.len);
    out += content_topic.len;
    *out++ = 0x18;
    *out++ = VERSION;
    *out++ = 0x50;
    out = put_varint(out, zigzag);
    static const uint8_t empty_tail[] = {0x5a, 0, 0xaa, 0x01, 0, 0xf8, 0x01, 0};
    memcpy(out, empty_tail, sizeof(empty_tail));
}

bool mpb_workload_is_message(const struct mpb_workload *workload, size_t idx,
                             const struct mpb_msg *msg)
{
    struct mpb_msg want = message_of(workload, idx);
    uint8_t prefix[PREFIX_LEN];
    if (msg->payload.len != want.payload.len) {
        return false;
    }
    put_prefix(prefix, idx);
    if (memcmp(msg->payload.data, prefix, PREFIX_LEN) != 0 ||
        memcmp(msg->payload.data + PREFIX_LEN, workload->pool + workload->offset[idx],
               msg->payload.len - PREFIX_LEN) != 0) {
        return false;
    }
    want.payload = msg->payload;
    return mpb_msg_is_equal(&want, msg);
}
