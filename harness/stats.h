/* stats.h: the estimators behind the verdicts, as pure functions over arrays of double.
 *
 * x[n] is always sorted ascending (mpb_stats_sort) and free of NAN; infinities are allowed, since
 * a block in which one side measured zero has an infinite log-ratio and still has a rank. Nothing
 * here allocates except _sort's caller. NAN says "cannot be had from this many values". */
#ifndef MPB_HARNESS_STATS_H
#define MPB_HARNESS_STATS_H

#include "instrument/base.h"

MPB_BEGIN_DECLS

/* Sort x[n] ascending, in place. */
void mpb_stats_sort(double *x, size_t n);

/* The middle value, or the mean of the two middle ones; NAN if n is 0. */
double mpb_stats_median(const double *x, size_t n);
/* Mean of what is left when floor(n * share) values are cut at each end; NAN if n is 0.
 * share in [0, 0.5). */
double mpb_stats_trimmed_mean(const double *x, size_t n, double share);
/* Median of |x - median(x)|, not scaled; NAN if n is 0 or the median is infinite. */
double mpb_stats_mad(const double *x, size_t n);

/* P(Bin(n, 1/2) <= k). */
double mpb_stats_binomial_half(size_t n, size_t k);

/* Two-sided p of "the median is 0": min(1, 2 P(Bin(n, 1/2) <= m)), m = values that do not have
 * the majority's sign. Zeros count against the claim, which makes p <= alpha say exactly what
 * "0 lies outside the interval of mpb_stats_sign_interval" says. In (0, 1]; 1 if n is 0. */
double mpb_stats_sign_p(const double *x, size_t n);

/* The order-statistic interval for the median, no assumption on the shape: x[k-1] .. x[n-k] with
 * the largest k such that P(Bin(n, 1/2) < k) <= alpha / 2. False, outputs untouched, when no k
 * will do (n < 6 at alpha = 0.05). */
bool mpb_stats_sign_interval(const double *x, size_t n, double alpha, double *out_low,
                             double *out_high);

/* The shift of normal values of standard deviation sd that the sign test at level alpha sees with
 * probability power, from n values: sd * z(q), q such that P(Bin(n, q) >= n - k + 1) = power with
 * k as above (the other tail's share is below 1e-3 of it and left out). NAN when no k will do.
 * For sd pass 1.4826 MAD, which estimates it without believing outliers. */
double mpb_stats_sign_mde(double sd, size_t n, double alpha, double power);

MPB_END_DECLS

#endif
