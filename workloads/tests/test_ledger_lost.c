/* test_ledger_lost.c: a session whose publisher lost messages verifies with exactly those missing:
 * one lost more, one less or another one does not. */
#include "workloads/ledger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N_WARMUP = 3, N_MESSAGES = 20, TOTAL = N_WARMUP + N_MESSAGES };

struct session {
    struct mpb_workload *workload;
    struct mpb_node *node;
    struct mpb_ledger run[2], *current;
};

static void app(void *ctx, const struct mpb_delivery *delivery)
{
    struct session *s = ctx;
    mpb_ledger_see(s->current, delivery->msg, delivery->hash);
}

/* Deliver all but those lost; claim that those not in `claimed` were. */
static enum mpb_status session(const char *variant, size_t capacity, const bool lost[TOTAL],
                               const bool claimed[TOTAL])
{
    struct session s = {.workload = NULL};
    struct mpb_mix mix;
    uint32_t index[TOTAL];
    size_t n = 0, n_warmup = 0;
    assert_int_equal(mpb_mix_parse("8:1,300:1", "--mix", &mix, NULL), MPB_OK);
    struct mpb_workload_cfg workload = {42, &mix, N_WARMUP, N_MESSAGES, 1, 0};
    assert_int_equal(mpb_workload_new(&workload, &s.workload, NULL), MPB_OK);
    struct mpb_node_cfg cfg = {.variant = mpb_variant_find(variant),
                               .pubsub_topic = MPB_BYTES_OF(MPB_WORKLOAD_PUBSUB_TOPIC),
                               .archive_capacity = capacity,
                               .app = app,
                               .app_ctx = &s};
    assert_int_equal(mpb_node_new(&cfg, &s.node, NULL), MPB_OK);
    for (size_t i = 0; i < TOTAL; i++) {
        s.current = &s.run[i < N_WARMUP ? 0 : 1];
        if (!lost[i]) {
            struct mpb_buffer *buffer = mpb_buffer_new(mpb_workload_encoded_len(s.workload, i));
            mpb_workload_encode(s.workload, i, buffer->data);
            assert_int_equal(
                mpb_node_receive(s.node, buffer, mpb_workload_timestamp_ns(s.workload, i)), MPB_OK);
        }
        if (!claimed[i]) {
            index[n++] = (uint32_t)i;
            n_warmup += i < N_WARMUP ? 1 : 0;
        }
    }
    struct mpb_ledger_claim claim = {.workload = s.workload,
                                     .node = s.node,
                                     .run = s.run,
                                     .n_warmup = n_warmup,
                                     .n_messages = n - n_warmup,
                                     .n_runs = 1,
                                     .index = index,
                                     .archive_capacity = capacity};
    enum mpb_status st = mpb_ledger_verify(&claim, NULL);
    mpb_node_free(s.node);
    mpb_workload_free(s.workload);
    return st;
}

static void test_losses(void **state)
{
    (void)state;
    static const char *const variants[] = {"before", "after", "floor"};
    static const size_t capacities[] = {4, TOTAL};
    for (size_t i = 0; i < MPB_ARRAY_LEN(variants) * MPB_ARRAY_LEN(capacities); i++) {
        const char *variant = variants[i / 2];
        size_t capacity = capacities[i % 2];
        const bool lost[TOTAL] = {[1] = true, [7] = true, [8] = true, [TOTAL - 2] = true};
        assert_int_equal(session(variant, capacity, lost, lost), MPB_OK);
        for (size_t k = 0; k < TOTAL; k++) {
            bool other[TOTAL];
            memcpy(other, lost, sizeof(other));
            other[k] = !other[k]; /* one more or one less */
            assert_int_equal(session(variant, capacity, lost, other), MPB_E_VERIFY);
            other[k] = lost[k];
            other[8] = lost[k];
            other[k] = true; /* another one */
            assert_int_equal(session(variant, capacity, lost, other),
                             k == 8 || lost[k] ? MPB_OK : MPB_E_VERIFY);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_losses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
