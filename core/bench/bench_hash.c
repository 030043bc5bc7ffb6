/* bench_hash.c: the message hash against the least it can cost: one EVP update over the same bytes
 * already joined, with the same fetched algorithm and reused context. */
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "core/bench/ratio.h"
#include "core/hasher.h"

#define PUBSUB_TOPIC "/waku/2/rs/0/0"
#define CONTENT_TOPIC "/waku/2/default-content/proto"

struct input {
    struct mpb_hasher *hasher;
    EVP_MD *md;
    EVP_MD_CTX *ctx;
    struct mpb_msg msg;
    uint8_t *payload, *joined;
    size_t joined_len;
    uint8_t hash[MPB_MSG_HASH_LEN];
};

static void run_message(void *ctx, size_t n)
{
    struct input *input = ctx;
    for (size_t i = 0; i < n; i++) {
        if (mpb_hasher_message(input->hasher, MPB_BYTES_OF(PUBSUB_TOPIC), &input->msg,
                               input->hash) != MPB_OK) {
            abort();
        }
    }
}

static void run_joined(void *ctx, size_t n)
{
    struct input *input = ctx;
    for (size_t i = 0; i < n; i++) {
        if (EVP_DigestInit_ex2(input->ctx, input->md, NULL) != 1 ||
            EVP_DigestUpdate(input->ctx, input->joined, input->joined_len) != 1 ||
            EVP_DigestFinal_ex(input->ctx, input->hash, NULL) != 1) {
            abort();
        }
    }
}

static uint8_t *append(uint8_t *at, struct mpb_bytes bytes)
{
    memcpy(at, bytes.data, bytes.len);
    return at + bytes.len;
}

/* pubsub topic | payload | content topic | time, all in one buffer. */
static void join(struct input *input)
{
    uint8_t *at = append(input->joined, MPB_BYTES_OF(PUBSUB_TOPIC));
    at = append(at, input->msg.payload);
    at = append(at, input->msg.content_topic);
    for (int shift = 56; shift >= 0; shift -= 8) {
        *at++ = (uint8_t)((uint64_t)input->msg.timestamp_ns >> shift);
    }
    input->joined_len = (size_t)(at - input->joined);
}

/* Both ways must give the same hash, or the comparison is void. */
static void verify(struct input *input)
{
    uint8_t hash[MPB_MSG_HASH_LEN];
    run_joined(input, 1);
    memcpy(hash, input->hash, sizeof(hash));
    run_message(input, 1);
    if (memcmp(hash, input->hash, sizeof(hash)) != 0) {
        abort();
    }
}

static struct input *input_new(struct mpb_hasher *hasher, size_t payload_len)
{
    struct input *input = calloc(1, sizeof(*input));
    if (input == NULL) {
        abort();
    }
    input->hasher = hasher;
    input->md = EVP_MD_fetch(NULL, "SHA256", NULL);
    input->ctx = EVP_MD_CTX_new();
    input->payload = malloc(payload_len);
    input->joined = malloc(payload_len + 256);
    if (input->md == NULL || input->ctx == NULL || input->payload == NULL ||
        input->joined == NULL) {
        abort();
    }
    for (size_t i = 0; i < payload_len; i++) {
        input->payload[i] = (uint8_t)(i * 2654435761U >> 24);
    }
    input->msg = (struct mpb_msg){
        .payload = {input->payload, payload_len},
        .content_topic = MPB_BYTES_OF(CONTENT_TOPIC),
        .timestamp_ns = 1780000000000000000,
        .version = 2,
    };
    join(input);
    verify(input);
    return input;
}

static void input_free(struct input *input)
{
    EVP_MD_CTX_free(input->ctx);
    EVP_MD_free(input->md);
    free(input->payload);
    free(input->joined);
    free(input);
}

int main(int argc, char **argv)
{
    struct mpb_hasher *hasher = NULL;
    struct mpb_error err = {0};
    if (mpb_hasher_new(&hasher, &err) != MPB_OK) {
        fprintf(stderr, "bench_hash: %s\n", err.text);
        return 77;
    }
    struct input *inputs[] = {input_new(hasher, 10000), input_new(hasher, 50000),
                              input_new(hasher, 150000)};
    const struct mpb_ratio ratios[] = {
        {"one update/message hash, 10 kB",
         {run_joined, inputs[0]},
         {run_message, inputs[0]},
         MPB_RATIO_AT_LEAST,
         0.99},
        {"one update/message hash, 50 kB",
         {run_joined, inputs[1]},
         {run_message, inputs[1]},
         MPB_RATIO_AT_LEAST,
         0.99},
        {"one update/message hash, 150 kB",
         {run_joined, inputs[2]},
         {run_message, inputs[2]},
         MPB_RATIO_AT_LEAST,
         0.99},
    };
    const struct mpb_ratio_plan plan = {.n_blocks = 60, .slice_ns = 4000000};
    int exit_status = mpb_ratio_main(ratios, MPB_ARRAY_LEN(ratios), &plan, argc, argv);
    for (size_t i = 0; i < MPB_ARRAY_LEN(inputs); i++) {
        input_free(inputs[i]);
    }
    mpb_hasher_free(hasher);
    return exit_status;
}
