/* caution.c: one function a kind of caution. */
#include "reports/caution.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/parse.h"

#define BLOCKS_MIN 6 /* below, no sign-test interval at 5 % exists: 2 * 0.5^5 > 0.05 */

struct voice {
    const struct mpb_model *model;
    void (*say)(void *ctx, const char *sentence);
    void *ctx;
    size_t n;
};

static void MPB_PRINTF(2, 3) say(struct voice *v, const char *fmt, ...)
{
    char text[640];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    v->say(v->ctx, text);
    v->n++;
}

static void say_notes(struct voice *v)
{
    const struct mpb_session *s = v->model->session;
    for (size_t i = 0; i < s->n_notes; i++) {
        say(v, "%s", s->note[i]);
    }
}

/* Paths and fingerprints of workers are what arms are allowed to differ in. */
static bool is_identity(const char *key)
{
    return strstr(key, "worker") != NULL || strstr(key, "revision") != NULL;
}

static void say_differing_facts(struct voice *v, const struct mpb_arm_info *a,
                                const struct mpb_arm_info *b)
{
    for (size_t i = 0; i < a->facts.n; i++) {
        const struct mpb_pair *fact = &a->facts.pair[i];
        const char *other = mpb_pairs_get(&b->facts, fact->key);
        if (!is_identity(fact->key) && (other == NULL || strcmp(other, fact->value) != 0)) {
            say(v,
                "%s and %s differ in %s ('%.120s' against '%.120s'): a difference between them "
                "may come from that",
                a->label, b->label, fact->key, fact->value, other != NULL ? other : "not known");
        }
    }
}

static const char *arguments_of(const struct mpb_arm_info *arm)
{
    const char *command = mpb_pairs_get(&arm->facts, "worker");
    const char *space = command != NULL ? strchr(command, ' ') : NULL;
    return space != NULL ? space : "";
}

static bool is_same_program(const struct mpb_arm_info *a, const struct mpb_arm_info *b)
{
    const char *x = mpb_pairs_get(&a->facts, "worker_sha256");
    const char *y = mpb_pairs_get(&b->facts, "worker_sha256");
    return x != NULL && y != NULL && strcmp(x, y) == 0 && strcmp(a->variant, b->variant) == 0 &&
           strcmp(arguments_of(a), arguments_of(b)) == 0;
}

static void say_arms(struct voice *v)
{
    const struct mpb_session *s = v->model->session;
    for (size_t i = 1; i < s->n_arms; i++) {
        say_differing_facts(v, &s->arm[0], &s->arm[i]);
    }
    for (size_t i = 0; i < s->n_arms; i++) {
        for (size_t j = i + 1; j < s->n_arms; j++) {
            if (is_same_program(&s->arm[i], &s->arm[j])) {
                say(v,
                    "%s and %s are the same program, byte for byte, with the same variant: "
                    "whatever differs between them is noise",
                    s->arm[i].label, s->arm[j].label);
            }
        }
    }
}

static void say_blocks(struct voice *v)
{
    const char *last = NULL;
    for (size_t i = 0; i < v->model->n_scenarios; i++) {
        const struct mpb_scenario_note *note = &v->model->scenario[i];
        if (last != NULL && strcmp(note->scenario, last) == 0) {
            continue; /* another pair of it: the same blocks */
        }
        last = note->scenario;
        if (note->blocks_done < note->blocks_planned) {
            say(v,
                "%s: %u of %u planned blocks were completed, %u more began: the session ended "
                "early",
                note->scenario, note->blocks_done, note->blocks_planned, note->blocks_torn);
        } else if (note->blocks_torn > 0) {
            say(v, "%s: torn blocks (a pass failed), which do not count: %u", note->scenario,
                note->blocks_torn);
        }
        if (note->blocks_done < BLOCKS_MIN && v->model->session->n_arms > 1) {
            say(v, "%s: blocks done: %u; below %d no timed difference is claimed", note->scenario,
                note->blocks_done, BLOCKS_MIN);
        }
    }
}

static void say_failed_passes(struct voice *v)
{
    const struct mpb_session *s = v->model->session;
    const struct mpb_pass *first = NULL;
    size_t n = 0;
    for (size_t i = 0; i < s->n_passes; i++) {
        if (!s->pass[i].accepted) {
            first = first != NULL ? first : &s->pass[i];
            n++;
        }
    }
    if (first != NULL) {
        say(v, "%zu of %zu passes were not accepted (first: %s, %s, pass %u: %.200s)", n,
            s->n_passes, s->arm[first->arm].label, mpb_names_text(&s->names, first->scenario),
            first->pass, first->reason);
    }
}

static void say_load(struct voice *v)
{
    const struct mpb_session *s = v->model->session;
    const char *text = mpb_pairs_get(&s->environment, "cpus");
    uint64_t cpus = 0;
    if (text == NULL || mpb_parse_u64(text, "cpus", 1, UINT32_MAX, &cpus, NULL) != MPB_OK) {
        return;
    }
    size_t n = 0, n_timed = 0;
    double highest = 0;
    for (size_t i = 0; i < s->n_passes; i++) {
        const struct mpb_pass *pass = &s->pass[i];
        n_timed += pass->kind == MPB_KIND_TIMED;
        if (pass->kind == MPB_KIND_TIMED && pass->load1 > (double)cpus) {
            highest = pass->load1 > highest ? pass->load1 : highest;
            n++;
        }
    }
    if (n > 0) {
        say(v,
            "the load average was above the %llu CPUs at the start of %zu of %zu timed passes "
            "(highest %.2f)",
            (unsigned long long)cpus, n, n_timed, highest);
    }
}

size_t mpb_caution_each(const struct mpb_model *model, void (*say_fn)(void *, const char *),
                        void *ctx)
{
    struct voice v = {.model = model, .say = say_fn, .ctx = ctx};
    say_notes(&v);
    say_arms(&v);
    say_blocks(&v);
    say_failed_passes(&v);
    say_load(&v);
    return v.n;
}
