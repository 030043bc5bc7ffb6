/* builtin.h: the two workers that come with the harness: msgpath-worker, which is timed, and
 * msgpath-worker-probed, which counts. They stand beside the executable, in ../workloads (build
 * tree) or in ../libexec/msgpath (installed). */
#ifndef MPB_HARNESS_BUILTIN_H
#define MPB_HARNESS_BUILTIN_H

#include "harness/arm.h"

MPB_BEGIN_DECLS

/* Find both and let the timed one describe itself. *out_timed and *out_counting (each may be
 * NULL) are the caller's to mpb_arm_worker_fini(). MPB_E_UNAVAILABLE naming where it looked;
 * what mpb_catalog_load() gives. Starts a process. */
MPB_MUST_USE enum mpb_status mpb_builtin_find(mpb_spawn_fn spawn, struct mpb_worker *out_timed,
                                              struct mpb_worker *out_counting,
                                              struct mpb_error *err);

MPB_END_DECLS

#endif
