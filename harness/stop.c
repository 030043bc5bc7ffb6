/* stop.c: signals by signalfd. */
#include "harness/stop.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum mpb_status mpb_stop_open(struct mpb_stop *stop, struct mpb_error *err)
{
    sigset_t held, old;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    if (sigprocmask(SIG_BLOCK, &held, &old) != 0) {
        return mpb_error_sys(err, MPB_E_UNAVAILABLE, "signals", "cannot be held back");
    }
    int fd = signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0) {
        enum mpb_status st = mpb_error_sys(err, MPB_E_UNAVAILABLE, "signals", "cannot be watched");
        sigprocmask(SIG_SETMASK, &old, NULL);
        return st;
    }
    *stop = (struct mpb_stop){fd, old};
    return MPB_OK;
}

bool mpb_stop_is_set(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int n = 0;
    do {
        n = poll(&p, 1, 0);
    } while (n < 0 && errno == EINTR);
    return n > 0;
}

void mpb_stop_close(struct mpb_stop *stop)
{
    struct signalfd_siginfo info;
    while (read(stop->fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
    }
    close(stop->fd);
    sigprocmask(SIG_SETMASK, &stop->old_mask, NULL);
}
