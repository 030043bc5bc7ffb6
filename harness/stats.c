/* stats.c: order statistics and the sign test. */
#include "harness/stats.h"

#include <math.h>
#include <stdlib.h>

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void mpb_stats_sort(double *x, size_t n)
{
    if (n > 1) {
        qsort(x, n, sizeof(*x), compare_double);
    }
}

double mpb_stats_median(const double *x, size_t n)
{
    if (n == 0) {
        return NAN;
    }
    if (n % 2 == 1) {
        return x[n / 2];
    }
    return x[n / 2 - 1] + (x[n / 2] - x[n / 2 - 1]) / 2;
}

double mpb_stats_trimmed_mean(const double *x, size_t n, double share)
{
    if (n == 0) {
        return NAN;
    }
    size_t cut = (size_t)floor((double)n * share);
    double sum = 0;
    for (size_t i = cut; i < n - cut; i++) {
        sum += x[i];
    }
    return sum / (double)(n - 2 * cut);
}

double mpb_stats_mad(const double *x, size_t n)
{
    double m = mpb_stats_median(x, n);
    if (!isfinite(m)) {
        return NAN;
    }
    /* The deviations grow from the middle outwards on both sides: merging the two sides visits
     * them in ascending order without a second array. */
    size_t right = n / 2, left = right;
    double deviation = 0, previous = 0;
    for (size_t i = 0; i <= n / 2; i++) {
        previous = deviation;
        bool take_left = right == n || (left > 0 && m - x[left - 1] <= x[right] - m);
        deviation = take_left ? m - x[--left] : x[right++] - m;
    }
    return n % 2 == 1 ? deviation : previous + (deviation - previous) / 2;
}

/* P(Bin(n, q) <= k) by summing the terms in logarithms; q in (0, 1). */
static double binomial_cdf(size_t n, size_t k, double q)
{
    double sum = 0, n_real = (double)n;
    for (size_t i = 0; i <= k && i <= n; i++) {
        double r = (double)i;
        sum += exp(lgamma(n_real + 1) - lgamma(r + 1) - lgamma(n_real - r + 1) + r * log(q) +
                   (n_real - r) * log1p(-q));
    }
    return fmin(sum, 1);
}

double mpb_stats_binomial_half(size_t n, size_t k)
{
    if (k >= n) {
        return 1;
    }
    if (n > 1000) { /* 2^-n is no longer a normal double */
        return binomial_cdf(n, k, 0.5);
    }
    double term = ldexp(1, -(int)n), sum = term;
    for (size_t i = 0; i < k; i++) {
        term *= (double)(n - i) / (double)(i + 1);
        sum += term;
    }
    return fmin(sum, 1);
}

double mpb_stats_sign_p(const double *x, size_t n)
{
    size_t below = 0, above = 0;
    for (size_t i = 0; i < n; i++) {
        below += x[i] < 0;
        above += x[i] > 0;
    }
    size_t against = n - (below > above ? below : above);
    double p = 2 * mpb_stats_binomial_half(n, against);
    return n == 0 ? 1 : fmax(fmin(p, 1), 0x1p-1022); /* beyond 1022 blocks p would round to 0 */
}

/* The largest k with P(Bin(n, 1/2) < k) <= alpha / 2. */
static size_t sign_rank(size_t n, double alpha)
{
    size_t k = 0;
    while (k < n / 2 && mpb_stats_binomial_half(n, k) <= alpha / 2) {
        k++;
    }
    return k;
}

bool mpb_stats_sign_interval(const double *x, size_t n, double alpha, double *out_low,
                             double *out_high)
{
    size_t k = sign_rank(n, alpha);
    if (k == 0) {
        return false;
    }
    *out_low = x[k - 1];
    *out_high = x[n - k];
    return true;
}

/* The z with P(N(0, 1) <= z) = q, by bisection on erfc. */
static double normal_quantile(double q)
{
    double low = -40, high = 40;
    for (int i = 0; i < 100; i++) {
        double mid = (low + high) / 2;
        if (erfc(-mid / sqrt(2)) / 2 < q) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return (low + high) / 2;
}

double mpb_stats_sign_mde(double sd, size_t n, double alpha, double power)
{
    size_t k = sign_rank(n, alpha);
    if (k == 0 || !isfinite(sd)) {
        return NAN;
    }
    double low = 0.5, high = 1 - 1e-12;
    for (int i = 0; i < 100; i++) {
        double q = (low + high) / 2;
        if (1 - binomial_cdf(n, n - k, q) < power) {
            low = q;
        } else {
            high = q;
        }
    }
    return sd * normal_quantile((low + high) / 2);
}
