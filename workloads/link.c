/* link.c: loopback sockets and pinning. */
#include "workloads/link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in loopback(uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

enum mpb_status mpb_link_listen(int *out_fd, uint16_t *out_port, struct mpb_error *err)
{
    struct sockaddr_in address = loopback(0);
    socklen_t len = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) != 0 || listen(fd, SOMAXCONN) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &len) != 0) {
        mpb_error_sys(err, MPB_E_UNAVAILABLE, "127.0.0.1", "cannot listen");
        if (fd >= 0) {
            close(fd);
        }
        return MPB_E_UNAVAILABLE;
    }
    *out_fd = fd;
    *out_port = ntohs(address.sin_port);
    return MPB_OK;
}

static enum mpb_status set_options(int fd, struct mpb_error *err)
{
    int on = 1;
    if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, MPB_LINK_CONGESTION,
                   (socklen_t)strlen(MPB_LINK_CONGESTION)) != 0) {
        return mpb_error_sys(err, MPB_E_UNAVAILABLE, "127.0.0.1",
                             "cannot set TCP_CONGESTION to " MPB_LINK_CONGESTION);
    }
    return MPB_OK;
}

static enum mpb_status wait_for(int fd, short events, int timeout_ms, struct mpb_error *err)
{
    struct pollfd p = {.fd = fd, .events = events};
    int n = poll(&p, 1, timeout_ms);
    if (n == 0) {
        return mpb_error_set(err, MPB_E_TIMEOUT, "127.0.0.1", "no connection within %d ms",
                             timeout_ms);
    }
    return n > 0 ? MPB_OK : mpb_error_sys(err, MPB_E_IO, "127.0.0.1", "cannot wait");
}

/* Has the connection been made? */
static enum mpb_status check_connected(int fd, struct mpb_error *err)
{
    int problem = 0;
    socklen_t len = sizeof(problem);
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &len) != 0 || problem != 0) {
        errno = problem != 0 ? problem : errno;
        return mpb_error_sys(err, MPB_E_IO, "127.0.0.1", "cannot connect");
    }
    return MPB_OK;
}

enum mpb_status mpb_link_connect(uint16_t port, int timeout_ms, int *out_fd, struct mpb_error *err)
{
    struct sockaddr_in address = loopback(port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return mpb_error_sys(err, MPB_E_UNAVAILABLE, "127.0.0.1", "cannot make a socket");
    }
    enum mpb_status st = set_options(fd, err);
    if (st == MPB_OK && connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        st = errno == EINPROGRESS ? wait_for(fd, POLLOUT, timeout_ms, err)
                                  : mpb_error_sys(err, MPB_E_IO, "127.0.0.1", "cannot connect");
    }
    if (st == MPB_OK) {
        st = check_connected(fd, err);
    }
    if (st != MPB_OK) {
        close(fd);
        return st;
    }
    *out_fd = fd;
    return MPB_OK;
}

enum mpb_status mpb_link_accept(int listen_fd, int timeout_ms, int *out_fd, struct mpb_error *err)
{
    enum mpb_status st = wait_for(listen_fd, POLLIN, timeout_ms, err);
    if (st != MPB_OK) {
        return st;
    }
    int fd = accept4(listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
        return mpb_error_sys(err, MPB_E_IO, "127.0.0.1", "cannot accept");
    }
    st = set_options(fd, err);
    if (st != MPB_OK) {
        close(fd);
        return st;
    }
    *out_fd = fd;
    return MPB_OK;
}

unsigned mpb_link_n_cpus(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

int mpb_link_cpu(unsigned nth)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0 || CPU_COUNT(&allowed) == 0) {
        return -1;
    }
    unsigned skip = nth % (unsigned)CPU_COUNT(&allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET((size_t)cpu, &allowed) && skip-- == 0) {
            return cpu;
        }
    }
    return -1;
}

int mpb_link_pin(unsigned nth)
{
    cpu_set_t one;
    int cpu = mpb_link_cpu(nth);
    if (cpu < 0) {
        return -1;
    }
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    return sched_setaffinity(0, sizeof(one), &one) == 0 ? cpu : -1;
}

void mpb_link_congestion(char out[16])
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t len = 15;
    memset(out, 0, 16);
    if (fd < 0 || set_options(fd, NULL) != MPB_OK ||
        getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, out, &len) != 0) {
        out[0] = '\0';
    }
    if (fd >= 0) {
        close(fd);
    }
}
