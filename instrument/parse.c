/* parse.c: strict numbers. The program never calls setlocale(), so strtod() reads "." whatever
 * the environment says; the character check below refuses the rest of what it would accept. */
#include "instrument/parse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The digits at the head of text; false if there are none or they overflow. */
static bool leading_u64(const char *text, uint64_t *out, const char **rest)
{
    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    char *end = NULL;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    if (errno != 0) {
        return false;
    }
    *out = v;
    *rest = end;
    return true;
}

/* An unsigned decimal at the head of text, without exponent: "2", "2.7", not ".5" or "2.". */
static bool leading_decimal(const char *text, double *out, const char **rest)
{
    size_t n = strspn(text, "0123456789");
    if (n == 0) {
        return false;
    }
    if (text[n] == '.') {
        size_t fraction = strspn(text + n + 1, "0123456789");
        if (fraction == 0) {
            return false;
        }
        n += 1 + fraction;
    }
    char digits[64];
    if (n >= sizeof(digits)) {
        return false;
    }
    memcpy(digits, text, n);
    digits[n] = '\0';
    *out = strtod(digits, NULL);
    *rest = text + n;
    return true;
}

static enum mpb_status check_range(uint64_t v, const char *text, const char *name, uint64_t min,
                                   uint64_t max, struct mpb_error *err)
{
    if (v < min || v > max) {
        return mpb_error_set(err, MPB_E_INPUT, name, "'%s' is out of range (%llu to %llu)", text,
                             (unsigned long long)min, (unsigned long long)max);
    }
    return MPB_OK;
}

enum mpb_status mpb_parse_u64(const char *text, const char *name, uint64_t min, uint64_t max,
                              uint64_t *out, struct mpb_error *err)
{
    uint64_t v = 0;
    const char *rest = NULL;
    if (!leading_u64(text, &v, &rest) || *rest != '\0') {
        return mpb_error_set(err, MPB_E_INPUT, name, "'%s' is not a whole number (%llu to %llu)",
                             text, (unsigned long long)min, (unsigned long long)max);
    }
    enum mpb_status st = check_range(v, text, name, min, max, err);
    if (st == MPB_OK) {
        *out = v;
    }
    return st;
}

static const struct {
    const char *suffix;
    uint64_t factor;
} size_suffixes[] = {{"", 1}, {"k", 1000}, {"Ki", 1024}, {"M", 1000000}, {"Mi", 1048576}};

enum mpb_status mpb_parse_size(const char *text, const char *name, uint64_t min, uint64_t max,
                               uint64_t *out, struct mpb_error *err)
{
    uint64_t v = 0, factor = 0;
    const char *rest = NULL;
    if (!leading_u64(text, &v, &rest)) {
        return mpb_error_set(err, MPB_E_INPUT, name, "size '%s' does not start with a number",
                             text);
    }
    for (size_t i = 0; i < MPB_ARRAY_LEN(size_suffixes); i++) {
        if (strcmp(rest, size_suffixes[i].suffix) == 0) {
            factor = size_suffixes[i].factor;
        }
    }
    if (factor == 0) {
        return mpb_error_set(err, MPB_E_INPUT, name,
                             "size '%s' has an unknown suffix (k = 1000, Ki = 1024, M, Mi)", text);
    }
    if (v > UINT64_MAX / factor) {
        v = UINT64_MAX;
        factor = 1;
    }
    enum mpb_status st = check_range(v * factor, text, name, min, max, err);
    if (st == MPB_OK) {
        *out = v * factor;
    }
    return st;
}

static const struct {
    const char *unit;
    double ns;
} duration_units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}};

enum mpb_status mpb_parse_duration(const char *text, const char *name, uint64_t *out_ns,
                                   struct mpb_error *err)
{
    double v = 0, unit_ns = 0;
    const char *rest = NULL;
    if (leading_decimal(text, &v, &rest)) {
        for (size_t i = 0; i < MPB_ARRAY_LEN(duration_units); i++) {
            if (strcmp(rest, duration_units[i].unit) == 0) {
                unit_ns = duration_units[i].ns;
            }
        }
    }
    double ns = v * unit_ns;
    if (!(ns >= 1) || ns > 9e18) {
        return mpb_error_set(err, MPB_E_INPUT, name,
                             "'%s' is not a duration above 0 (a number with ns, us, ms, s or min)",
                             text);
    }
    *out_ns = (uint64_t)llround(ns);
    return MPB_OK;
}

enum mpb_status mpb_parse_percent(const char *text, const char *name, double max_pct, double *out,
                                  struct mpb_error *err)
{
    double v = 0;
    const char *rest = NULL;
    if (!leading_decimal(text, &v, &rest) || strcmp(rest, "%") != 0 || !(v > 0) || v >= max_pct) {
        return mpb_error_set(err, MPB_E_INPUT, name,
                             "'%s' is not a share above 0%% and below %g%% (a number with %%)",
                             text, max_pct);
    }
    *out = v / 100;
    return MPB_OK;
}

enum mpb_status mpb_parse_double(const char *text, const char *name, double *out,
                                 struct mpb_error *err)
{
    char *end = NULL;
    bool plain = text[0] != '\0' && strspn(text, "0123456789+-.eE") == strlen(text);
    double v = plain ? strtod(text, &end) : 0;
    if (!plain || *end != '\0' || !isfinite(v)) {
        return mpb_error_set(err, MPB_E_INPUT, name, "'%s' is not a finite decimal number", text);
    }
    *out = v;
    return MPB_OK;
}
