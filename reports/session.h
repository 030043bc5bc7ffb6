/* session.h: one comparison as data: who was compared (arms), under what (workload, plan,
 * environment), what ran (passes) and what was measured (rows). The harness fills it while it
 * runs; `msgpath report` reads it back from its folder (session_dir.h) and gets the same. */
#ifndef MPB_REPORTS_SESSION_H
#define MPB_REPORTS_SESSION_H

#include "instrument/metric.h"
#include "reports/names.h"

MPB_BEGIN_DECLS

/* session.json's format; raised when a reader of the old one would misread the new. */
#define MPB_SESSION_FORMAT 1

/* An ordered list of text pairs: workload options, environment, build facts. Keys are unique. */
struct mpb_pairs {
    struct mpb_pair {
        char *key, *value;
    } * pair;
    size_t n, cap;
};

/* Set a key (copied); a known key's value is replaced in place. */
MPB_MUST_USE enum mpb_status mpb_pairs_set(struct mpb_pairs *pairs, const char *key,
                                           const char *value, struct mpb_error *err);
/* The value of a key, NULL if absent. */
const char *mpb_pairs_get(const struct mpb_pairs *pairs, const char *key);
void mpb_pairs_fini(struct mpb_pairs *pairs);

/* One thing being compared. All text owned by the session. */
struct mpb_arm_info {
    char *label;            /* unique in the session */
    char *spec;             /* as the user wrote it, without the label */
    char *variant;          /* the variant the worker is asked for; "" if none */
    struct mpb_pairs facts; /* worker, worker_sha256, counting_worker, counting_worker_sha256,
                               compiler, flags, ... */
};

/* What a worker said of its metrics, in its order: metrics the metric list does not know have
 * better none. */
struct mpb_metric_note {
    uint16_t metric, unit; /* ids in names */
    enum mpb_better better;
    enum mpb_class class_;
    char *doc;
};

struct mpb_plan_info {
    uint64_t seed;
    uint32_t n_blocks;          /* planned, per scenario */
    uint32_t n_counting_passes; /* per arm and scenario */
    uint64_t pass_timeout_ns;
    double equal; /* half-width of the equivalence band, 0.02 = 2 % */
    double level; /* 0.05: a claim needs p at or below it */
};

enum mpb_kind { MPB_KIND_TIMED, MPB_KIND_COUNTING, MPB_KIND__COUNT };
/* "timed" or "counting". Never NULL. */
const char *mpb_session_kind_name(enum mpb_kind kind);

/* One worker process. block and slot are 1-based for timed passes, 0 for counting ones. */
struct mpb_pass {
    uint16_t arm, scenario; /* index into arm[], id in names */
    uint32_t pass;          /* 1-based, unique per arm and scenario */
    enum mpb_kind kind;
    uint32_t block, slot;
    bool accepted; /* the worker exited 0 and verified its work */
    char *reason;  /* why not; "" when accepted */
    uint64_t started_utc_ns;
    uint64_t wall_ns; /* of the process, start to exit */
    double load1,
        psi_cpu; /* load average and CPU pressure (avg10, per cent) at the start; NAN if unknown */
    double
        spread_pct; /* (max - min) / max of its runs' msg_per_s, per cent; NAN if it has one run */
};

/* One measured value. Integers up to 2^64-1 are kept exactly. */
struct mpb_row {
    uint16_t arm, scenario, metric, unit; /* arm: index into arm[]; the others: ids in names */
    uint32_t pass;
    uint16_t run;
    bool is_integer;
    union {
        uint64_t integer;
        double real;
    } value;
};

/* Zero-initialised is empty; _fini frees everything it holds. */
struct mpb_session {
    char *started; /* UTC, 2026-01-31T23:59:59Z */
    char *command; /* the command line that made it */
    char *version; /* of msgpath */
    struct mpb_names names;
    struct mpb_arm_info *arm;
    size_t n_arms;
    uint16_t *scenario; /* ids in names, in the order asked for */
    size_t n_scenarios;
    struct mpb_metric_note *metric;
    size_t n_metrics;
    struct mpb_pairs workload;    /* option (without dashes) -> value */
    struct mpb_pairs environment; /* cpu, kernel, governor, ... at the start */
    struct mpb_plan_info plan;
    struct mpb_pass *pass;
    size_t n_passes, cap_passes;
    struct mpb_row *row;
    size_t n_rows, cap_rows;
    char **note; /* what the harness or the reader had to say: torn files, failed passes, Ctrl-C */
    size_t n_notes, cap_notes;
};

void mpb_session_fini(struct mpb_session *session);
/* Append; the pass's reason is copied. MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_session_add_pass(struct mpb_session *session,
                                                  const struct mpb_pass *pass,
                                                  struct mpb_error *err);
MPB_MUST_USE enum mpb_status mpb_session_add_row(struct mpb_session *session,
                                                 const struct mpb_row *row, struct mpb_error *err);
MPB_MUST_USE enum mpb_status mpb_session_add_arm(struct mpb_session *session, const char *label,
                                                 const char *spec, const char *variant,
                                                 struct mpb_error *err);
MPB_MUST_USE enum mpb_status mpb_session_add_scenario(struct mpb_session *session, const char *name,
                                                      struct mpb_error *err);
MPB_MUST_USE enum mpb_status mpb_session_add_metric(struct mpb_session *session, const char *name,
                                                    const char *unit, enum mpb_better better,
                                                    enum mpb_class class_, const char *doc,
                                                    struct mpb_error *err);
/* Remember a sentence for the report; best effort (lost when out of memory). */
void mpb_session_add_note(struct mpb_session *session, const char *fmt, ...) MPB_PRINTF(2, 3);
/* The note of the metric whose name is name's part before '/', or NULL. */
const struct mpb_metric_note *mpb_session_find_metric(const struct mpb_session *session,
                                                      const char *name);
/* A row's value as a double (integers above 2^53 are rounded). */
double mpb_session_row_real(const struct mpb_row *row);

MPB_END_DECLS

#endif
