/* workload.h: the messages of a session, as a pure function of seed, mix and counts.
 *
 * Message i (warm-up first, then run after run, consecutive) has a payload of 8 bytes i in
 * little-endian, then bytes of a random pool from an offset of its own; the default content topic;
 * version 2; timestamp = base + i ms of virtual time (i / rate where a rate is given); no meta, no
 * proof, not ephemeral. Payloads are never stored: a message is written where it is needed. Each
 * run deals its sizes by exact quotas of the mix, in an order of its own.
 *
 * The encoder here is the generator's own, byte for byte the one of core (a test says so), so that
 * preparing bytes counts nothing. All memory is outside the measured heap. */
#ifndef MPB_WORKLOADS_WORKLOAD_H
#define MPB_WORKLOADS_WORKLOAD_H

#include "core/msg.h"
#include "workloads/mix.h"

MPB_BEGIN_DECLS

#define MPB_WORKLOAD_PUBSUB_TOPIC "/waku/2/rs/0/0"
#define MPB_WORKLOAD_CONTENT_TOPIC "/waku/2/default-content/proto"
#define MPB_WORKLOAD_BASE_NS INT64_C(1681964442000000000) /* the virtual time of message 0 */
#define MPB_WORKLOAD_STEP_NS INT64_C(1000000)             /* between messages: 1 ms */

struct mpb_workload_cfg {
    uint64_t seed;
    const struct mpb_mix *mix;
    size_t n_warmup;   /* messages before run 1 */
    size_t n_messages; /* messages of each run */
    size_t n_runs;
    uint64_t rate_per_s; /* of virtual time between messages: 1 / rate; 0: MPB_WORKLOAD_STEP_NS */
};

struct mpb_workload;

/* MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_workload_new(const struct mpb_workload_cfg *cfg,
                                              struct mpb_workload **out, struct mpb_error *err);
void mpb_workload_free(struct mpb_workload *workload); /* NULL is a no-op */

/* Messages in all, and the largest encoding among them. */
size_t mpb_workload_len(const struct mpb_workload *workload);
size_t mpb_workload_max_encoded_len(const struct mpb_workload *workload);
size_t mpb_workload_payload_len(const struct mpb_workload *workload, size_t idx);
/* Payload bytes of messages first to first + n. */
uint64_t mpb_workload_payload_sum(const struct mpb_workload *workload, size_t first, size_t n);
/* base + idx / rate, or base + idx ms: no rounding adds up. */
int64_t mpb_workload_timestamp_ns(const struct mpb_workload *workload, size_t idx);

/* Message idx, its payload written to payload[mpb_workload_payload_len()], which it borrows. */
struct mpb_msg mpb_workload_message(const struct mpb_workload *workload, size_t idx,
                                    uint8_t *payload);
size_t mpb_workload_encoded_len(const struct mpb_workload *workload, size_t idx);
/* Write message idx's encoding, encoded_len bytes, to out. */
void mpb_workload_encode(const struct mpb_workload *workload, size_t idx, uint8_t *out);
/* Is msg message idx, in every field and byte? */
bool mpb_workload_is_message(const struct mpb_workload *workload, size_t idx,
                             const struct mpb_msg *msg);

MPB_END_DECLS

#endif
