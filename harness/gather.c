/* gather.c: sort once, then everything that belongs together stands together. */
#include "harness/gather.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/protocol.h"
#include "reports/keymap.h"

/* What a row sorts by, and what it says. */
struct point {
    size_t scenario_idx;
    size_t rank; /* of the metric */
    int run;
    struct mpb_gather_value value;
    uint16_t metric;
    unsigned n_runs;
};

struct metric_facts {
    size_t rank;
    const char *name;
    uint16_t id;
    enum mpb_class class_;
    enum mpb_kind owner;
};

/* Accepted timed passes of each block: block -> count, keyed with the scenario. */
static uint64_t block_key(uint16_t scenario, uint32_t block)
{
    return (uint64_t)scenario << 32 | block;
}

static unsigned accepted_in(const struct mpb_session *s, uint16_t scenario, uint32_t block)
{
    unsigned n = 0;
    for (size_t i = 0; i < s->n_passes; i++) {
        const struct mpb_pass *p = &s->pass[i];
        n += p->kind == MPB_KIND_TIMED && p->accepted && p->scenario == scenario &&
             p->block == block;
    }
    return n;
}

bool mpb_gather_is_whole(const struct mpb_session *session, uint16_t scenario, uint32_t block)
{
    return accepted_in(session, scenario, block) == 2 * session->n_arms;
}

struct mpb_gather_blocks mpb_gather_count_blocks(const struct mpb_session *session,
                                                 uint16_t scenario)
{
    struct mpb_gather_blocks blocks = {0};
    for (size_t i = 0; i < session->n_passes; i++) {
        const struct mpb_pass *p = &session->pass[i];
        bool first = p->kind == MPB_KIND_TIMED && p->scenario == scenario;
        for (size_t j = 0; j < i && first; j++) { /* a block is counted at its first pass */
            const struct mpb_pass *q = &session->pass[j];
            first = !(q->kind == MPB_KIND_TIMED && q->scenario == scenario && q->block == p->block);
        }
        if (first) {
            bool whole = mpb_gather_is_whole(session, scenario, p->block);
            blocks.done += whole;
            blocks.torn += !whole;
        }
    }
    return blocks;
}

static enum mpb_status mark_counting(const struct mpb_session *s, bool *counts,
                                     struct mpb_error *err)
{
    struct mpb_keymap judged = {0};
    enum mpb_status st = MPB_OK;
    for (size_t i = 0; i < s->n_passes && st == MPB_OK; i++) {
        const struct mpb_pass *p = &s->pass[i];
        uint64_t key = block_key(p->scenario, p->block);
        uint32_t whole = 1;
        bool added = false;
        if (p->kind == MPB_KIND_TIMED && !mpb_keymap_find(&judged, key, &whole)) {
            whole = mpb_gather_is_whole(s, p->scenario, p->block);
            st = mpb_keymap_add(&judged, key, whole, &added, err);
        }
        counts[i] = p->accepted && whole != 0;
    }
    mpb_keymap_fini(&judged);
    return st;
}

static size_t note_index(const struct mpb_session *s, const char *name)
{
    const struct mpb_metric_note *note = mpb_session_find_metric(s, name);
    return note != NULL ? (size_t)(note - s->metric) : s->n_metrics;
}

struct by_name {
    const struct mpb_session *session;
    struct metric_facts facts;
    size_t note;
};

static int compare_names(const void *a, const void *b)
{
    const struct by_name *x = a, *y = b;
    if (x->note != y->note) {
        return x->note < y->note ? -1 : 1;
    }
    return strcmp(x->facts.name, y->facts.name);
}

/* facts[names.n], indexed by name id, with each name's place in the order of metrics. */
static struct metric_facts *rank_metrics(const struct mpb_session *s)
{
    size_t n = s->names.n;
    struct by_name *sorted = calloc(n + 1, sizeof(*sorted));
    struct metric_facts *facts = calloc(n + 1, sizeof(*facts));
    if (sorted == NULL || facts == NULL) {
        free(sorted);
        free(facts);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        const char *name = mpb_names_text(&s->names, (uint16_t)i);
        sorted[i].note = note_index(s, name);
        sorted[i].facts = (struct metric_facts){
            .name = name,
            .id = (uint16_t)i,
            .class_ = mpb_protocol_class(s, name),
            .owner = mpb_protocol_owner(s, name),
        };
    }
    qsort(sorted, n, sizeof(*sorted), compare_names);
    for (size_t rank = 0; rank < n; rank++) {
        sorted[rank].facts.rank = rank;
        facts[sorted[rank].facts.id] = sorted[rank].facts;
    }
    free(sorted);
    return facts;
}

static int sort_run(int run)
{
    return run == 0 ? INT_MAX : run; /* the whole process comes last */
}

static int compare_points(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    if (x->scenario_idx != y->scenario_idx) {
        return x->scenario_idx < y->scenario_idx ? -1 : 1;
    }
    if (x->rank != y->rank) {
        return x->rank < y->rank ? -1 : 1;
    }
    if (x->run != y->run) {
        return sort_run(x->run) < sort_run(y->run) ? -1 : 1;
    }
    if (x->value.arm != y->value.arm) {
        return x->value.arm < y->value.arm ? -1 : 1;
    }
    return (x->value.pass_idx > y->value.pass_idx) - (x->value.pass_idx < y->value.pass_idx);
}

static bool same_group(const struct point *x, const struct point *y)
{
    return x->scenario_idx == y->scenario_idx && x->rank == y->rank && x->run == y->run;
}

static size_t scenario_index(const struct mpb_session *s, uint16_t id)
{
    size_t i = 0;
    while (i < s->n_scenarios && s->scenario[i] != id) {
        i++;
    }
    return i;
}

static uint64_t pass_key(uint16_t arm, uint16_t scenario, uint32_t pass)
{
    return (uint64_t)arm << 48 | (uint64_t)scenario << 32 | pass;
}

static enum mpb_status index_passes(const struct mpb_session *s, struct mpb_keymap *map,
                                    struct mpb_error *err)
{
    enum mpb_status st = MPB_OK;
    bool added = false;
    for (size_t i = 0; i < s->n_passes && st == MPB_OK; i++) {
        const struct mpb_pass *p = &s->pass[i];
        st = mpb_keymap_add(map, pass_key(p->arm, p->scenario, p->pass), (uint32_t)i, &added, err);
    }
    return st;
}

/* Rows that count, as points; returns how many. */
static size_t make_points(const struct mpb_session *s, const struct mpb_keymap *passes,
                          const bool *counts, const struct metric_facts *facts, struct point *out)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_rows; i++) {
        const struct mpb_row *row = &s->row[i];
        const struct metric_facts *f = &facts[row->metric];
        uint32_t idx = 0;
        if (!mpb_keymap_find(passes, pass_key(row->arm, row->scenario, row->pass), &idx) ||
            !counts[idx] || s->pass[idx].kind != f->owner) {
            continue;
        }
        bool exact = f->class_ == MPB_CLASS_EXACT;
        out[n++] = (struct point){
            .scenario_idx = scenario_index(s, row->scenario),
            .rank = f->rank,
            .run = exact || row->run == 0 ? row->run : MPB_RUN_MEAN,
            .metric = row->metric,
            .n_runs = 1,
            .value = {.pass_idx = idx,
                      .arm = row->arm,
                      .unit = row->unit,
                      .real = mpb_session_row_real(row),
                      .is_integer = row->is_integer,
                      .integer = row->is_integer ? row->value.integer : 0},
        };
    }
    return n;
}

/* Runs of one pass become their mean; returns how many points are left. */
static size_t merge_runs(struct point *p, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        struct point *last = kept > 0 ? &p[kept - 1] : NULL;
        if (last == NULL || compare_points(last, &p[i]) != 0) {
            p[kept++] = p[i];
            continue;
        }
        /* A running mean keeps equal values equal to the last bit, a sum of them does not. */
        last->n_runs++;
        last->value.real += (p[i].value.real - last->value.real) / last->n_runs;
        last->value.is_integer = last->value.is_integer && p[i].value.is_integer &&
                                 last->value.integer == p[i].value.integer;
    }
    return kept;
}

static bool is_part(const char *name)
{
    const struct mpb_metric_info *info = mpb_metric_find(name);
    return strchr(name, '/') != NULL && info != NULL && info->shape == MPB_SHAPE_SUM;
}

static void cut_groups(const struct mpb_session *s, const struct metric_facts *facts,
                       const struct point *p, size_t n, struct mpb_gather *out)
{
    for (size_t i = 0; i < n; i++) {
        out->values[i] = p[i].value;
        if (i == 0 || !same_group(&p[i - 1], &p[i])) {
            const struct metric_facts *f = &facts[p[i].metric];
            const struct mpb_metric_info *info = mpb_metric_find(f->name);
            const struct mpb_metric_note *note = mpb_session_find_metric(s, f->name);
            enum mpb_better better = note != NULL ? note->better : MPB_BETTER_NONE;
            out->group[out->n++] = (struct mpb_gather_group){
                .scenario_idx = p[i].scenario_idx,
                .metric = p[i].metric,
                .run = p[i].run,
                .class_ = f->class_,
                .better = info != NULL ? info->better : better,
                .is_part = is_part(f->name),
                .value = &out->values[i],
            };
        }
        out->group[out->n - 1].n++;
    }
}

/* What a gathering works with, besides what it leaves. */
struct tools {
    struct mpb_keymap passes;
    struct metric_facts *facts;
    struct point *points;
};

static bool reserve(const struct mpb_session *s, struct tools *t, struct mpb_gather *g)
{
    t->facts = rank_metrics(s);
    t->points = calloc(s->n_rows + 1, sizeof(*t->points));
    g->values = calloc(s->n_rows + 1, sizeof(*g->values));
    g->group = calloc(s->n_rows + 1, sizeof(*g->group));
    g->counts = calloc(s->n_passes + 1, sizeof(*g->counts));
    return t->facts != NULL && t->points != NULL && g->values != NULL && g->group != NULL &&
           g->counts != NULL;
}

static enum mpb_status gather(const struct mpb_session *s, struct tools *t, struct mpb_gather *g,
                              struct mpb_error *err)
{
    if (!reserve(s, t, g)) {
        return mpb_error_set(err, MPB_E_NOMEM, "session", NULL);
    }
    enum mpb_status st = mark_counting(s, g->counts, err);
    st = st != MPB_OK ? st : index_passes(s, &t->passes, err);
    if (st == MPB_OK) {
        size_t n = make_points(s, &t->passes, g->counts, t->facts, t->points);
        qsort(t->points, n, sizeof(*t->points), compare_points);
        n = merge_runs(t->points, n);
        cut_groups(s, t->facts, t->points, n, g);
    }
    return st;
}

enum mpb_status mpb_gather_session(const struct mpb_session *session, struct mpb_gather *out,
                                   struct mpb_error *err)
{
    struct mpb_gather g = {0};
    struct tools t = {.facts = NULL};
    enum mpb_status st = gather(session, &t, &g, err);
    mpb_keymap_fini(&t.passes);
    free(t.points);
    free(t.facts);
    if (st != MPB_OK) {
        mpb_gather_fini(&g);
        return st;
    }
    *out = g;
    return MPB_OK;
}

void mpb_gather_fini(struct mpb_gather *gather)
{
    free(gather->group);
    free(gather->values);
    free(gather->counts);
    *gather = (struct mpb_gather){0};
}

const struct mpb_gather_value *mpb_gather_of_arm(const struct mpb_gather_group *group, size_t arm,
                                                 size_t *n)
{
    size_t begin = 0;
    while (begin < group->n && group->value[begin].arm < arm) {
        begin++;
    }
    size_t end = begin;
    while (end < group->n && group->value[end].arm == arm) {
        end++;
    }
    *n = end - begin;
    return group->value + begin;
}
