/* test_fanout.c: pushes over real connections: the bytes of a frame, data by reference, a peer that
 * takes nothing, one that is gone. */
#include "workloads/fanout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/tests/socket_fixture.h"
#include "workloads/workload.h"

enum { PATIENCE_MS = 50, LARGE = 4000000 };

static struct mpb_parts parts_of(struct mpb_buffer *buffer)
{
    struct mpb_parts push = {{(const uint8_t *)"HEAD", 4},
                             mpb_buffer_view(buffer),
                             {(const uint8_t *)"TAIL", 4},
                             buffer};
    return push;
}

/* A fanout with n peers; their other ends to far[n]. */
static struct mpb_fanout *connect_peers(int *far, uint32_t n)
{
    struct mpb_fanout *fanout = NULL;
    assert_int_equal(mpb_fanout_new(n, PATIENCE_MS, &fanout, NULL), MPB_OK);
    for (uint32_t i = 0; i < n; i++) {
        int fds[2];
        socket_tcp_pair(fds);
        assert_int_equal(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
        far[i] = fds[1];
        assert_int_equal(mpb_fanout_add(fanout, fds[0], NULL), MPB_OK);
    }
    return fanout;
}

static void test_frames(void **state)
{
    (void)state;
    int far[3];
    uint8_t got[400];
    int64_t live = fixture_live_bytes();
    struct mpb_fanout *fanout = connect_peers(far, 3);
    struct mpb_buffer *buffer = mpb_buffer_new(200);
    memset(buffer->data, 'x', 200);
    struct mpb_parts push = parts_of(buffer);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(mpb_fanout_push(fanout, i, &push), MPB_OK);
        assert_int_equal(buffer->n_refs, 1); /* sent by reference, and let go */
        assert_int_equal(read(far[i], got, sizeof(got)), 2 + 208);
        assert_memory_equal(got, "\xd0\x01HEADxx", 8);
        assert_memory_equal(got + 204, "xxTAIL", 6);
        close(far[i]);
    }
    assert_int_equal(mpb_fanout_stats(fanout)->taken, 3);
    mpb_buffer_unref(buffer);
    mpb_fanout_free(fanout);
    assert_int_equal(fixture_live_bytes(), live);
}

static void test_who_takes_nothing_is_given_up(void **state)
{
    (void)state;
    int far[2];
    struct mpb_fanout *fanout = connect_peers(far, 2);
    struct mpb_buffer *large = mpb_buffer_new(LARGE);
    memset(large->data, 0, LARGE);
    struct mpb_parts push = parts_of(large);
    const struct mpb_fanout_stats *stats = mpb_fanout_stats(fanout);
    for (int i = 0; i < 10 && stats->dropped[MPB_PUSH_DROP_TIMEOUT] == 0; i++) {
        assert_int_equal(mpb_fanout_push(fanout, 0, &push), MPB_OK);
    }
    assert_int_equal(stats->dropped[MPB_PUSH_DROP_TIMEOUT], 1);
    assert_int_equal(large->n_refs, 1); /* nothing queues up */
    assert_int_equal(mpb_fanout_push(fanout, 0, &push), MPB_OK);
    assert_int_equal(stats->dropped[MPB_PUSH_DROP_CLOSED], 1);
    uint64_t taken = stats->taken;
    struct mpb_buffer *small = mpb_buffer_new(10);
    memset(small->data, 0, 10);
    push = parts_of(small);
    assert_int_equal(mpb_fanout_push(fanout, 1, &push), MPB_OK); /* the other is served */
    assert_int_equal(stats->taken, taken + 1);
    mpb_buffer_unref(small);
    mpb_buffer_unref(large);
    mpb_fanout_free(fanout);
    close(far[0]);
    close(far[1]);
}

static void test_who_is_gone_is_counted(void **state)
{
    (void)state;
    int far[1];
    struct mpb_fanout *fanout = connect_peers(far, 1);
    struct mpb_buffer *buffer = mpb_buffer_new(100);
    memset(buffer->data, 0, 100);
    struct mpb_parts push = parts_of(buffer);
    close(far[0]);
    const struct mpb_fanout_stats *stats = mpb_fanout_stats(fanout);
    for (int i = 0; i < 100 && stats->dropped[MPB_PUSH_DROP_CLOSED] < 3; i++) {
        assert_int_equal(mpb_fanout_push(fanout, 0, &push), MPB_OK);
        poll(NULL, 0, 1);
    }
    assert_int_equal(stats->dropped[MPB_PUSH_DROP_CLOSED], 3);
    assert_int_equal(stats->dropped[MPB_PUSH_DROP_TIMEOUT], 0);
    mpb_buffer_unref(buffer);
    mpb_fanout_free(fanout);
}

static void test_filter(void **state)
{
    (void)state;
    struct mpb_filter *filter = NULL;
    uint32_t peer = 0;
    size_t at = 0, n = 0;
    assert_int_equal(mpb_fanout_filter(0, &filter), MPB_OK);
    assert_null(filter);
    assert_int_equal(mpb_fanout_filter(5, &filter), MPB_OK);
    while (mpb_filter_match(filter, at, MPB_BYTES_OF(MPB_WORKLOAD_PUBSUB_TOPIC),
                            MPB_BYTES_OF(MPB_WORKLOAD_CONTENT_TOPIC), &peer, &at)) {
        assert_int_equal(peer, n++);
    }
    assert_int_equal(n, 5);
    mpb_filter_free(filter);
    assert_string_equal(mpb_fanout_drop_name(MPB_PUSH_DROP_TIMEOUT), "push_timeout");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_who_takes_nothing_is_given_up),
        cmocka_unit_test(test_who_is_gone_is_counted),
        cmocka_unit_test(test_filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
