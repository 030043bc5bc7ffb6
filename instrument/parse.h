/* parse.h: text to number, strictly and without a locale: the whole text must be the number,
 * and what a reader would have to guess (a missing unit, an unknown suffix) is an error.
 *
 * `name` is the object an error names (an option, a file:line). All fail with MPB_E_INPUT. */
#ifndef MPB_INSTRUMENT_PARSE_H
#define MPB_INSTRUMENT_PARSE_H

#include "instrument/status.h"

MPB_BEGIN_DECLS

/* Digits only, min..max inclusive. */
MPB_MUST_USE enum mpb_status mpb_parse_u64(const char *text, const char *name, uint64_t min,
                                           uint64_t max, uint64_t *out, struct mpb_error *err);
/* Bytes: digits with an optional suffix k M (1000) or Ki Mi (1024), min..max inclusive. */
MPB_MUST_USE enum mpb_status mpb_parse_size(const char *text, const char *name, uint64_t min,
                                            uint64_t max, uint64_t *out, struct mpb_error *err);
/* A duration with its unit ns us ms s min, such as 2.7ms or 90s, to ns; more than 0. */
MPB_MUST_USE enum mpb_status mpb_parse_duration(const char *text, const char *name,
                                                uint64_t *out_ns, struct mpb_error *err);
/* A share with its sign, such as 2% or 0.5%, to a fraction; above 0, below max_pct per cent. */
MPB_MUST_USE enum mpb_status mpb_parse_percent(const char *text, const char *name, double max_pct,
                                               double *out, struct mpb_error *err);
/* A finite decimal number ("." only, optional exponent, no hex, no inf, no nan). */
MPB_MUST_USE enum mpb_status mpb_parse_double(const char *text, const char *name, double *out,
                                              struct mpb_error *err);

MPB_END_DECLS

#endif
