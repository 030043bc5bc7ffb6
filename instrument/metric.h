/* metric.h: what a metric is: its name, unit, direction, statistics and owner. The list is
 * metric_list.h. A full metric name on the wire is name[/node][/site] or name/reason. */
#ifndef MPB_INSTRUMENT_METRIC_H
#define MPB_INSTRUMENT_METRIC_H

#include "instrument/base.h"
#include "instrument/metric_list.h"
#include "instrument/site_list.h"

MPB_BEGIN_DECLS

enum mpb_unit { MPB_UNIT_COUNT, MPB_UNIT_BYTES, MPB_UNIT_NS, MPB_UNIT_PER_S, MPB_UNIT__COUNT };
enum mpb_better { MPB_BETTER_NONE, MPB_BETTER_HIGHER, MPB_BETTER_LOWER, MPB_BETTER__COUNT };
enum mpb_class { MPB_CLASS_EXACT, MPB_CLASS_TIMED, MPB_CLASS_LEVEL, MPB_CLASS__COUNT };
enum mpb_owner { MPB_OWNER_TIMED, MPB_OWNER_COUNTING, MPB_OWNER__COUNT };
enum mpb_shape { MPB_SHAPE_SUM, MPB_SHAPE_POINT };

enum mpb_metric {
#define MPB_X(id, name, unit, better, class_, owner, shape, doc) MPB_METRIC_##id,
    MPB_METRIC_LIST(MPB_X)
#undef MPB_X
        MPB_METRIC__COUNT
};

enum mpb_site {
#define MPB_X(id, name, doc) MPB_SITE_##id,
    MPB_SITE_LIST(MPB_X)
#undef MPB_X
        MPB_SITE__COUNT
};

struct mpb_metric_info {
    const char *name;
    enum mpb_unit unit;
    enum mpb_better better;
    enum mpb_class class_;
    enum mpb_owner owner;
    enum mpb_shape shape;
    const char *doc;
};

struct mpb_site_info {
    const char *name, *doc;
};

/* The row of a metric or site; the argument must be below its __COUNT. Never NULL. */
const struct mpb_metric_info *mpb_metric_info(enum mpb_metric metric);
const struct mpb_site_info *mpb_metric_site_info(enum mpb_site site);

/* The metric whose name is the part of full_name before the first '/'; NULL if none. */
const struct mpb_metric_info *mpb_metric_find(const char *full_name);

/* The words written in CSV columns: "count" "B" "ns" "1/s"; "none" "higher" "lower";
 * "exact" "timed" "level"; "timed" "counting". Never NULL. */
const char *mpb_metric_unit_name(enum mpb_unit unit);
const char *mpb_metric_better_name(enum mpb_better better);
const char *mpb_metric_class_name(enum mpb_class class_);
const char *mpb_metric_owner_name(enum mpb_owner owner);
/* The reverse; false and *out untouched if the word is unknown. */
bool mpb_metric_better_find(const char *word, enum mpb_better *out);
bool mpb_metric_class_find(const char *word, enum mpb_class *out);

MPB_END_DECLS

#endif
