/* attacker_frames.h: the frames of each hostile kind, from a seed. */
#ifndef MPB_WORKLOADS_ATTACKER_FRAMES_H
#define MPB_WORKLOADS_ATTACKER_FRAMES_H

#include "core/rpc.h"
#include "workloads/atomic.h"
#include "workloads/hostile.h"
#include "workloads/rng.h"
#include "workloads/workload.h"

MPB_BEGIN_DECLS

#define MPB_ATTACKER_FRAME_MAX (MPB_RPC_FRAME_MAX + 64)

struct mpb_attacker_frames {
    const struct mpb_workload *workload;  /* borrowed */
    const MPB_ATOMIC(uint64_t) * done_ns; /* borrowed; done_ns[i] != 0: message i has been had */
    const MPB_ATOMIC(uint64_t) * n_begun; /* borrowed; the newest of those is this one less 1 */
    struct mpb_rng rng;
};

void mpb_attacker_frames_init(struct mpb_attacker_frames *frames,
                              const struct mpb_workload *workload,
                              const MPB_ATOMIC(uint64_t) * done_ns,
                              const MPB_ATOMIC(uint64_t) * n_begun, uint64_t seed);

/* Write the nth frame of a kind, its length prefix included, to out[MPB_ATTACKER_FRAME_MAX]; its
 * length, 0 when none can be made yet (dup: nothing had so far). garbage never parses, and nothing
 * is reported before its fault; flood's messages are all different and none decodes; slow's only
 * frame is whole. */
size_t mpb_attacker_frames_make(struct mpb_attacker_frames *frames, enum mpb_hostile_kind kind,
                                uint64_t n, uint8_t *out);

MPB_END_DECLS

#endif
