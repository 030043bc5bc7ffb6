/* test_guests.c: connections nobody invited: their frames are handled to the last, on a bill of
 * their own; too many are turned away; a close right behind the last bytes is not missed. */
#include "workloads/guests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/tests/socket_fixture.h"
#include "workloads/link.h"
#include "workloads/workload.h"

struct house {
    struct mpb_node *node;
    struct mpb_gossip *gossip;
    struct mpb_account_source source;
    struct mpb_guests guests;
    uint16_t port;
};

static void app(void *ctx, const struct mpb_delivery *delivery)
{
    (void)ctx, (void)delivery;
}

static void set_up(struct house *h)
{
    struct mpb_node_cfg node = {.variant = mpb_variant_find("before"),
                                .pubsub_topic = MPB_BYTES_OF(MPB_WORKLOAD_PUBSUB_TOPIC),
                                .archive_capacity = 10,
                                .app = app};
    assert_int_equal(mpb_node_new(&node, &h->node, NULL), MPB_OK);
    struct mpb_gossip_cfg gossip = {.node = h->node,
                                    .pubsub_topic = node.pubsub_topic,
                                    .variant = node.variant,
                                    .seen_capacity = 1000,
                                    .heartbeat_ns = 1000000000};
    assert_int_equal(mpb_gossip_new(&gossip, &h->gossip, NULL), MPB_OK);
    h->source = (struct mpb_account_source){h->node, h->gossip, NULL, true};
    h->guests.gossip = h->gossip;
    h->guests.source = &h->source;
    h->guests.epoll_fd = epoll_create1(0);
    assert_int_equal(mpb_link_listen(&h->guests.listen_fd, &h->port, NULL), MPB_OK);
    assert_int_equal(mpb_guests_open(&h->guests, NULL), MPB_OK);
}

static void tear_down(struct house *h)
{
    mpb_gossip_free(h->gossip);
    mpb_node_free(h->node);
    close(h->guests.epoll_fd);
    close(h->guests.listen_fd);
}

/* As a node's loop does, until no event has come for a while. */
static void serve(struct house *h)
{
    for (;;) {
        struct epoll_event events[8];
        int n = epoll_wait(h->guests.epoll_fd, events, MPB_ARRAY_LEN(events),
                           mpb_guests_are_busy(&h->guests) ? 0 : 15);
        if (n == 0 && !mpb_guests_are_busy(&h->guests)) {
            return;
        }
        for (int i = 0; i < n; i++) {
            mpb_guests_notice(&h->guests, &events[i]);
        }
        assert_int_equal(mpb_guests_serve(&h->guests, NULL), MPB_OK);
    }
}

static int visit(const struct house *h)
{
    int fd = -1;
    assert_int_equal(mpb_link_connect(h->port, SOCKET_PATIENCE_MS, &fd, NULL), MPB_OK);
    return fd;
}

/* A frame with one message that does not decode; they differ by their number. */
static void send_bad_message(int fd, uint32_t number)
{
    uint8_t frame[200], trailer[MPB_RPC_TOPIC_MAX + 4];
    size_t trailer_len = 0;
    size_t n =
        mpb_rpc_publish(7, MPB_BYTES_OF(MPB_WORKLOAD_PUBSUB_TOPIC), frame, trailer, &trailer_len);
    memcpy(frame + n, "\x0a\x7f", 3);
    memcpy(frame + n + 3, &number, sizeof(number));
    memcpy(frame + n + 7, trailer, trailer_len);
    struct mpb_bytes bytes = {frame, n + 7 + trailer_len};
    socket_write(fd, bytes);
}

static uint64_t n_rejected(const struct mpb_account *account)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < MPB_STATUS__COUNT; i++) {
        sum += account->node.rejected_by_codec[i];
    }
    return sum;
}

static void test_bill(void **state)
{
    (void)state;
    struct house h = {.node = NULL};
    struct mpb_account own;
    set_up(&h);
    struct mpb_account start;
    mpb_account_read(&h.source, &start);
    int fd = visit(&h);
    for (uint32_t i = 0; i < 100; i++) {
        send_bad_message(fd, i);
    }
    serve(&h);
    assert_int_equal(h.guests.n, 1);
    assert_int_equal(n_rejected(&h.guests.bill), 100);
    assert_int_equal(h.guests.bill.gossip.received, 100);
    assert_true(h.guests.bill.counts.live_bytes > 0);
    assert_true(mpb_probe_total(&h.guests.bill.counts, MPB_METRIC_DECODES) >= 100);
    close(fd); /* its greeting is unread: a reset */
    serve(&h);
    assert_int_equal(h.guests.n, 0);
    assert_int_equal(h.guests.bill.counts.live_bytes, 0);
    assert_true(h.guests.bill.counts.peak_bytes > 0);
    mpb_account_read(&h.source, &own);
    mpb_account_subtract(&own, &start);
    mpb_account_subtract(&own, &h.guests.bill);
    own.counts.peak_bytes = 0;
    static const struct mpb_account nothing;
    assert_memory_equal(&own, &nothing, sizeof(own)); /* nothing is left for the node */
    tear_down(&h);
}

/* Half-closed right behind the bytes, before they are read: all are handled, and so is the end. */
static void test_the_end_is_not_missed(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 70; n++) { /* around the frames of one turn, and of one read */
        struct house h = {.node = NULL};
        set_up(&h);
        int fd = visit(&h);
        for (uint32_t i = 0; i < n; i++) {
            send_bad_message(fd, i);
        }
        assert_int_equal(shutdown(fd, SHUT_WR), 0);
        serve(&h);
        assert_int_equal(h.guests.n, 0);
        assert_int_equal(n_rejected(&h.guests.bill), n);
        close(fd);
        tear_down(&h);
    }
}

static void test_too_many_are_turned_away(void **state)
{
    (void)state;
    enum { N = MPB_GUESTS_MAX + 9 };
    struct house h = {.node = NULL};
    int fds[N];
    char byte = 0;
    set_up(&h);
    for (size_t i = 0; i < N; i++) {
        fds[i] = visit(&h);
    }
    serve(&h);
    assert_int_equal(h.guests.n, MPB_GUESTS_MAX);
    assert_int_equal(h.guests.n_met, N);
    assert_int_equal(h.guests.n_turned_away, N - MPB_GUESTS_MAX);
    socket_await(fds[N - 1]);
    assert_int_equal(recv(fds[N - 1], &byte, 1, 0), 0); /* closed at once, greeted with nothing */
    for (size_t i = 0; i < N; i++) {
        close(fds[i]);
    }
    serve(&h);
    assert_int_equal(h.guests.n, 0);
    int again = visit(&h); /* there is room again */
    serve(&h);
    assert_int_equal(h.guests.n, 1);
    close(again);
    tear_down(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bill),
        cmocka_unit_test(test_the_end_is_not_missed),
        cmocka_unit_test(test_too_many_are_turned_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
