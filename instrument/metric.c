/* metric.c: the metric and site tables, and look-up by name. */
#include "instrument/metric.h"

#include <string.h>

static const struct mpb_metric_info metrics[] = {
/* clang-format off */
#define MPB_X(id, name, unit, better, class_, owner, shape, doc) \
    {name, MPB_UNIT_##unit, MPB_BETTER_##better, MPB_CLASS_##class_, MPB_OWNER_##owner, \
     MPB_SHAPE_##shape, doc},
    /* clang-format on */
    MPB_METRIC_LIST(MPB_X)
#undef MPB_X
};
_Static_assert(MPB_ARRAY_LEN(metrics) == MPB_METRIC__COUNT, "one row a metric");

static const struct mpb_site_info sites[] = {
#define MPB_X(id, name, doc) {name, doc},
    MPB_SITE_LIST(MPB_X)
#undef MPB_X
};
_Static_assert(MPB_ARRAY_LEN(sites) == MPB_SITE__COUNT, "one row a site");

static const char *const unit_names[MPB_UNIT__COUNT] = {"count", "B", "ns", "1/s"};
static const char *const better_names[MPB_BETTER__COUNT] = {"none", "higher", "lower"};
static const char *const class_names[MPB_CLASS__COUNT] = {"exact", "timed", "level"};
static const char *const owner_names[MPB_OWNER__COUNT] = {"timed", "counting"};

const struct mpb_metric_info *mpb_metric_info(enum mpb_metric metric)
{
    return &metrics[metric];
}

const struct mpb_site_info *mpb_metric_site_info(enum mpb_site site)
{
    return &sites[site];
}

const struct mpb_metric_info *mpb_metric_find(const char *full_name)
{
    size_t n = strcspn(full_name, "/");
    for (size_t i = 0; i < MPB_ARRAY_LEN(metrics); i++) {
        if (strlen(metrics[i].name) == n && memcmp(metrics[i].name, full_name, n) == 0) {
            return &metrics[i];
        }
    }
    return NULL;
}

const char *mpb_metric_unit_name(enum mpb_unit unit)
{
    return unit_names[unit];
}

const char *mpb_metric_better_name(enum mpb_better better)
{
    return better_names[better];
}

const char *mpb_metric_class_name(enum mpb_class class_)
{
    return class_names[class_];
}

const char *mpb_metric_owner_name(enum mpb_owner owner)
{
    return owner_names[owner];
}

/* The index of word in names[n], or n. */
static size_t word_index(const char *word, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(word, names[i]) == 0) {
            return i;
        }
    }
    return n;
}

bool mpb_metric_better_find(const char *word, enum mpb_better *out)
{
    size_t i = word_index(word, better_names, MPB_BETTER__COUNT);
    if (i == MPB_BETTER__COUNT) {
        return false;
    }
    *out = (enum mpb_better)i;
    return true;
}

bool mpb_metric_class_find(const char *word, enum mpb_class *out)
{
    size_t i = word_index(word, class_names, MPB_CLASS__COUNT);
    if (i == MPB_CLASS__COUNT) {
        return false;
    }
    *out = (enum mpb_class)i;
    return true;
}
