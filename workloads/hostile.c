/* hostile.c: the kinds of hostile connection, and their option's value. */
#include "workloads/hostile.h"

#include <string.h>

#include "instrument/parse.h"

/* "garbage, oversize, ..., " */
static const char kinds[] =
#define MPB_X(id, name, ends, fate, doc) name ", "
    MPB_HOSTILE_LIST(MPB_X)
#undef MPB_X
    ;

static const struct mpb_hostile_info infos[MPB_HOSTILE__COUNT] = {
#define MPB_X(id, name, ends, fate, doc) {name, ends, fate, doc},
    MPB_HOSTILE_LIST(MPB_X)
#undef MPB_X
};

const struct mpb_hostile_info *mpb_hostile_info(enum mpb_hostile_kind kind)
{
    return &infos[kind];
}

static enum mpb_hostile_kind find(const char *text, size_t len)
{
    size_t kind = 0;
    while (kind < MPB_HOSTILE__COUNT &&
           (strlen(infos[kind].name) != len || memcmp(infos[kind].name, text, len) != 0)) {
        kind++;
    }
    return (enum mpb_hostile_kind)kind;
}

enum mpb_status mpb_hostile_parse(const char *text, const char *name, struct mpb_hostile *out,
                                  struct mpb_error *err)
{
    if (strcmp(text, "none") == 0) {
        *out = (struct mpb_hostile){.kind = MPB_HOSTILE__COUNT};
        return MPB_OK;
    }
    size_t len = strcspn(text, ",");
    struct mpb_hostile asked = {.kind = find(text, len)};
    if (asked.kind == MPB_HOSTILE__COUNT) {
        return mpb_error_set(err, MPB_E_INPUT, name, "unknown kind '%.*s' (known: %snone)",
                             (int)(len < 40 ? len : 40), text, kinds);
    }
    if (text[len] == '\0') {
        return mpb_error_set(err, MPB_E_INPUT, name, "'%s' lacks its rate (%s,RATE)", text, text);
    }
    const char *rate = text + len + 1;
    if (asked.kind != MPB_HOSTILE_FLOOD || strcmp(rate, "max") != 0) {
        enum mpb_status st = mpb_parse_u64(rate, name, 1, MPB_HOSTILE_RATE_MAX, &asked.rate, err);
        if (st != MPB_OK) {
            return st;
        }
    }
    *out = asked;
    return MPB_OK;
}
