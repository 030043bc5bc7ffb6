/* socket_fixture.h: connected sockets, and what a peer's frames come to, for the tests of
 * connections. */
#ifndef MPB_CORE_TESTS_SOCKET_FIXTURE_H
#define MPB_CORE_TESTS_SOCKET_FIXTURE_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/peer.h"
#include "core/tests/path_fixture.h"

enum { SOCKET_PATIENCE_MS = 5000 };

static inline void socket_tcp_pair(int fds[2])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t at_len = sizeof(at);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&at, at_len), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &at_len), 0);
    fds[0] = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fds[0], (struct sockaddr *)&at, at_len), 0);
    fds[1] = accept(listener, NULL, NULL);
    assert_true(fds[1] >= 0);
    close(listener);
}

/* A peer over one end; returns the other end, non-blocking too. */
static inline int socket_peer(bool is_tcp, size_t frame_max, struct mpb_peer **peer)
{
    int fds[2] = {-1, -1};
    if (is_tcp) {
        socket_tcp_pair(fds);
    } else {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    }
    assert_int_equal(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(mpb_peer_new(fds[0], frame_max, peer), MPB_OK);
    assert_int_equal(mpb_peer_fd(*peer), fds[0]);
    return fds[1];
}

/* Wait until there is something to read. */
static inline void socket_await(int fd)
{
    struct pollfd pollfd = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&pollfd, 1, SOCKET_PATIENCE_MS), 1);
}

static inline void socket_write(int fd, struct mpb_bytes bytes)
{
    assert_int_equal(send(fd, bytes.data, bytes.len, MSG_NOSIGNAL), bytes.len);
}

/* All frames that came. */
struct inbox {
    struct mpb_buffer *frames[512];
    size_t n_frames;
    enum mpb_status status; /* what to return of each */
};

static inline enum mpb_status inbox_take(void *ctx, struct mpb_buffer *rpc)
{
    struct inbox *inbox = ctx;
    assert_true(inbox->n_frames < MPB_ARRAY_LEN(inbox->frames));
    assert_int_equal(rpc->n_refs, 1);
    inbox->frames[inbox->n_frames++] = rpc;
    MPB_PROBE_SITE(MPB_SITE_APP); /* as a node's handler would leave it */
    return inbox->status;
}

static inline void inbox_clear(struct inbox *inbox)
{
    for (size_t i = 0; i < inbox->n_frames; i++) {
        mpb_buffer_unref(inbox->frames[i]);
    }
    inbox->n_frames = 0;
}

/* Read until blocked, or until the status is not MPB_OK. */
static inline enum mpb_status inbox_read(struct inbox *inbox, struct mpb_peer *peer,
                                         struct mpb_error *err)
{
    bool blocked = false;
    enum mpb_status status = MPB_OK;
    while (status == MPB_OK && !blocked) {
        status = mpb_peer_read(peer, 4, inbox_take, inbox, &blocked, err);
    }
    return status;
}

#endif
