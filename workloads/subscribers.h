/* subscribers.h: the F filter subscribers of a macro session: one harness thread that accepts their
 * connections, reads every push and throws it away, keeping a tally that is compared with the
 * generator afterwards.
 *
 * The thread is not pinned: both nodes are, and the scheduler is left to find it the idler
 * processor. Payloads are discarded in the kernel (MSG_TRUNC), so that reading disturbs the nodes'
 * caches little. Its memory is outside the measured heap. */
#ifndef MPB_WORKLOADS_SUBSCRIBERS_H
#define MPB_WORKLOADS_SUBSCRIBERS_H

#include "instrument/status.h"
#include "workloads/workload.h"

MPB_BEGIN_DECLS

/* What one subscriber read. */
struct mpb_subscriber_tally {
    uint64_t n_pushes, n_bytes; /* whole pushes, and their bytes without prefixes */
    uint64_t digest;            /* fold of length and first 64 bytes of each, in order */
};

struct mpb_subscribers;

/* Listen for n of them. MPB_E_NOMEM, MPB_E_UNAVAILABLE. */
MPB_MUST_USE enum mpb_status mpb_subscribers_new(uint32_t n, struct mpb_subscribers **out,
                                                 struct mpb_error *err);
uint16_t mpb_subscribers_port(const struct mpb_subscribers *subscribers);
/* Start the thread (after any fork). MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_subscribers_start(struct mpb_subscribers *subscribers,
                                                   struct mpb_error *err);
/* The node has closed its ends, or never opened them: read what is left and end the thread. The
 * first thing that went wrong there: MPB_E_IO, MPB_E_INPUT (bytes that are no push). */
MPB_MUST_USE enum mpb_status mpb_subscribers_finish(struct mpb_subscribers *subscribers,
                                                    struct mpb_error *err);
const struct mpb_subscriber_tally *mpb_subscribers_tally(const struct mpb_subscribers *subscribers,
                                                         uint32_t which);

/* What the generator says: of n messages, the kth being message index[k] (NULL: k). MPB_E_NOMEM.
 * Cost: one encoding of every message. */
struct mpb_subscribers_claim {
    const struct mpb_workload *workload;
    const uint32_t *index;
    size_t n_messages;
    uint64_t n_taken; /* pushes that left the node, of n_messages for each subscriber */
};
/* After _finish: every subscriber read exactly those pushes; when some were dropped (n_taken says
 * so), all that left arrived, and whoever read them all read the right ones. MPB_E_VERIFY. */
MPB_MUST_USE enum mpb_status mpb_subscribers_verify(const struct mpb_subscribers *subscribers,
                                                    const struct mpb_subscribers_claim *claim,
                                                    struct mpb_error *err);
void mpb_subscribers_free(struct mpb_subscribers *subscribers); /* NULL is a no-op */

MPB_END_DECLS

#endif
