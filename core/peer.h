/* peer.h: one connection: frames in, frames out, over a non-blocking socket.
 *
 * In: the length prefix, then a buffer of exactly that length in the measured heap (site
 * transport), read into directly. A socket is read in pieces of "the rest of this frame and a
 * little more", so a large frame costs one or two system calls, and some dozen small ones
 * one; only that little more is ever moved again.
 *
 * Out: an outbox (outbox.h); a frame that does not fit its queue is dropped and counted, a full
 * high-priority queue ends the connection. A frame is head | data | tail: joined into one
 * buffer, or sent as it is while a reference keeps the data.
 *
 * Nothing here blocks or raises SIGPIPE. Meant for level-triggered epoll: a read or write that the
 * socket cuts short counts as blocked, without asking again. */
#ifndef MPB_CORE_PEER_H
#define MPB_CORE_PEER_H

#include "core/outbox.h"
#include "core/rpc.h"

MPB_BEGIN_DECLS

struct mpb_peer_stats {
    uint64_t frames_in, frames_out;        /* whole ones */
    uint64_t bytes_in, bytes_out;          /* bytes the socket gave and took, prefixes included */
    uint64_t dropped[MPB_PRIORITY__COUNT]; /* frames that found their queue full */
    size_t queued_bytes, queued_bytes_max; /* bytes of frames not wholly sent, now and at most */
};

struct mpb_peer;

/* Over a connected stream socket, which it takes over (not on failure). frame_max: longest RPC
 * accepted, at most MPB_RPC_FRAME_MAX. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_peer_new(int fd, size_t frame_max, struct mpb_peer **out);
void mpb_peer_free(struct mpb_peer *peer); /* closes the socket; NULL is a no-op */
int mpb_peer_fd(const struct mpb_peer *peer);

/* Read what the socket has, at most max_frames frames, and give each whole one to `frame`, which
 * gets a reference of its own to keep or drop; it may send to this peer, but not free it. MPB_OK:
 * more may come (*blocked: the socket is drained and no whole frame is left). MPB_E_INCOMPLETE: the
 * peer closed (in the middle of a frame if mpb_peer_partial_in() is not 0); MPB_E_VARINT_RANGE,
 * MPB_E_OVERLONG_VARINT: a bad length (the connection cannot go on); MPB_E_IO: a reset;
 * MPB_E_NOMEM (reading again resumes); or what `frame` returned (likewise). */
typedef enum mpb_status (*mpb_peer_frame_fn)(void *ctx, struct mpb_buffer *rpc);
MPB_MUST_USE enum mpb_status mpb_peer_read(struct mpb_peer *peer, size_t max_frames,
                                           mpb_peer_frame_fn frame, void *ctx, bool *blocked,
                                           struct mpb_error *err);

/* Bytes that came and were not given out in a frame yet, prefixes included; 0 between frames. */
size_t mpb_peer_partial_in(const struct mpb_peer *peer);

/* Queue a frame. join: copy the parts into one buffer (neither a copy nor an encode), else keep a
 * reference to parts->buffer. head and tail are copied either way: one allocation (site
 * transport). *queued is false when the queue was full (counted). MPB_E_NOMEM; MPB_E_INCOMPLETE
 * when a full high queue means the connection must end (counted too). */
MPB_MUST_USE enum mpb_status mpb_peer_send(struct mpb_peer *peer, enum mpb_priority priority,
                                           const struct mpb_parts *parts, bool join, bool *queued);
/* Write what the socket takes, high before medium before low priority; *blocked: it takes no more
 * now. MPB_E_IO when the peer is gone. */
MPB_MUST_USE enum mpb_status mpb_peer_flush(struct mpb_peer *peer, bool *blocked,
                                            struct mpb_error *err);
bool mpb_peer_has_output(const struct mpb_peer *peer);
const struct mpb_peer_stats *mpb_peer_stats(const struct mpb_peer *peer);

MPB_END_DECLS

#endif
