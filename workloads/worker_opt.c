/* worker_opt.c: the worker's option tables. */
#include "workloads/worker_opt.h"

#include <string.h>

#include "core/archive.h"
#include "instrument/parse.h"

#define MESSAGES_MAX 1000000 /* percentiles are exact over sorted samples up to here */
#define PEERS_MAX 10000
#define CAPACITY_MAX 10000000
#define WINDOW_MAX 100000
#define RATE_MAX 10000000
#define SQLITE_FILE "sqlite:" /* then the path */

static enum mpb_status set_help(void *cfg, const char *name, const char *value,
                                struct mpb_error *err)
{
    struct mpb_worker_opt *o = cfg;
    (void)name, (void)value, (void)err;
    o->help = true;
    return MPB_OK;
}

static enum mpb_status set_describe(void *cfg, const char *name, const char *value,
                                    struct mpb_error *err)
{
    struct mpb_worker_opt *o = cfg;
    (void)name, (void)value, (void)err;
    o->describe = true;
    return MPB_OK;
}

static enum mpb_status set_protocol(void *cfg, const char *name, const char *value,
                                    struct mpb_error *err)
{
    struct mpb_worker_opt *o = cfg;
    return mpb_parse_u64(value, name, 1, 1, &o->protocol, err);
}

static enum mpb_status set_scenario(void *cfg, const char *name, const char *value,
                                    struct mpb_error *err)
{
    struct mpb_worker_opt *o = cfg;
    o->scenario = mpb_scenario_find(value);
    return o->scenario != NULL
               ? MPB_OK
               : mpb_error_set(err, MPB_E_USAGE, name, "unknown scenario '%s'", value);
}

static enum mpb_status set_variant(void *cfg, const char *name, const char *value,
                                   struct mpb_error *err)
{
    struct mpb_worker_opt *o = cfg;
    o->cfg.variant = mpb_variant_find(value);
    return o->cfg.variant != NULL
               ? MPB_OK
               : mpb_error_set(err, MPB_E_USAGE, name, "unknown variant '%s'", value);
}

static enum mpb_status set_messages(void *cfg, const char *name, const char *value,
                                    struct mpb_error *err)
{
    struct mpb_worker_opt *o = cfg;
    uint64_t n = 0;
    enum mpb_status st = mpb_parse_u64(value, name, 1, MESSAGES_MAX, &n, err);
    o->cfg.n_messages = st == MPB_OK ? (size_t)n : o->cfg.n_messages;
    return st;
}

static enum mpb_status set_warmup(void *cfg, const char *name, const char *value,
                                  struct mpb_error *err)
{
    struct mpb_worker_opt *o = cfg;
    uint64_t n = 0;
    enum mpb_status st = mpb_parse_u64(value, name, 0, MESSAGES_MAX, &n, err);
    o->cfg.n_warmup = st == MPB_OK ? (size_t)n : o->cfg.n_warmup;
    return st;
}

static enum mpb_status set_seed(void *cfg, const char *name, const char *value,
                                struct mpb_error *err)
{
    struct mpb_worker_opt *o = cfg;
    return mpb_parse_u64(value, name, 0, UINT64_MAX, &o->cfg.seed, err);
}

static enum mpb_status set_mix(void *cfg, const char *name, const char *value,
                               struct mpb_error *err)
{
    struct mpb_worker_opt *o = cfg;
    return mpb_mix_parse(value, name, &o->cfg.mix, err);
}

static enum mpb_status set_filter_peers(void *cfg, const char *name, const char *value,
                                        struct mpb_error *err)
{
    struct mpb_worker_opt *o = cfg;
    uint64_t n = 0;
    enum mpb_status st = mpb_parse_u64(value, name, 0, PEERS_MAX, &n, err);
    o->cfg.n_filter_peers = st == MPB_OK ? (uint32_t)n : o->cfg.n_filter_peers;
    return st;
}

static enum mpb_status set_archive(void *cfg, const char *name, const char *value,
                                   struct mpb_error *err)
{
    struct mpb_worker_opt *o = cfg;
    bool is_file = strncmp(value, SQLITE_FILE, strlen(SQLITE_FILE)) == 0;
    bool is_sqlite = strcmp(value, "sqlite") == 0 || is_file;
    if (!is_sqlite && strcmp(value, "memory") != 0 && strcmp(value, "none") != 0) {
        return mpb_error_set(err, MPB_E_INPUT, name,
                             "unknown archive '%s' (known: memory, sqlite, sqlite:PATH, none)",
                             value);
    }
    const char *path = is_file ? value + strlen(SQLITE_FILE) : MPB_ARCHIVE_DB_MEMORY;
    if (path[0] == '\0') {
        return mpb_error_set(err, MPB_E_INPUT, name, "'%s' lacks the path", value);
    }
    o->cfg.no_archive = strcmp(value, "none") == 0;
    o->cfg.archive_db = is_sqlite ? path : NULL;
    return MPB_OK;
}

static enum mpb_status set_archive_capacity(void *cfg, const char *name, const char *value,
                                            struct mpb_error *err)
{
    struct mpb_worker_opt *o = cfg;
    uint64_t n = 0;
    enum mpb_status st = mpb_parse_u64(value, name, 1, CAPACITY_MAX, &n, err);
    o->cfg.archive_capacity = st == MPB_OK ? (size_t)n : o->cfg.archive_capacity;
    return st;
}

static enum mpb_status set_window(void *cfg, const char *name, const char *value,
                                  struct mpb_error *err)
{
    struct mpb_worker_opt *o = cfg;
    return mpb_parse_u64(value, name, 1, WINDOW_MAX, &o->cfg.window, err);
}

static enum mpb_status set_rate(void *cfg, const char *name, const char *value,
                                struct mpb_error *err)
{
    struct mpb_worker_opt *o = cfg;
    return mpb_parse_u64(value, name, 0, RATE_MAX, &o->cfg.rate_per_s, err);
}

static enum mpb_status set_heartbeat(void *cfg, const char *name, const char *value,
                                     struct mpb_error *err)
{
    struct mpb_worker_opt *o = cfg;
    return mpb_parse_duration(value, name, &o->cfg.heartbeat_ns, err);
}

static enum mpb_status set_hostile(void *cfg, const char *name, const char *value,
                                   struct mpb_error *err)
{
    struct mpb_worker_opt *o = cfg;
    return mpb_hostile_parse(value, name, &o->cfg.hostile, err);
}

static enum mpb_status set_nodes(void *cfg, const char *name, const char *value,
                                 struct mpb_error *err)
{
    struct mpb_worker_opt *o = cfg;
    if (strcmp(value, "threads") != 0 && strcmp(value, "processes") != 0) {
        return mpb_error_set(err, MPB_E_INPUT, name, "'%s' is neither threads nor processes",
                             value);
    }
    o->cfg.as_processes = strcmp(value, "processes") == 0;
    return MPB_OK;
}

static const struct mpb_opt protocol_table[] = {
    {"help", 'h', NULL, NULL, "print this help", set_help},
    {"describe", 0, NULL, NULL, "print what this worker offers, as CSV", set_describe},
    {"protocol", 0, "N", NULL, "version of the worker protocol, 1", set_protocol},
    {"scenario", 0, "NAME", NULL, "what to run", set_scenario},
    {"variant", 0, "NAME", NULL, "which implementation of the path", set_variant},
};

static const struct mpb_opt workload_table[] = {
    {"messages", 0, "N", "1000", "messages of each run", set_messages},
    {"warmup", 0, "N", "100", "messages before the first run", set_warmup},
    {"seed", 0, "N", "42", "seed of sizes, their order and payload bytes", set_seed},
    {"mix", 0, "MIX", "seed", "payload sizes: a named mix, or SIZE:WEIGHT,...", set_mix},
    {"filter-peers", 0, "F", "0", "filter subscribers to push to (0: filter not mounted)",
     set_filter_peers},
    {"archive", 0, "KIND", "memory", "where to archive: memory, sqlite, sqlite:PATH or none",
     set_archive},
    {"archive-capacity", 0, "N", "25000", "messages the archive keeps; the oldest go first",
     set_archive_capacity},
    {"window", 0, "W", "32", "macro: most messages in flight", set_window},
    {"rate", 0, "R", "0", "macro: messages a second, sent when due (0: window)", set_rate},
    {"heartbeat", 0, "TIME", "1s", "macro: gossip heartbeat, in the messages' virtual time",
     set_heartbeat},
    {"nodes", 0, "KIND", "threads", "macro: the two nodes are threads or processes", set_nodes},
    {"hostile", 0, "KIND,RATE", "none",
     "macro: a third peer's garbage, oversize, slow, flood or dup", set_hostile},
    {NULL, 0, NULL, NULL, NULL, NULL},
};

#define N_PROTOCOL MPB_ARRAY_LEN(protocol_table)
#define N_WORKLOAD MPB_ARRAY_LEN(workload_table)

/* Both tables as one, ended as the second ends. */
static void join_tables(struct mpb_opt out[N_PROTOCOL + N_WORKLOAD])
{
    memcpy(out, protocol_table, sizeof(protocol_table));
    memcpy(out + N_PROTOCOL, workload_table, sizeof(workload_table));
}

const struct mpb_opt *mpb_worker_opt_workload(void)
{
    return workload_table;
}

void mpb_worker_opt_print_help(FILE *f)
{
    struct mpb_opt all[N_PROTOCOL + N_WORKLOAD];
    join_tables(all);
    mpb_opt_print_help(all, f);
}

enum mpb_status mpb_worker_opt_parse(int argc, char *const *argv, struct mpb_worker_opt *out,
                                     struct mpb_error *err)
{
    struct mpb_opt all[N_PROTOCOL + N_WORKLOAD];
    struct mpb_worker_opt o = {.protocol = 0};
    enum mpb_status st = MPB_OK;
    for (const struct mpb_opt *row = workload_table; row->name != NULL && st == MPB_OK; row++) {
        st = row->set(&o, row->name, row->fallback, err);
    }
    join_tables(all);
    if (st == MPB_OK) {
        st = mpb_opt_parse(all, argc, argv, &o, NULL, err);
    }
    if (st == MPB_OK) {
        o.cfg.archive_capacity = o.cfg.no_archive ? 0 : o.cfg.archive_capacity;
        *out = o;
    }
    return st;
}
