/* attacker_frames.c: making hostile frames (see attacker_frames.h). */
#include "workloads/attacker_frames.h"

#include <string.h>

enum {
    GARBAGE_BITS = 17,    /* random bytes: up to 2^17 of them */
    OVERSIZE_TAIL = 64,   /* bytes after a length that must not be believed */
    SLOW_LEN = 140000,    /* bytes of the message that never ends */
    FLOOD_LEN_MAX = 2048, /* bytes of a message that does not decode */
    DUP_TRIES = 64,
    DUP_AGE_MAX = 10000, /* messages */
    STREAM = 0x686f7374, /* of the seed; none of the workload's */
};

static size_t put_varint(uint64_t value, uint8_t *out)
{
    size_t n = 0;
    for (; value >= 0x80; value >>= 7) {
        out[n++] = (uint8_t)(value | 0x80);
    }
    out[n++] = (uint8_t)value;
    return n;
}

static void put_random(struct mpb_rng *rng, uint8_t *out, size_t len)
{
    for (size_t i = 0; i < len; i += sizeof(uint64_t)) {
        uint64_t word = mpb_rng_next(rng);
        memcpy(out + i, &word, len - i < sizeof(word) ? len - i : sizeof(word));
    }
}

/* A frame around len bytes of message that stand at out + MPB_RPC_HEADER_MAX; moves them. */
static size_t wrap(uint8_t *out, size_t len)
{
    uint8_t header[MPB_RPC_HEADER_MAX], trailer[MPB_RPC_TOPIC_MAX + 4];
    size_t trailer_len = 0;
    size_t n = mpb_rpc_publish(len, MPB_BYTES_OF(MPB_WORKLOAD_PUBSUB_TOPIC), header, trailer,
                               &trailer_len);
    if (n == 0) {
        return 0;
    }
    memmove(out + n, out + MPB_RPC_HEADER_MAX, len);
    memcpy(out, header, n);
    memcpy(out + n + len, trailer, trailer_len);
    return n + len + trailer_len;
}

static enum mpb_status note_subscription(void *ctx, bool subscribe, struct mpb_bytes topic)
{
    (void)subscribe, (void)topic;
    *(bool *)ctx = true;
    return MPB_OK;
}

static enum mpb_status note_message(void *ctx, struct mpb_bytes data, struct mpb_bytes topic,
                                    unsigned forbidden)
{
    (void)data, (void)topic, (void)forbidden;
    *(bool *)ctx = true;
    return MPB_OK;
}

static enum mpb_status note_control(void *ctx, enum mpb_rpc_control kind, struct mpb_bytes topic,
                                    struct mpb_bytes id)
{
    (void)kind, (void)topic, (void)id;
    *(bool *)ctx = true;
    return MPB_OK;
}

/* Does it fail to parse, with nothing reported before? */
static bool is_mere_garbage(struct mpb_bytes rpc)
{
    bool is_reported = false;
    struct mpb_rpc_sink sink = {&is_reported, note_subscription, note_message, note_control};
    return mpb_rpc_parse(rpc, &sink) != MPB_OK && !is_reported;
}

static size_t make_garbage(struct mpb_attacker_frames *f, uint64_t n, uint8_t *out)
{
    size_t len = 0, prefix_len = 0;
    (void)n;
    do {
        uint64_t most = UINT64_C(1) << (1 + mpb_rng_below(&f->rng, GARBAGE_BITS));
        len = (size_t)(1 + mpb_rng_below(&f->rng, most));
        prefix_len = put_varint(len, out);
        put_random(&f->rng, out + prefix_len, len);
    } while (!is_mere_garbage((struct mpb_bytes){out + prefix_len, len}));
    return prefix_len + len;
}

/* In turn: just too long, far too long, longer than a varint of ours, a varint without an end. */
static size_t make_oversize(struct mpb_attacker_frames *f, uint64_t n, uint8_t *out)
{
    static const uint64_t lengths[] = {MPB_RPC_FRAME_MAX + 1, (1 << 21) - 1, UINT64_MAX >> 1};
    size_t prefix_len = 12;
    if (n % 4 < MPB_ARRAY_LEN(lengths)) {
        prefix_len = put_varint(lengths[n % 4], out);
    } else {
        memset(out, 0xff, prefix_len);
    }
    put_random(&f->rng, out + prefix_len, OVERSIZE_TAIL);
    return prefix_len + OVERSIZE_TAIL;
}

static size_t make_slow(struct mpb_attacker_frames *f, uint64_t n, uint8_t *out)
{
    static const uint8_t tail[] = {2 << 3 | 2, 1, 'x'}; /* content topic */
    uint8_t *at = out + MPB_RPC_HEADER_MAX;
    (void)n;
    size_t len = 0;
    at[len++] = 1 << 3 | 2; /* payload */
    len += put_varint(SLOW_LEN, at + len);
    put_random(&f->rng, at + len, SLOW_LEN);
    memcpy(at + len + SLOW_LEN, tail, sizeof(tail));
    return wrap(out, len + SLOW_LEN + sizeof(tail));
}

/* A payload that begins with its number, then one fault, of each kind in turn. */
static size_t make_flood(struct mpb_attacker_frames *f, uint64_t n, uint8_t *out)
{
    static const struct {
        uint8_t bytes[6];
        size_t len;
    } faults[] = {
        {{2 << 3 | 2, 0x7f}, 2},               /* a topic past the end */
        {{2 << 3 | 2, 0, 4 << 3 | 7}, 3},      /* a wire type of nobody's */
        {{4 << 3 | 2, 0}, 2},                  /* no topic at all */
        {{2 << 3 | 2, 0, 3 << 3, 0x80, 0}, 5}, /* a version in more bytes than it needs */
        {{2 << 3 | 2, 0, 3 << 3, 0x80}, 4},    /* a version that does not end */
    };
    size_t fault = (size_t)(n % MPB_ARRAY_LEN(faults));
    size_t payload_len = (size_t)(sizeof(n) + mpb_rng_below(&f->rng, FLOOD_LEN_MAX));
    uint8_t *at = out + MPB_RPC_HEADER_MAX;
    size_t len = 0;
    at[len++] = 1 << 3 | 2;
    len += put_varint(payload_len, at + len);
    put_random(&f->rng, at + len, payload_len);
    memcpy(at + len, &n, sizeof(n));
    len += payload_len;
    memcpy(at + len, faults[fault].bytes, faults[fault].len);
    return wrap(out, len + faults[fault].len);
}

/* One of the newest: what is older than the seen-cache remembers would be new again. */
static size_t make_dup(struct mpb_attacker_frames *f, uint64_t n, uint8_t *out)
{
    uint64_t n_begun = atomic_load_explicit(f->n_begun, memory_order_acquire);
    (void)n;
    for (int i = 0; n_begun > 0 && i < DUP_TRIES; i++) {
        size_t age = (size_t)mpb_rng_below(&f->rng, n_begun < DUP_AGE_MAX ? n_begun : DUP_AGE_MAX);
        size_t idx = (size_t)n_begun - 1 - age;
        if (atomic_load_explicit(&f->done_ns[idx], memory_order_relaxed) != 0) {
            mpb_workload_encode(f->workload, idx, out + MPB_RPC_HEADER_MAX);
            return wrap(out, mpb_workload_encoded_len(f->workload, idx));
        }
    }
    return 0;
}

void mpb_attacker_frames_init(struct mpb_attacker_frames *frames,
                              const struct mpb_workload *workload,
                              const MPB_ATOMIC(uint64_t) * done_ns,
                              const MPB_ATOMIC(uint64_t) * n_begun, uint64_t seed)
{
    *frames =
        (struct mpb_attacker_frames){.workload = workload, .done_ns = done_ns, .n_begun = n_begun};
    mpb_rng_init(&frames->rng, seed, STREAM);
}

size_t mpb_attacker_frames_make(struct mpb_attacker_frames *frames, enum mpb_hostile_kind kind,
                                uint64_t n, uint8_t *out)
{
    static size_t (*const make[MPB_HOSTILE__COUNT])(struct mpb_attacker_frames *, uint64_t,
                                                    uint8_t *) = {
        [MPB_HOSTILE_GARBAGE] = make_garbage, [MPB_HOSTILE_OVERSIZE] = make_oversize,
        [MPB_HOSTILE_SLOW] = make_slow,       [MPB_HOSTILE_FLOOD] = make_flood,
        [MPB_HOSTILE_DUP] = make_dup,
    };
    return make[kind](frames, n, out);
}
