/* attacker.h: a harness thread that is the hostile third connection of a macro session: from the
 * run's start to its end it does to the receiver what its kind says, at its rate, and counts every
 * frame whose last byte the kernel took. At the end it closes its half and waits until the receiver
 * has read everything, so that each of those frames must be on the receiver's books.
 *
 * Its memory is outside the measured heap. It is not pinned. */
#ifndef MPB_WORKLOADS_ATTACKER_H
#define MPB_WORKLOADS_ATTACKER_H

#include "workloads/relay.h"

MPB_BEGIN_DECLS

struct mpb_attacker_cfg {
    struct mpb_hostile hostile;
    const struct mpb_workload *workload; /* borrowed */
    struct mpb_relay_shared *shared;     /* borrowed */
    uint16_t port;                       /* of the receiver */
    uint64_t seed;                       /* of its bytes */
};

struct mpb_attacker;

/* Start the thread; it waits for the run. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_attacker_start(const struct mpb_attacker_cfg *cfg,
                                                struct mpb_attacker **out, struct mpb_error *err);
/* End it and give the number of frames sent: those the receiver must have counted (slow: 1 once a
 * byte was sent). What went wrong there, if anything; then the session is failed too. */
MPB_MUST_USE enum mpb_status mpb_attacker_finish(struct mpb_attacker *attacker,
                                                 uint64_t *out_n_frames, struct mpb_error *err);
void mpb_attacker_free(struct mpb_attacker *attacker); /* NULL is a no-op */

MPB_END_DECLS

#endif
