/* test_attacker_frames.c: each hostile frame is what its kind promises, over many of them: only
 * then can the receiver's books be held against their number. */
#include "workloads/attacker_frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/view.h"

enum { N_FRAMES = 400, N_MESSAGES = 50 };

struct fixture {
    struct mpb_workload *workload;
    _Atomic uint64_t done_ns[N_MESSAGES];
    _Atomic uint64_t n_begun;
    struct mpb_attacker_frames frames;
    uint8_t *frame;
    size_t rpc_len, prefix_len;
    /* what the parser reported */
    size_t n_reported;
    struct mpb_bytes data, topic;
};

static void set_up(struct fixture *f)
{
    struct mpb_mix mix;
    assert_int_equal(mpb_mix_parse("8:1,3k:1,153521:1", "--mix", &mix, NULL), MPB_OK);
    struct mpb_workload_cfg cfg = {42, &mix, 0, N_MESSAGES, 1, 0};
    assert_int_equal(mpb_workload_new(&cfg, &f->workload, NULL), MPB_OK);
    f->frame = malloc(MPB_ATTACKER_FRAME_MAX);
    mpb_attacker_frames_init(&f->frames, f->workload, f->done_ns, &f->n_begun, 7);
}

static void tear_down(struct fixture *f)
{
    free(f->frame);
    mpb_workload_free(f->workload);
}

static enum mpb_status see_subscription(void *ctx, bool subscribe, struct mpb_bytes topic)
{
    struct fixture *f = ctx;
    (void)subscribe, (void)topic;
    f->n_reported++;
    return MPB_OK;
}

static enum mpb_status see_message(void *ctx, struct mpb_bytes data, struct mpb_bytes topic,
                                   unsigned forbidden)
{
    struct fixture *f = ctx;
    assert_int_equal(forbidden, 0);
    f->n_reported++;
    f->data = data;
    f->topic = topic;
    return MPB_OK;
}

static enum mpb_status see_control(void *ctx, enum mpb_rpc_control kind, struct mpb_bytes topic,
                                   struct mpb_bytes id)
{
    (void)kind, (void)id;
    return see_subscription(ctx, false, topic);
}

/* Make the nth frame; it has exactly the length its prefix says. */
static enum mpb_status make(struct fixture *f, enum mpb_hostile_kind kind, uint64_t n)
{
    size_t len = mpb_attacker_frames_make(&f->frames, kind, n, f->frame);
    struct mpb_bytes start = {f->frame, len};
    assert_in_range(len, 1, MPB_ATTACKER_FRAME_MAX);
    assert_int_equal(mpb_rpc_frame_len(start, &f->rpc_len, &f->prefix_len), MPB_OK);
    assert_int_equal(f->prefix_len + f->rpc_len, len);
    struct mpb_bytes rpc = {f->frame + f->prefix_len, f->rpc_len};
    struct mpb_rpc_sink sink = {f, see_subscription, see_message, see_control};
    f->n_reported = 0;
    return mpb_rpc_parse(rpc, &sink);
}

static void assert_our_message(const struct fixture *f)
{
    struct mpb_bytes ours = MPB_BYTES_OF(MPB_WORKLOAD_PUBSUB_TOPIC);
    assert_int_equal(f->n_reported, 1);
    assert_int_equal(f->topic.len, ours.len);
    assert_memory_equal(f->topic.data, ours.data, ours.len);
}

static void test_garbage(void **state)
{
    (void)state;
    struct fixture f = {.workload = NULL};
    size_t shortest = SIZE_MAX, longest = 0;
    set_up(&f);
    for (uint64_t n = 0; n < N_FRAMES; n++) {
        assert_int_not_equal(make(&f, MPB_HOSTILE_GARBAGE, n), MPB_OK);
        assert_int_equal(f.n_reported, 0);
        shortest = f.rpc_len < shortest ? f.rpc_len : shortest;
        longest = f.rpc_len > longest ? f.rpc_len : longest;
    }
    assert_true(shortest < 16 && longest > 65536);
    tear_down(&f);
}

static void test_oversize(void **state)
{
    (void)state;
    struct fixture f = {.workload = NULL};
    size_t rpc_len = 0, prefix_len = 0;
    set_up(&f);
    for (uint64_t n = 0; n < N_FRAMES; n++) {
        struct mpb_bytes start = {
            f.frame, mpb_attacker_frames_make(&f.frames, MPB_HOSTILE_OVERSIZE, n, f.frame)};
        enum mpb_status st = mpb_rpc_frame_len(start, &rpc_len, &prefix_len);
        assert_true(st == MPB_E_VARINT_RANGE || st == MPB_E_OVERLONG_VARINT);
    }
    tear_down(&f);
}

static void test_slow_is_valid_and_large(void **state)
{
    (void)state;
    struct fixture f = {.workload = NULL};
    struct mpb_msg msg;
    set_up(&f);
    assert_int_equal(make(&f, MPB_HOSTILE_SLOW, 0), MPB_OK);
    assert_our_message(&f);
    assert_int_equal(mpb_view_decode(f.data, &msg), MPB_OK);
    assert_true(msg.payload.len > 100000);
    tear_down(&f);
}

static void test_flood_never_decodes(void **state)
{
    (void)state;
    struct fixture f = {.workload = NULL};
    bool seen[MPB_STATUS__COUNT] = {false};
    size_t n_kinds = 0;
    set_up(&f);
    for (uint64_t n = 0; n < N_FRAMES; n++) {
        struct mpb_msg msg;
        assert_int_equal(make(&f, MPB_HOSTILE_FLOOD, n), MPB_OK);
        assert_our_message(&f);
        enum mpb_status st = mpb_view_decode(f.data, &msg);
        assert_int_not_equal(st, MPB_OK);
        n_kinds += seen[-1 - (int)st] ? 0 : 1;
        seen[-1 - (int)st] = true;
        uint64_t number = 0; /* all differ: the seen-cache lets each through */
        memcpy(&number, f.data.data + (f.data.data[1] < 0x80 ? 2 : 3), sizeof(number));
        assert_int_equal(number, n);
    }
    assert_true(n_kinds >= 4);
    tear_down(&f);
}

static void test_dup(void **state)
{
    (void)state;
    struct fixture f = {.workload = NULL};
    size_t n_made = 0;
    set_up(&f);
    assert_int_equal(mpb_attacker_frames_make(&f.frames, MPB_HOSTILE_DUP, 0, f.frame), 0);
    for (size_t i = 0; i < 30; i++) { /* one of three was lost on the way */
        f.done_ns[i] = i % 3 == 1 ? 0 : 1;
    }
    f.n_begun = 30;
    for (uint64_t n = 0; n < N_FRAMES; n++) {
        struct mpb_msg msg;
        assert_int_equal(make(&f, MPB_HOSTILE_DUP, n), MPB_OK);
        assert_our_message(&f);
        assert_int_equal(mpb_view_decode(f.data, &msg), MPB_OK);
        size_t idx = msg.payload.data[0];
        assert_true(idx < 30 && idx % 3 != 1);
        assert_true(mpb_workload_is_message(f.workload, idx, &msg));
        n_made++;
    }
    assert_int_equal(n_made, N_FRAMES);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_oversize),
        cmocka_unit_test(test_slow_is_valid_and_large),
        cmocka_unit_test(test_flood_never_decodes),
        cmocka_unit_test(test_dup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
