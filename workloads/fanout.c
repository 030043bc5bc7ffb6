/* fanout.c: pushing to filter peers over TCP (see fanout.h). The table of peers is the harness's;
 * the connections in it are the node's own memory. */
#include "workloads/fanout.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "core/push.h"
#include "instrument/probe.h"
#include "workloads/arena.h"
#include "workloads/link.h"
#include "workloads/workload.h"

enum { CONNECT_TIMEOUT_MS = 5000, VARINT_MAX = 10 };

struct mpb_fanout {
    size_t map_len;
    int patience_ms;
    uint32_t n, cap;
    struct mpb_fanout_stats stats;
    struct mpb_peer *peer[]; /* peer[n], of peer[cap]; NULL: its connection has ended */
};

static const char *const drop_names[] = {
#define MPB_X(id, name, doc) name,
    MPB_PUSH_DROP_LIST(MPB_X)
#undef MPB_X
};

const char *mpb_fanout_drop_name(enum mpb_push_drop drop)
{
    return drop_names[drop];
}

enum mpb_status mpb_fanout_filter(uint32_t n_peers, struct mpb_filter **out)
{
    *out = NULL;
    if (n_peers == 0) {
        return MPB_OK;
    }
    struct mpb_filter *filter = mpb_filter_new();
    enum mpb_status st = filter != NULL ? MPB_OK : MPB_E_NOMEM;
    for (uint32_t peer = 0; peer < n_peers && st == MPB_OK; peer++) {
        st = mpb_filter_subscribe(filter, peer, MPB_BYTES_OF(MPB_WORKLOAD_PUBSUB_TOPIC),
                                  MPB_BYTES_OF(MPB_WORKLOAD_CONTENT_TOPIC));
    }
    if (st != MPB_OK) {
        mpb_filter_free(filter);
        return st;
    }
    *out = filter;
    return MPB_OK;
}

enum mpb_status mpb_fanout_new(uint32_t n_peers, int patience_ms, struct mpb_fanout **out,
                               struct mpb_error *err)
{
    size_t map_len = sizeof(struct mpb_fanout) + n_peers * sizeof(struct mpb_peer *);
    struct mpb_fanout *fanout = mpb_arena_map(map_len);
    if (fanout == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "filter peers", NULL);
    }
    fanout->map_len = map_len;
    fanout->patience_ms = patience_ms;
    fanout->cap = n_peers;
    *out = fanout;
    return MPB_OK;
}

void mpb_fanout_free(struct mpb_fanout *fanout)
{
    if (fanout == NULL) {
        return;
    }
    for (uint32_t i = 0; i < fanout->n; i++) {
        mpb_peer_free(fanout->peer[i]);
    }
    mpb_arena_unmap(fanout, fanout->map_len);
}

enum mpb_status mpb_fanout_add(struct mpb_fanout *fanout, int fd, struct mpb_error *err)
{
    if (fanout->n == fanout->cap ||
        mpb_peer_new(fd, MPB_RPC_FRAME_MAX, &fanout->peer[fanout->n]) != MPB_OK) {
        return mpb_error_set(err, MPB_E_NOMEM, "filter peers", NULL);
    }
    fanout->n++;
    return MPB_OK;
}

enum mpb_status mpb_fanout_connect(struct mpb_fanout *fanout, uint16_t port, struct mpb_error *err)
{
    while (fanout->n < fanout->cap) {
        int fd = -1;
        enum mpb_status st = mpb_link_connect(port, CONNECT_TIMEOUT_MS, &fd, err);
        if (st != MPB_OK) {
            return st;
        }
        st = mpb_fanout_add(fanout, fd, err);
        if (st != MPB_OK) {
            close(fd);
            return st;
        }
    }
    return MPB_OK;
}

/* The length prefix and the push's head. */
static size_t put_header(const struct mpb_parts *push,
                         uint8_t out[VARINT_MAX + MPB_PUSH_HEADER_MAX])
{
    size_t len = mpb_buffer_parts_len(push), n = 0;
    for (; len >= 0x80; len >>= 7) {
        out[n++] = (uint8_t)(len | 0x80);
    }
    out[n++] = (uint8_t)len;
    if (push->head.len > 0) {
        memcpy(out + n, push->head.data, push->head.len);
    }
    return n + push->head.len;
}

/* Wait until the socket takes more. A socket in error counts as willing: the next write says so. */
static enum mpb_status await_room(const struct mpb_fanout *fanout, const struct mpb_peer *peer)
{
    struct pollfd p = {.fd = mpb_peer_fd(peer), .events = POLLOUT};
    int n = -1;
    do {
        n = poll(&p, 1, fanout->patience_ms);
    } while (n < 0 && errno == EINTR);
    return n == 0 ? MPB_E_TIMEOUT : n > 0 ? MPB_OK : MPB_E_IO;
}

static enum mpb_status send_wholly(const struct mpb_fanout *fanout, struct mpb_peer *peer,
                                   const struct mpb_parts *push)
{
    uint8_t header[VARINT_MAX + MPB_PUSH_HEADER_MAX];
    struct mpb_parts frame = {
        {header, put_header(push, header)}, push->data, push->tail, push->buffer};
    bool queued = false, blocked = false;
    enum mpb_status st = mpb_peer_send(peer, MPB_PRIORITY_MEDIUM, &frame, false, &queued);
    if (st == MPB_OK) {
        st = mpb_peer_flush(peer, &blocked, NULL);
    }
    while (st == MPB_OK && blocked) {
        st = await_room(fanout, peer);
        if (st == MPB_OK) {
            st = mpb_peer_flush(peer, &blocked, NULL);
        }
    }
    return st;
}

enum mpb_status mpb_fanout_push(struct mpb_fanout *fanout, uint32_t peer,
                                const struct mpb_parts *push)
{
    struct mpb_peer *to = fanout->peer[peer];
    enum mpb_status st = to != NULL ? send_wholly(fanout, to, push) : MPB_E_INCOMPLETE;
    if (st == MPB_OK) {
        fanout->stats.taken++;
    } else if (st != MPB_E_NOMEM) {
        mpb_peer_free(to);
        fanout->peer[peer] = NULL;
        fanout->stats.dropped[st == MPB_E_TIMEOUT ? MPB_PUSH_DROP_TIMEOUT : MPB_PUSH_DROP_CLOSED]++;
        st = MPB_OK;
    }
    MPB_PROBE_SITE(MPB_SITE_PUSH);
    return st;
}

const struct mpb_fanout_stats *mpb_fanout_stats(const struct mpb_fanout *fanout)
{
    return &fanout->stats;
}
