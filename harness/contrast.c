/* contrast.c: log-ratios within blocks. */
#include "harness/contrast.h"

#include <math.h>
#include <stdlib.h>

/* An arm's two passes of one block. */
struct two {
    uint32_t block;
    double first, last;
};

static double log_ratio(double a, double b)
{
    if (a > 0 && b > 0) {
        return log(b) - log(a); /* not log(b / a): this one changes sign to the last bit */
    }
    return a > 0 ? -INFINITY : b > 0 ? INFINITY : 0;
}

/* The mean of two log-ratios; opposite infinities cancel. */
static double mean_of_two(double x, double y)
{
    double mean = (x + y) / 2;
    return isnan(mean) ? 0 : mean;
}

/* The blocks in which the arm has both values, into out[group->n]; returns how many. Passes are
 * numbered in the order they ran, so the first value of a block is its first pass. */
static size_t pair_up(const struct mpb_session *s, const struct mpb_gather_group *group, size_t arm,
                      struct two *out)
{
    size_t n_values = 0, n = 0;
    const struct mpb_gather_value *v = mpb_gather_of_arm(group, arm, &n_values);
    for (size_t i = 0; i + 1 < n_values; i++) {
        const struct mpb_pass *p = &s->pass[v[i].pass_idx], *q = &s->pass[v[i + 1].pass_idx];
        if (p->kind == MPB_KIND_TIMED && p->block == q->block) {
            out[n++] = (struct two){p->block, v[i].real, v[i + 1].real};
        }
    }
    return n;
}

static size_t count_zeros(const struct two *t)
{
    return (size_t) !(t->first > 0) + (size_t) !(t->last > 0);
}

static void add(struct mpb_contrast *c, double y, size_t n_values, size_t n_zeros)
{
    c->y[c->n++] = y;
    c->n_values += n_values;
    c->n_zeros += n_zeros;
}

void mpb_contrast_fini(struct mpb_contrast *contrast)
{
    free(contrast->y);
    *contrast = (struct mpb_contrast){0};
}

enum mpb_status mpb_contrast_arms(const struct mpb_session *session,
                                  const struct mpb_gather_group *group, size_t a_arm, size_t b_arm,
                                  struct mpb_contrast *out, struct mpb_error *err)
{
    struct two *a = calloc(group->n + 1, sizeof(*a)), *b = calloc(group->n + 1, sizeof(*b));
    struct mpb_contrast c = {.y = calloc(group->n + 1, sizeof(double))};
    enum mpb_status st = MPB_OK;
    if (a == NULL || b == NULL || c.y == NULL) {
        mpb_contrast_fini(&c);
        st = mpb_error_set(err, MPB_E_NOMEM, "session", NULL);
        goto out;
    }
    size_t n_a = pair_up(session, group, a_arm, a), n_b = pair_up(session, group, b_arm, b);
    for (size_t i = 0, j = 0; i < n_a && j < n_b;) {
        if (a[i].block == b[j].block) {
            double y =
                mean_of_two(log_ratio(a[i].first, b[j].first), log_ratio(a[i].last, b[j].last));
            add(&c, y, 4, count_zeros(&a[i]) + count_zeros(&b[j]));
            i++;
            j++;
        } else if (a[i].block < b[j].block) {
            i++;
        } else {
            j++;
        }
    }
    *out = c;
out:
    free(a);
    free(b);
    return st;
}

enum mpb_status mpb_contrast_self(const struct mpb_session *session,
                                  const struct mpb_gather_group *group, size_t arm,
                                  struct mpb_contrast *out, struct mpb_error *err)
{
    struct two *t = calloc(group->n + 1, sizeof(*t));
    struct mpb_contrast c = {.y = calloc(group->n + 1, sizeof(double))};
    if (t == NULL || c.y == NULL) {
        free(t);
        mpb_contrast_fini(&c);
        return mpb_error_set(err, MPB_E_NOMEM, "session", NULL);
    }
    size_t n = pair_up(session, group, arm, t);
    for (size_t i = 0; i < n; i++) {
        add(&c, log_ratio(t[i].first, t[i].last), 2, count_zeros(&t[i]));
    }
    free(t);
    *out = c;
    return MPB_OK;
}
