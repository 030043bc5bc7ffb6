/* units.c: one table of scales, one rounding rule. */
#include "reports/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The steps of a unit, smallest first; each is 1000 times the one before it, s and TB are last. */
static const struct {
    const char *unit;
    const char *suffix[5];
} ladders[] = {
    {"ns", {"ns", "us", "ms", "s", NULL}},
    {"B", {"B", "kB", "MB", "GB", "TB"}},
    {"1/s", {"/s", NULL, NULL, NULL, NULL}},
    {"count", {"", NULL, NULL, NULL, NULL}},
};

struct range {
    double largest, smallest; /* of the magnitudes above 0; both 0 if there are none */
    bool whole;               /* every value is a whole number */
};

static struct range range_of(const double *values, size_t n)
{
    struct range r = {0, 0, true};
    for (size_t i = 0; i < n; i++) {
        double v = fabs(values[i]);
        if (!isfinite(v)) {
            continue;
        }
        r.whole = r.whole && !(fabs(v - round(v)) > 0);
        r.largest = v > r.largest ? v : r.largest;
        if (v > 0 && (!(r.smallest > 0) || v < r.smallest)) {
            r.smallest = v;
        }
    }
    return r;
}

/* Decimals that give three significant digits after rounding. */
static int decimals_for(double v)
{
    if (v >= 99.95) {
        return 0;
    }
    return v >= 9.995 || !(v > 0) ? 1 : 2;
}

/* More decimals, at most two, until the smallest value of the row shows three digits too. */
static int decimals_between(double largest, double smallest)
{
    int decimals = decimals_for(largest);
    int cap = decimals + 2 < 3 ? decimals + 2 : 3;
    while (decimals < cap && smallest * pow(10, decimals) < 99.5) {
        decimals++;
    }
    return decimals;
}

struct mpb_scale mpb_units_scale(const char *unit, const double *values, size_t n)
{
    struct range r = range_of(values, n);
    struct mpb_scale scale = {1, unit, 0};
    bool counts = strcmp(unit, "count") == 0;
    size_t step = 0;
    for (size_t i = 0; i < MPB_ARRAY_LEN(ladders); i++) {
        if (strcmp(unit, ladders[i].unit) != 0) {
            continue;
        }
        /* 999.5 would be printed as 1000. */
        while (step + 1 < MPB_ARRAY_LEN(ladders[i].suffix) && ladders[i].suffix[step + 1] != NULL &&
               r.largest / scale.divisor >= 999.5) {
            scale.divisor *= 1000;
            step++;
        }
        scale.suffix = ladders[i].suffix[step];
    }
    if (step == 0 && r.whole) {
        scale.decimals = 0;
    } else if (counts && r.largest < 99.95) {
        scale.decimals = 3; /* as counts per message are printed */
    } else {
        scale.decimals = decimals_between(r.largest / scale.divisor, r.smallest / scale.divisor);
    }
    return scale;
}

/* Copy digits into out[cap] with a space between groups of three of the integer part. */
static void group(const char *digits, char *out, size_t cap)
{
    size_t sign = strspn(digits, "+-");
    size_t whole = strspn(digits + sign, "0123456789");
    size_t n = 0;
    for (size_t i = 0; digits[i] != '\0' && n + 2 < cap; i++) {
        bool inside = i > sign && i < sign + whole;
        if (inside && (sign + whole - i) % 3 == 0) {
            out[n++] = ' ';
        }
        out[n++] = digits[i];
    }
    out[n] = '\0';
}

/* value with a number of decimals, grouped; a value that rounds to 0 has no sign. */
static void put_number(double value, int decimals, bool plus, char *out, size_t cap)
{
    char digits[400]; /* DBL_MAX has 309 */
    snprintf(digits, sizeof(digits), plus ? "%+.*f" : "%.*f", decimals, value);
    const char *from = digits;
    if (strpbrk(digits, "123456789") == NULL) {
        from += strspn(digits, "+-");
    }
    group(from, out, cap);
}

void mpb_units_format(double value, const struct mpb_scale *scale, char *out, size_t cap)
{
    if (!isfinite(value)) {
        snprintf(out, cap, "n/a");
        return;
    }
    char number[420];
    put_number(value / scale->divisor, scale->decimals, false, number, sizeof(number));
    bool apart = scale->suffix[0] != '\0' && scale->suffix[0] != '/';
    snprintf(out, cap, "%s%s%s", number, apart ? " " : "", scale->suffix);
}

void mpb_units_integer(uint64_t value, char *out, size_t cap)
{
    char digits[24];
    snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
    group(digits, out, cap);
}

void mpb_units_change(double ratio, char *out, size_t cap)
{
    if (!isfinite(ratio)) {
        snprintf(out, cap, "n/a");
        return;
    }
    char number[420];
    put_number((ratio - 1) * 100, 1, true, number, sizeof(number));
    snprintf(out, cap, "%s %%", number);
}

void mpb_units_share(double share, char *out, size_t cap)
{
    if (!isfinite(share)) {
        snprintf(out, cap, "n/a");
        return;
    }
    char number[420];
    put_number(fabs(share) * 100, 1, false, number, sizeof(number));
    snprintf(out, cap, "%s %%", number);
}

void mpb_units_interval(double low, double high, char *out, size_t cap)
{
    if (!isfinite(low) || !isfinite(high)) {
        snprintf(out, cap, "n/a");
        return;
    }
    char from[420], to[420];
    put_number((low - 1) * 100, 1, true, from, sizeof(from));
    put_number((high - 1) * 100, 1, true, to, sizeof(to));
    snprintf(out, cap, "%s .. %s", from, to);
}

void mpb_units_csv(double value, char *out, size_t cap)
{
    char text[40] = "";
    if (!isfinite(value)) {
        snprintf(out, cap, "%s", "");
        return;
    }
    if (fabs(value) < 9007199254740992.0 && !(fabs(value - trunc(value)) > 0)) {
        snprintf(text, sizeof(text), "%.0f", value); /* 100000, not 1e+05 */
    } else {
        for (int digits = 1; digits <= 17; digits++) {
            snprintf(text, sizeof(text), "%.*g", digits, value);
            if (!(fabs(strtod(text, NULL) - value) > 0)) {
                break;
            }
        }
    }
    snprintf(out, cap, "%s", text);
}
