/* outbox.h: frames waiting to leave a connection: three queues by priority, limited in messages as
 * nim-libp2p limits them. Knows no socket: it says which bytes come next and is told how many of
 * them left. A frame that has partly left is finished before any other. */
#ifndef MPB_CORE_OUTBOX_H
#define MPB_CORE_OUTBOX_H

#include <sys/uio.h>

#include "core/buffer.h"
#include "instrument/status.h"

MPB_BEGIN_DECLS

enum mpb_priority { MPB_PRIORITY_HIGH, MPB_PRIORITY_MEDIUM, MPB_PRIORITY_LOW, MPB_PRIORITY__COUNT };
#define MPB_PEER_QUEUE_HIGH 256   /* messages; nim-libp2p: overflow disconnects */
#define MPB_PEER_QUEUE_MEDIUM 512 /* own publishes */
#define MPB_PEER_QUEUE_LOW 1024   /* relayed */

struct mpb_outbox_frame; /* private */
struct mpb_outbox_queue {
    struct mpb_outbox_frame *first, *last;
    size_t len;
};

/* Zero-initialised is empty. */
struct mpb_outbox {
    struct mpb_outbox_queue queues[MPB_PRIORITY__COUNT];
    struct mpb_outbox_frame *outgoing; /* has partly left, and its queue wholly; or NULL */
    size_t n_written;                  /* of outgoing */
    size_t bytes;                      /* of all frames here, outgoing wholly counted */
};

void mpb_outbox_fini(struct mpb_outbox *outbox); /* frees all frames */
/* Has the queue as many messages as it may? A frame that is partly sent does not count. */
bool mpb_outbox_is_full(const struct mpb_outbox *outbox, enum mpb_priority priority);
bool mpb_outbox_is_empty(const struct mpb_outbox *outbox);

/* Add a frame, whatever the limit. join: copy the parts into one buffer (neither a copy nor an
 * encode), else keep a reference to parts->buffer. head and tail are copied either way: one
 * allocation at the current site. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_outbox_push(struct mpb_outbox *outbox, enum mpb_priority priority,
                                             const struct mpb_parts *parts, bool join);
/* The bytes to send next, in order, as far as iov[cap] goes (cap at least 3); borrowed until the
 * next call. Returns how many of iov; 0 when empty. */
size_t mpb_outbox_peek(const struct mpb_outbox *outbox, struct iovec *iov, size_t cap);
/* n_bytes of those were sent. Returns how many frames that finished; they are freed. */
size_t mpb_outbox_advance(struct mpb_outbox *outbox, size_t n_bytes);

MPB_END_DECLS

#endif
