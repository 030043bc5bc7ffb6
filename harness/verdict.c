/* verdict.c: the rules of the verdicts. */
#include "harness/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/stats.h"

static const double trim_share = 0.2;
static const double power = 0.8;
static const double mad_to_sd = 1.4826; /* of a normal distribution: 1 / z(3/4) */
static const double zeros_max_share = 0.1;

static void say(struct mpb_ab_row *row, enum mpb_verdict verdict, const char *reason)
{
    row->verdict = verdict;
    snprintf(row->reason, sizeof(row->reason), "%s", reason);
}

/* The word for a shown difference. */
static enum mpb_verdict direction(enum mpb_better better, bool rises)
{
    if (better == MPB_BETTER_NONE) {
        return MPB_VERDICT_CHANGED;
    }
    return rises == (better == MPB_BETTER_HIGHER) ? MPB_VERDICT_IMPROVED : MPB_VERDICT_REGRESSED;
}

static bool inside_band(double low, double high, double equal)
{
    /* The band is symmetric in logarithms, as everything is: 1 / 1.02 .. 1.02. */
    return low * (1 + equal) >= 1 && high <= 1 + equal;
}

static bool varies(const struct mpb_verdict_range *r)
{
    return r->is_integer ? r->min_exact != r->max_exact : r->max > r->min;
}

static void exact_reason(struct mpb_ab_row *row, const struct mpb_verdict_range *a,
                         const struct mpb_verdict_range *b, const struct mpb_verdict_rules *rules)
{
    unsigned fewest = a->n < b->n ? a->n : b->n;
    if (fewest < rules->n_counting) {
        snprintf(row->reason, sizeof(row->reason), "exact, over %u of %u counting passes", fewest,
                 rules->n_counting);
    } else {
        snprintf(row->reason, sizeof(row->reason), "exact");
    }
}

void mpb_verdict_exact(struct mpb_ab_row *row, const struct mpb_verdict_range *a,
                       const struct mpb_verdict_range *b, const struct mpb_verdict_rules *rules)
{
    if (varies(a) || varies(b)) {
        row->verdict = MPB_VERDICT_INCONCLUSIVE;
        snprintf(row->reason, sizeof(row->reason),
                 "varies between passes: %llu..%llu against %llu..%llu",
                 (unsigned long long)a->min_exact, (unsigned long long)a->max_exact,
                 (unsigned long long)b->min_exact, (unsigned long long)b->max_exact);
        return;
    }
    uint64_t from = a->min_exact, to = b->min_exact;
    row->is_integer = true;
    row->a_exact = from;
    row->b_exact = to;
    row->ratio = from > 0 ? (double)to / (double)from : (double)NAN;
    if (from == to) {
        row->verdict = MPB_VERDICT_EQUAL;
    } else if (from == 0) {
        row->verdict = MPB_VERDICT_NEW;
    } else {
        row->verdict = direction(row->better, to > from);
    }
    exact_reason(row, a, b, rules);
}

/* A level metric with zeros has no ratio to hold an interval around. Returns whether it did. */
static bool level_of_zeros(struct mpb_ab_row *row, const struct mpb_verdict_range *a,
                           const struct mpb_verdict_range *b)
{
    if (!(a->max > 0) && !(b->max > 0)) {
        say(row, MPB_VERDICT_UNCHANGED, "0 in every pass");
    } else if (!(a->max > 0) && b->min > 0) {
        say(row, MPB_VERDICT_NEW, "0 in every pass before");
    } else if (!(a->min > 0)) {
        say(row, MPB_VERDICT_INCONCLUSIVE, "some passes measured 0");
    } else {
        return false;
    }
    return true;
}

void mpb_verdict_level(struct mpb_ab_row *row, const struct mpb_verdict_range *a,
                       const struct mpb_verdict_range *b, const struct mpb_verdict_rules *rules)
{
    if (level_of_zeros(row, a, b)) {
        return;
    }
    row->ratio = b->median / a->median;
    row->low = b->min / a->max;
    row->high = b->max / a->min;
    bool agree = !varies(a) && !varies(b);
    bool enough = a->n >= MPB_VERDICT_LEVEL_PASSES_MIN && b->n >= MPB_VERDICT_LEVEL_PASSES_MIN;
    bool differs = row->low > 1 || row->high < 1;
    bool same = inside_band(row->low, row->high, rules->equal);
    if (!agree && !enough) {
        char text[80];
        snprintf(text, sizeof(text), "varies, and needs at least %d passes an arm",
                 MPB_VERDICT_LEVEL_PASSES_MIN);
        say(row, MPB_VERDICT_INCONCLUSIVE, text);
    } else if (differs) {
        say(row, direction(row->better, row->low > 1),
            agree ? "every pass of an arm agrees" : "the ranges do not meet");
        row->negligible = same;
    } else if (same) {
        say(row, MPB_VERDICT_UNCHANGED, "the ranges lie inside the equivalence band");
    } else {
        say(row, MPB_VERDICT_INCONCLUSIVE, "the ranges meet");
    }
}

/* How many more blocks would bring the interval inside the band, if it went on narrowing with the
 * square root of their number. */
static void what_would_settle_it(struct mpb_ab_row *row, const struct mpb_verdict_rules *rules)
{
    double half_width = log(row->high / row->low) / 2, band = log1p(rules->equal);
    double more = row->blocks * (half_width / band * (half_width / band) - 1);
    char text[120];
    if (!isfinite(more)) {
        snprintf(text, sizeof(text), "the interval is not finite");
    } else if (more < 1) {
        snprintf(text, sizeof(text), "the interval reaches beyond the %g %% band",
                 rules->equal * 100);
    } else if (more > 9999) {
        snprintf(text, sizeof(text), "the interval is too wide for the %g %% band by far",
                 rules->equal * 100);
    } else {
        snprintf(text, sizeof(text), "about %.0f more blocks would settle it within %g %%",
                 ceil(more), rules->equal * 100);
    }
    say(row, MPB_VERDICT_INCONCLUSIVE, text);
}

static bool too_many_zeros(struct mpb_ab_row *row, const struct mpb_contrast *c)
{
    if ((double)c->n_zeros <= zeros_max_share * (double)c->n_values) {
        return false;
    }
    char text[96];
    snprintf(text, sizeof(text), "below the clock's resolution: %zu of %zu values are 0",
             c->n_zeros, c->n_values);
    say(row, MPB_VERDICT_INCONCLUSIVE, text);
    return true;
}

static double exp_if_finite(double x)
{
    double v = exp(x);
    return isfinite(v) && v > 0 ? v : (double)NAN;
}

static void timed_figures(struct mpb_ab_row *row, const double *y, size_t n,
                          const struct mpb_verdict_rules *rules)
{
    double low = NAN, high = NAN;
    row->ratio = exp_if_finite(mpb_stats_median(y, n));
    row->trimmed = exp_if_finite(mpb_stats_trimmed_mean(y, n, trim_share));
    row->p = n > 0 ? mpb_stats_sign_p(y, n) : (double)NAN;
    if (mpb_stats_sign_interval(y, n, rules->level, &low, &high)) {
        row->low = row->sign_low = exp_if_finite(low);
        row->high = row->sign_high = exp_if_finite(high);
        row->mde80 =
            expm1(mpb_stats_sign_mde(mad_to_sd * mpb_stats_mad(y, n), n, rules->level, power));
    }
}

void mpb_verdict_timed(struct mpb_ab_row *row, struct mpb_contrast *contrast,
                       const struct mpb_verdict_rules *rules)
{
    size_t n = contrast->n;
    row->blocks = (unsigned)n;
    row->look = 1;
    row->level = rules->level;
    if (too_many_zeros(row, contrast)) {
        return;
    }
    mpb_stats_sort(contrast->y, n);
    timed_figures(row, contrast->y, n, rules);
    bool same = inside_band(row->low, row->high, rules->equal);
    if (n < MPB_VERDICT_BLOCKS_MIN || isnan(row->low) || isnan(row->high)) {
        char text[64];
        snprintf(text, sizeof(text), "needs at least %d blocks", MPB_VERDICT_BLOCKS_MIN);
        say(row, MPB_VERDICT_INCONCLUSIVE,
            n < MPB_VERDICT_BLOCKS_MIN ? text : "the interval is not finite");
    } else if (row->low > 1 || row->high < 1) {
        say(row, direction(row->better, row->low > 1), "the interval excludes no change");
        row->negligible = same;
    } else if (same) {
        say(row, MPB_VERDICT_UNCHANGED, "the interval lies inside the equivalence band");
    } else {
        what_would_settle_it(row, rules);
    }
    if (contrast->n_zeros > 0) {
        size_t used = strlen(row->reason);
        snprintf(row->reason + used, sizeof(row->reason) - used, "; %zu of %zu values are 0",
                 contrast->n_zeros, contrast->n_values);
    }
}
