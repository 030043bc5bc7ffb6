/* bench_codec.c: the view decoder against protobuf-c (unpack and free), on one hot message and on
 * a pool that no inner cache holds; and its cost by size of the payload. */
#include <stdlib.h>
#include <string.h>

#include "core/bench/ratio.h"
#include "core/message.pb-c.h"
#include "core/view.h"

#define POOL_LEN 256
/* For the comparison of sizes: where a buffer lies in its page and line moves the dozen ns of a
 * view decode by a tenth, so each size is measured in several places. All stay hot: a decode
 * touches three cache lines of a message. */
#define N_PLACES 16
#define PLACE_STEP 208 /* bytes from one place to the next */

/* Encoded messages, visited in turn. sum keeps the results alive. */
struct pool {
    struct mpb_bytes wires[POOL_LEN];
    uint8_t *allocations[POOL_LEN];
    size_t n, next;
    uint64_t sum;
};

static void run_view(void *ctx, size_t n)
{
    struct pool *pool = ctx;
    struct mpb_msg msg;
    for (size_t i = 0; i < n; i++) {
        if (mpb_view_decode(pool->wires[pool->next], &msg) != MPB_OK) {
            abort();
        }
        pool->sum += msg.payload.len + (uint64_t)msg.timestamp_ns;
        pool->next = pool->next + 1 == pool->n ? 0 : pool->next + 1;
    }
}

static void run_unpack(void *ctx, size_t n)
{
    struct pool *pool = ctx;
    for (size_t i = 0; i < n; i++) {
        struct mpb_bytes wire = pool->wires[pool->next];
        Mpb__WakuMessage *msg = mpb__waku_message__unpack(NULL, wire.len, wire.data);
        if (msg == NULL) {
            abort();
        }
        pool->sum += msg->payload.len + (uint64_t)msg->timestamp;
        mpb__waku_message__free_unpacked(msg, NULL);
        pool->next = pool->next + 1 == pool->n ? 0 : pool->next + 1;
    }
}

static void *alloc(size_t n_bytes)
{
    void *ptr = malloc(n_bytes);
    if (ptr == NULL) {
        abort();
    }
    return ptr;
}

/* Put an encoded message, as the workloads make them, into the pool. */
static void add_wire(struct pool *pool, size_t payload_len)
{
    size_t idx = pool->n++, place = idx % N_PLACES * PLACE_STEP;
    uint8_t *payload = alloc(payload_len);
    memset(payload, (int)idx & 0xff, payload_len);
    struct mpb_msg msg = {
        .payload = {payload, payload_len},
        .content_topic = MPB_BYTES_OF("/waku/2/default-content/proto"),
        .timestamp_ns = 1780000000000000000 + (int64_t)idx * 1000000,
        .version = 2,
    };
    size_t len = mpb_msg_encoded_len(&msg);
    uint8_t *out = alloc(len + place);
    if (mpb_msg_encode(&msg, out + place, len) != len) {
        abort();
    }
    pool->allocations[idx] = out;
    pool->wires[idx] = (struct mpb_bytes){out + place, len};
    free(payload);
}

static struct pool *pool_new(size_t payload_len, size_t n)
{
    struct pool *pool = alloc(sizeof(*pool));
    *pool = (struct pool){0};
    while (pool->n < n) {
        add_wire(pool, payload_len);
    }
    return pool;
}

static void pool_free(struct pool *pool)
{
    for (size_t i = 0; i < pool->n; i++) {
        free(pool->allocations[i]);
    }
    free(pool);
}

int main(int argc, char **argv)
{
    struct pool *hot = pool_new(50000, 1), *pool = pool_new(50000, POOL_LEN);
    struct pool *small = pool_new(10000, N_PLACES), *medium = pool_new(50000, N_PLACES);
    struct pool *large = pool_new(150000, N_PLACES);
    const struct mpb_ratio ratios[] = {
        {"unpack/view, hot 50 kB", {run_unpack, hot}, {run_view, hot}, MPB_RATIO_AT_LEAST, 40},
        {"unpack/view, 256 x 50 kB", {run_unpack, pool}, {run_view, pool}, MPB_RATIO_AT_LEAST, 10},
        {"view 50 kB/10 kB, hot", {run_view, medium}, {run_view, small}, MPB_RATIO_WITHIN, 1.2},
        {"view 150 kB/10 kB, hot", {run_view, large}, {run_view, small}, MPB_RATIO_WITHIN, 1.2},
        {"view 150 kB/50 kB, hot", {run_view, large}, {run_view, medium}, MPB_RATIO_WITHIN, 1.2},
    };
    const struct mpb_ratio_plan plan = {.n_blocks = 40, .slice_ns = 2000000};
    int exit_status = mpb_ratio_main(ratios, MPB_ARRAY_LEN(ratios), &plan, argc, argv);
    pool_free(hot);
    pool_free(pool);
    pool_free(small);
    pool_free(medium);
    pool_free(large);
    return exit_status;
}
