/* launch.h: the exact command line and environment of a pass.
 *
 * The kernel puts arguments and environment on the new process's stack, so their length moves
 * every address below it, which alone can change a time by per cents. All launches of a session
 * are therefore levelled: one variable, MSGPATH_PAD, makes them the same length. */
#ifndef MPB_HARNESS_LAUNCH_H
#define MPB_HARNESS_LAUNCH_H

#include "harness/arm.h"

MPB_BEGIN_DECLS

/* Zero-initialised is empty. */
struct mpb_launch {
    struct mpb_words argv;
    struct mpb_words envp;
};

/* WORKER --protocol 1 --scenario S [--variant V] OPTIONS. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_launch_build(const struct mpb_arm *arm, enum mpb_kind kind,
                                              const char *scenario, struct mpb_launch *out,
                                              struct mpb_error *err);
/* Give launches[n] environments that make them all take the same room. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_launch_level(struct mpb_launch *launches, size_t n,
                                              struct mpb_error *err);
/* Bytes of arguments, pointers to them and environment on the new process's stack. */
size_t mpb_launch_room(const struct mpb_launch *launch);
void mpb_launch_fini(struct mpb_launch *launch);

MPB_END_DECLS

#endif
