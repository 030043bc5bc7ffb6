/* fuzz_check.h: what must hold for a decoder on every input whatever. Used by the fuzzing targets
 * and by the replay of their corpus. Each check prints one line beginning with "mismatch" and
 * returns false when something does not hold. */
#ifndef MPB_CORE_FUZZ_FUZZ_CHECK_H
#define MPB_CORE_FUZZ_FUZZ_CHECK_H

#include "instrument/base.h"

/* The scan and the view decoder against the model and against plain protobuf-c; what they accept
 * is encoded again, and that decodes to the same message and is a fixed point. */
bool mpb_fuzz_check_view(struct mpb_bytes wire);
/* The owned decoder against the model; the message has its own memory. */
bool mpb_fuzz_check_owned(struct mpb_bytes wire);
/* The RPC reader against a model of its own; what the writers make of its reports reads back. */
bool mpb_fuzz_check_rpc(struct mpb_bytes rpc);

#endif
