/* units.h: how numbers look to readers: one unit a row, three significant digits where more
 * would be noise, thin groups of thousands, "n/a" for NAN. CSV never goes through here. */
#ifndef MPB_REPORTS_UNITS_H
#define MPB_REPORTS_UNITS_H

#include "instrument/base.h"

MPB_BEGIN_DECLS

/* A scale for one row: a divisor and what to print behind the number ("us", "MB", "/s"). */
struct mpb_scale {
    double divisor;
    const char *suffix; /* "" for counts */
    int decimals;
};

/* The scale in which the largest of values[n] (finite ones) reads well; unit is a CSV unit
 * ("ns", "B", "1/s", "count", any other is kept as it is). Never "1000 us": the scale goes up. */
struct mpb_scale mpb_units_scale(const char *unit, const double *values, size_t n);
/* value in that scale, with suffix: "9 184/s", "101 us", "1.28 MB", "2.000"; "n/a" for NAN. */
void mpb_units_format(double value, const struct mpb_scale *scale, char *out, size_t cap);
/* A whole number with its groups of thousands, every digit of it. */
void mpb_units_integer(uint64_t value, char *out, size_t cap);
/* A ratio as a signed change: 2.875 -> "+187.5 %", 1 -> "0.0 %", NAN -> "n/a". */
void mpb_units_change(double ratio, char *out, size_t cap);
/* The size of a share, without its sign: 0.016 -> "1.6 %", NAN -> "n/a". */
void mpb_units_share(double share, char *out, size_t cap);
/* An interval of ratios as "+179.1 .. +195.0" (per cent, for a column headed so); "n/a" for NAN. */
void mpb_units_interval(double low, double high, char *out, size_t cap);
/* A double as CSV writes it: shortest text that reads back the same; "" for NAN. */
void mpb_units_csv(double value, char *out, size_t cap);

MPB_END_DECLS

#endif
