/* noise.c: noise floor and order effect. */
#include "harness/noise.h"

#include <math.h>
#include <stdlib.h>

#include "harness/stats.h"

/* scratch has room for both arms' values. */
static double noise_floor(const struct mpb_contrast *a, const struct mpb_contrast *b,
                          double *scratch)
{
    size_t n = 0;
    for (size_t i = 0; i < a->n; i++) {
        scratch[n++] = fabs(a->y[i]);
    }
    for (size_t i = 0; i < b->n; i++) {
        scratch[n++] = fabs(b->y[i]);
    }
    mpb_stats_sort(scratch, n);
    return expm1(mpb_stats_median(scratch, n));
}

static void order_effect(const struct mpb_contrast *a, const struct mpb_contrast *b, double level,
                         double *scratch, struct mpb_scenario_note *note)
{
    size_t n = b->n < a->n ? b->n : a->n;
    double low = NAN, high = NAN;
    for (size_t i = 0; i < n; i++) {
        double mean = (a->y[i] + b->y[i]) / 2;
        scratch[i] = isnan(mean) ? 0 : mean; /* opposite infinities cancel */
    }
    mpb_stats_sort(scratch, n);
    note->order_effect = expm1(mpb_stats_median(scratch, n));
    if (mpb_stats_sign_interval(scratch, n, level, &low, &high)) {
        note->order_low = expm1(low);
        note->order_high = expm1(high);
    }
}

enum mpb_status mpb_noise_measure(const struct mpb_session *session,
                                  const struct mpb_gather_group *group,
                                  struct mpb_scenario_note *note, struct mpb_error *err)
{
    struct mpb_contrast a = {0}, b = {0};
    double *scratch = NULL;
    enum mpb_status st = mpb_contrast_self(session, group, note->a_arm, &a, err);
    if (st == MPB_OK) {
        st = mpb_contrast_self(session, group, note->b_arm, &b, err);
    }
    if (st == MPB_OK) {
        scratch = calloc(a.n + b.n + 1, sizeof(*scratch));
        st = scratch != NULL ? MPB_OK : mpb_error_set(err, MPB_E_NOMEM, "session", NULL);
    }
    if (scratch != NULL) {
        note->noise_floor = noise_floor(&a, &b, scratch);
        order_effect(&a, &b, session->plan.level, scratch, note);
    }
    free(scratch);
    mpb_contrast_fini(&a);
    mpb_contrast_fini(&b);
    return st;
}
