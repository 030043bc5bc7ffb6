/* resolve.h: from arms as they were typed to arms that can run: every program exists and
 * describes itself, every variant and scenario is known, every workload option was accepted by
 * the worker that will get it. All of it happens before a folder is made, so that a mistake
 * costs a line and not a session. */
#ifndef MPB_HARNESS_RESOLVE_H
#define MPB_HARNESS_RESOLVE_H

#include "harness/arm.h"

MPB_BEGIN_DECLS

/* What resolving needs beyond the arms themselves. */
struct mpb_resolve_input {
    mpb_spawn_fn spawn;
    const struct mpb_pairs *given; /* workload options the user gave; a flag's value is "yes" */
};

/* Describe every arm's workers, check variants and options, and set each worker's options.
 * *workload gets every option any arm's worker describes, as given, else its default ("no" for a
 * flag, options without default left out). MPB_E_USAGE or MPB_E_INPUT naming arm or option. */
MPB_MUST_USE enum mpb_status mpb_resolve_arms(struct mpb_arms *arms,
                                              const struct mpb_resolve_input *in,
                                              struct mpb_pairs *workload, struct mpb_error *err);

/* The scenarios to run: the comma-separated names of text, each described by every arm's worker;
 * for NULL those of micro and macro that the first arm's worker describes, all of its scenarios
 * when it has neither. MPB_E_USAGE naming the one that is unknown. */
MPB_MUST_USE enum mpb_status mpb_resolve_scenarios(const struct mpb_arms *arms, const char *text,
                                                   struct mpb_session *session,
                                                   struct mpb_error *err);

/* Put arms with their binaries' fingerprints and build facts, and the described metrics, into
 * the session. MPB_E_IO when a binary cannot be read. */
MPB_MUST_USE enum mpb_status mpb_resolve_record(const struct mpb_arms *arms,
                                                struct mpb_session *session, struct mpb_error *err);

MPB_END_DECLS

#endif
