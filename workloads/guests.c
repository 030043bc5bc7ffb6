/* guests.c: serving further connections (see guests.h). Sockets are watched edge-triggered; a read
 * that came short is not followed by another, so the end of a stream behind its last bytes has no
 * edge of its own and is noted when it is announced. */
#include "workloads/guests.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static enum mpb_status watch(const struct mpb_guests *g, int fd, struct mpb_error *err)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                                .data = {.fd = fd}};
    if (epoll_ctl(g->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0) {
        return mpb_error_sys(err, MPB_E_IO, "macro", "cannot watch a socket");
    }
    return MPB_OK;
}

enum mpb_status mpb_guests_open(struct mpb_guests *guests, struct mpb_error *err)
{
    return watch(guests, guests->listen_fd, err);
}

void mpb_guests_notice(struct mpb_guests *guests, const struct epoll_event *event)
{
    guests->knocking = guests->knocking || event->data.fd == guests->listen_fd;
    for (size_t i = 0; i < guests->n; i++) {
        if (guests->at[i].fd == event->data.fd) {
            guests->at[i].drained = false;
            guests->at[i].ended = (event->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
        }
    }
}

static bool is_ready(const struct mpb_guest *guest)
{
    return !guest->drained || guest->ended;
}

bool mpb_guests_are_busy(const struct mpb_guests *guests)
{
    bool is_busy = guests->knocking;
    for (size_t i = 0; i < guests->n; i++) {
        is_busy = is_busy || is_ready(&guests->at[i]);
    }
    return is_busy;
}

static enum mpb_status welcome(struct mpb_guests *g, int fd, struct mpb_error *err)
{
    struct mpb_guest *guest = &g->at[g->n];
    enum mpb_status st = watch(g, fd, err);
    if (st != MPB_OK) {
        close(fd);
        return st;
    }
    *guest = (struct mpb_guest){.fd = fd};
    st = mpb_gossip_add_peer(g->gossip, fd, &guest->peer, err);
    g->n += st == MPB_OK ? 1 : 0;
    return st;
}

static enum mpb_status accept_all(struct mpb_guests *g, struct mpb_error *err)
{
    enum mpb_status st = MPB_OK;
    while (g->knocking && st == MPB_OK) {
        int fd = accept4(g->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
            st = mpb_error_sys(err, MPB_E_IO, "macro", "cannot accept");
        } else if (fd < 0) {
            g->knocking = errno != EAGAIN;
        } else if (g->n == MPB_GUESTS_MAX) {
            g->n_met++;
            g->n_turned_away++;
            close(fd);
        } else {
            g->n_met++;
            st = welcome(g, fd, err);
        }
    }
    return st;
}

static enum mpb_status serve_all(struct mpb_guests *g, struct mpb_error *err)
{
    enum mpb_status st = MPB_OK;
    for (size_t i = 0; i < g->n && st == MPB_OK;) {
        struct mpb_guest *guest = &g->at[i];
        bool lost = false;
        if (is_ready(guest)) {
            st = mpb_gossip_serve(g->gossip, guest->peer, &guest->drained, &lost, err);
            if (st != MPB_OK) {
                return mpb_error_set(err, st, "macro", "the node failed: %s", mpb_status_text(st));
            }
        }
        if (lost) {
            *guest = g->at[--g->n];
        } else {
            i++;
        }
    }
    return st;
}

enum mpb_status mpb_guests_serve(struct mpb_guests *guests, struct mpb_error *err)
{
    struct mpb_account start;
    if (!mpb_guests_are_busy(guests)) {
        return MPB_OK;
    }
    mpb_account_read(guests->source, &start);
    enum mpb_status st = accept_all(guests, err);
    if (st == MPB_OK) {
        st = serve_all(guests, err);
    }
    mpb_account_charge(guests->source, &start, &guests->bill);
    return st;
}
