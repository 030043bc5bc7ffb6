/* peer.c: frames over a socket (see peer.h). */
#include "core/peer.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "instrument/heap.h"

enum {
    STAGE_LEN = 1024, /* bytes read beyond a frame: all that is ever moved twice */
    IOV_LEN = 64,     /* pieces given to one sendmsg */
};

struct mpb_peer {
    int fd;
    size_t frame_max;
    /* The frame that is arriving, or NULL; and, from stage[staged_at] to stage[staged_end], what
     * the socket gave beyond it. While the frame lacks bytes, nothing is staged. */
    struct mpb_buffer *incoming;
    size_t n_filled, prefix_len;
    size_t staged_at, staged_end;
    struct mpb_outbox outbox;
    struct mpb_peer_stats stats;
    uint8_t stage[STAGE_LEN];
};

enum mpb_status mpb_peer_new(int fd, size_t frame_max, struct mpb_peer **out)
{
    assert(frame_max <= MPB_RPC_FRAME_MAX);
    MPB_PROBE_SITE(MPB_SITE_TRANSPORT);
    struct mpb_peer *peer = mpb_heap_alloc(sizeof(*peer));
    if (peer == NULL) {
        return MPB_E_NOMEM;
    }
    memset(peer, 0, sizeof(*peer));
    peer->fd = fd;
    peer->frame_max = frame_max;
    *out = peer;
    return MPB_OK;
}

void mpb_peer_free(struct mpb_peer *peer)
{
    if (peer == NULL) {
        return;
    }
    MPB_PROBE_SITE(MPB_SITE_TRANSPORT);
    mpb_buffer_unref(peer->incoming);
    mpb_outbox_fini(&peer->outbox);
    close(peer->fd);
    mpb_heap_free(peer);
}

int mpb_peer_fd(const struct mpb_peer *peer)
{
    return peer->fd;
}

const struct mpb_peer_stats *mpb_peer_stats(const struct mpb_peer *peer)
{
    return &peer->stats;
}

size_t mpb_peer_partial_in(const struct mpb_peer *peer)
{
    size_t n_staged = peer->staged_end - peer->staged_at;
    return peer->incoming != NULL ? peer->prefix_len + peer->n_filled : n_staged;
}

/* Begin the frame whose prefix is staged, with those of its bytes that are staged too. Without a
 * whole prefix there, nothing is begun. */
static enum mpb_status begin_frame(struct mpb_peer *peer, struct mpb_error *err)
{
    struct mpb_bytes staged = {peer->stage + peer->staged_at, peer->staged_end - peer->staged_at};
    size_t rpc_len = 0, prefix_len = 0;
    enum mpb_status status = mpb_rpc_frame_len(staged, &rpc_len, &prefix_len);
    if (status == MPB_E_TRUNCATED) {
        return MPB_OK;
    }
    if (status == MPB_OK && rpc_len > peer->frame_max) {
        status = MPB_E_VARINT_RANGE;
    }
    if (status != MPB_OK) {
        return mpb_error_set(err, status, "peer", "length of a frame: %s (at most %zu)",
                             mpb_status_text(status), peer->frame_max);
    }
    MPB_PROBE_SITE(MPB_SITE_TRANSPORT);
    struct mpb_buffer *buffer = mpb_buffer_new(rpc_len);
    if (buffer == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "peer", "no memory for a frame of %zu", rpc_len);
    }
    size_t n_more = staged.len - prefix_len < rpc_len ? staged.len - prefix_len : rpc_len;
    memcpy(buffer->data, staged.data + prefix_len, n_more);
    peer->incoming = buffer;
    peer->n_filled = n_more;
    peer->prefix_len = prefix_len;
    peer->staged_at += prefix_len + n_more;
    return MPB_OK;
}

/* What the next read may fill: the rest of the frame, and the stage. */
static size_t aim(struct mpb_peer *peer, struct iovec iov[2])
{
    size_t n_kept = peer->staged_end - peer->staged_at, n_iov = 0;
    memmove(peer->stage, peer->stage + peer->staged_at, n_kept); /* of a prefix: 2 bytes at most */
    peer->staged_at = 0;
    peer->staged_end = n_kept;
    if (peer->incoming != NULL) {
        iov[n_iov].iov_base = peer->incoming->data + peer->n_filled;
        iov[n_iov++].iov_len = peer->incoming->len - peer->n_filled;
    }
    iov[n_iov].iov_base = peer->stage + n_kept;
    iov[n_iov++].iov_len = STAGE_LEN - n_kept;
    return n_iov;
}

/* n_bytes came where aim() had pointed. */
static void arrive(struct mpb_peer *peer, size_t n_bytes)
{
    peer->stats.bytes_in += n_bytes;
    if (peer->incoming != NULL) {
        size_t n_left = peer->incoming->len - peer->n_filled;
        size_t n_here = n_bytes < n_left ? n_bytes : n_left;
        peer->n_filled += n_here;
        n_bytes -= n_here;
    }
    peer->staged_end += n_bytes;
}

static MPB_COLD enum mpb_status fail_closed(const struct mpb_peer *peer, struct mpb_error *err)
{
    size_t n_partial = mpb_peer_partial_in(peer);
    if (n_partial == 0) {
        return mpb_error_set(err, MPB_E_INCOMPLETE, "peer", "the peer closed the connection");
    }
    return mpb_error_set(err, MPB_E_INCOMPLETE, "peer",
                         "the peer closed in the middle of a frame, after %zu bytes", n_partial);
}

/* Read once. *is_drained: the socket had no more. */
static enum mpb_status receive(struct mpb_peer *peer, bool *is_drained, struct mpb_error *err)
{
    struct iovec iov[2];
    struct msghdr message = {.msg_iov = iov, .msg_iovlen = aim(peer, iov)};
    size_t n_asked = iov[0].iov_len + (message.msg_iovlen > 1 ? iov[1].iov_len : 0);
    ssize_t n_bytes = -1;
    do {
        n_bytes = recvmsg(peer->fd, &message, MSG_DONTWAIT);
    } while (n_bytes < 0 && errno == EINTR);
    if (n_bytes < 0 && errno != EAGAIN) {
        return mpb_error_sys(err, MPB_E_IO, "peer", "cannot receive");
    }
    if (n_bytes == 0) {
        return fail_closed(peer, err);
    }
    arrive(peer, n_bytes < 0 ? 0 : (size_t)n_bytes);
    *is_drained = n_bytes < (ssize_t)n_asked;
    return MPB_OK;
}

enum mpb_status mpb_peer_read(struct mpb_peer *peer, size_t max_frames, mpb_peer_frame_fn frame,
                              void *ctx, bool *blocked, struct mpb_error *err)
{
    bool is_drained = false;
    size_t n_frames = 0;
    while (n_frames < max_frames) {
        enum mpb_status status = peer->incoming == NULL ? begin_frame(peer, err) : MPB_OK;
        struct mpb_buffer *rpc = peer->incoming;
        if (status == MPB_OK && rpc != NULL && peer->n_filled == rpc->len) {
            peer->incoming = NULL;
            peer->stats.frames_in++;
            n_frames++;
            status = frame(ctx, rpc);
        } else if (status == MPB_OK && is_drained) {
            break;
        } else if (status == MPB_OK) {
            status = receive(peer, &is_drained, err);
        }
        if (status != MPB_OK) {
            return status;
        }
    }
    *blocked = n_frames < max_frames;
    return MPB_OK;
}

enum mpb_status mpb_peer_send(struct mpb_peer *peer, enum mpb_priority priority,
                              const struct mpb_parts *parts, bool join, bool *queued)
{
    struct mpb_peer_stats *stats = &peer->stats;
    if (mpb_outbox_is_full(&peer->outbox, priority)) {
        stats->dropped[priority]++;
        if (priority == MPB_PRIORITY_HIGH) {
            return MPB_E_INCOMPLETE;
        }
        *queued = false;
        return MPB_OK;
    }
    MPB_PROBE_SITE(MPB_SITE_TRANSPORT);
    enum mpb_status status = mpb_outbox_push(&peer->outbox, priority, parts, join);
    if (status != MPB_OK) {
        return status;
    }
    stats->queued_bytes = peer->outbox.bytes;
    if (stats->queued_bytes > stats->queued_bytes_max) {
        stats->queued_bytes_max = stats->queued_bytes;
    }
    *queued = true;
    return MPB_OK;
}

/* The socket took n_bytes. */
static void depart(struct mpb_peer *peer, size_t n_bytes)
{
    peer->stats.bytes_out += n_bytes;
    peer->stats.frames_out += mpb_outbox_advance(&peer->outbox, n_bytes);
    peer->stats.queued_bytes = peer->outbox.bytes;
}

/* Write once. *is_full: the socket takes no more. */
static enum mpb_status transmit(struct mpb_peer *peer, bool *is_full, struct mpb_error *err)
{
    struct iovec iov[IOV_LEN];
    struct msghdr message = {
        .msg_iov = iov,
        .msg_iovlen = mpb_outbox_peek(&peer->outbox, iov, IOV_LEN),
    };
    size_t n_offered = 0;
    ssize_t n_bytes = -1;
    for (size_t i = 0; i < message.msg_iovlen; i++) {
        n_offered += iov[i].iov_len;
    }
    do {
        n_bytes = sendmsg(peer->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (n_bytes < 0 && errno == EINTR);
    if (n_bytes < 0 && errno != EAGAIN) {
        return mpb_error_sys(err, MPB_E_IO, "peer", "cannot send");
    }
    depart(peer, n_bytes < 0 ? 0 : (size_t)n_bytes);
    *is_full = n_bytes < (ssize_t)n_offered;
    return MPB_OK;
}

bool mpb_peer_has_output(const struct mpb_peer *peer)
{
    return !mpb_outbox_is_empty(&peer->outbox);
}

enum mpb_status mpb_peer_flush(struct mpb_peer *peer, bool *blocked, struct mpb_error *err)
{
    bool is_full = false;
    MPB_PROBE_SITE(MPB_SITE_TRANSPORT);
    while (!is_full && mpb_peer_has_output(peer)) {
        enum mpb_status status = transmit(peer, &is_full, err);
        if (status != MPB_OK) {
            return status;
        }
    }
    *blocked = is_full;
    return MPB_OK;
}
