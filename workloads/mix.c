/* mix.c: parsing mixes, and dealing sizes by exact quotas. */
#include "workloads/mix.h"

#include <stdio.h>
#include <string.h>

#include "instrument/parse.h"

static const struct mpb_mix_info infos[] = {
#define MPB_X(id, name, bins, doc) {name, bins, doc},
    MPB_MIX_LIST(MPB_X)
#undef MPB_X
};

const struct mpb_mix_info *mpb_mix_all(size_t *n)
{
    *n = MPB_ARRAY_LEN(infos);
    return infos;
}

static enum mpb_status parse_size_of(char *text, const char *where, uint32_t *out,
                                     struct mpb_error *err)
{
    uint64_t bytes = 0;
    enum mpb_status st =
        mpb_parse_size(text, where, MPB_MIX_PAYLOAD_MIN, MPB_MIX_PAYLOAD_MAX, &bytes, err);
    if (st == MPB_OK) {
        *out = (uint32_t)bytes;
    }
    return st;
}

/* One "SIZE:WEIGHT" or "LOW-HIGH:WEIGHT"; text is written to. */
static enum mpb_status parse_bin(char *text, const char *where, struct mpb_mix_bin *bin,
                                 struct mpb_error *err)
{
    char *colon = strchr(text, ':');
    if (colon == NULL) {
        return mpb_error_set(err, MPB_E_INPUT, where, "'%s' has no weight (SIZE:WEIGHT)", text);
    }
    *colon = '\0';
    uint64_t weight = 0;
    enum mpb_status st = mpb_parse_u64(colon + 1, where, 1, MPB_MIX_WEIGHT_MAX, &weight, err);
    if (st != MPB_OK) {
        return st;
    }
    bin->weight = (uint32_t)weight;
    char *dash = strchr(text, '-');
    if (dash != NULL) {
        *dash = '\0';
    }
    st = parse_size_of(text, where, &bin->low_bytes, err);
    bin->high_bytes = bin->low_bytes;
    if (st == MPB_OK && dash != NULL) {
        st = parse_size_of(dash + 1, where, &bin->high_bytes, err);
    }
    if (st == MPB_OK && bin->high_bytes < bin->low_bytes) {
        st =
            mpb_error_set(err, MPB_E_INPUT, where, "'%s-%s' ends before it begins", text, dash + 1);
    }
    return st;
}

static enum mpb_status parse_list(const char *text, const char *where, struct mpb_mix *out,
                                  struct mpb_error *err)
{
    char copy[1024];
    struct mpb_mix mix = {.n_bins = 0};
    size_t len = strlen(text);
    if (len >= sizeof(copy)) {
        return mpb_error_set(err, MPB_E_INPUT, where, "the list is too long");
    }
    memcpy(copy, text, len + 1);
    for (char *part = copy, *comma = copy; comma != NULL; part = comma + 1) {
        if (mix.n_bins == MPB_MIX_BINS_MAX) {
            return mpb_error_set(err, MPB_E_INPUT, where, "more than %d sizes", MPB_MIX_BINS_MAX);
        }
        comma = strchr(part, ',');
        if (comma != NULL) {
            *comma = '\0';
        }
        struct mpb_mix_bin *bin = &mix.bin[mix.n_bins++];
        enum mpb_status st = parse_bin(part, where, bin, err);
        if (st != MPB_OK) {
            return st;
        }
        mix.max_bytes = bin->high_bytes > mix.max_bytes ? bin->high_bytes : mix.max_bytes;
        if (comma == NULL) {
            break;
        }
    }
    *out = mix;
    return MPB_OK;
}

static enum mpb_status refuse_name(const char *text, const char *option, struct mpb_error *err)
{
    char known[128] = "";
    for (size_t i = 0; i < MPB_ARRAY_LEN(infos); i++) {
        size_t n = strlen(known);
        snprintf(known + n, sizeof(known) - n, "%s%s", i > 0 ? ", " : "", infos[i].name);
    }
    return mpb_error_set(err, MPB_E_INPUT, option,
                         "unknown mix '%s' (known: %s; or a list SIZE:WEIGHT,...)", text, known);
}

enum mpb_status mpb_mix_parse(const char *text, const char *option, struct mpb_mix *out,
                              struct mpb_error *err)
{
    char where[128];
    for (size_t i = 0; i < MPB_ARRAY_LEN(infos); i++) {
        if (strcmp(text, infos[i].name) == 0) {
            return parse_list(infos[i].bins, infos[i].name, out, err);
        }
    }
    if (strpbrk(text, ":,0123456789") == NULL) {
        return refuse_name(text, option, err);
    }
    snprintf(where, sizeof(where), "%s: '%.80s'", option, text);
    return parse_list(text, where, out, err);
}

/* Exact quotas: floor shares, then one more to the largest remainders. */
static void deal(const struct mpb_mix *mix, size_t n, size_t quota[MPB_MIX_BINS_MAX])
{
    uint64_t total = 0, remainder[MPB_MIX_BINS_MAX] = {0};
    size_t dealt = 0;
    for (size_t i = 0; i < mix->n_bins; i++) {
        total += mix->bin[i].weight;
    }
    for (size_t i = 0; i < mix->n_bins; i++) {
        uint64_t share = (uint64_t)n * mix->bin[i].weight;
        quota[i] = (size_t)(share / total);
        remainder[i] = share % total;
        dealt += quota[i];
    }
    for (; dealt < n; dealt++) {
        size_t best = 0;
        for (size_t i = 1; i < mix->n_bins; i++) {
            bool heavier = mix->bin[i].weight > mix->bin[best].weight;
            if (remainder[i] > remainder[best] || (remainder[i] == remainder[best] && heavier)) {
                best = i;
            }
        }
        quota[best]++;
        remainder[best] = 0;
    }
}

void mpb_mix_fill(const struct mpb_mix *mix, struct mpb_rng *rng, uint32_t *payload_bytes, size_t n)
{
    size_t quota[MPB_MIX_BINS_MAX] = {0}, at = 0;
    deal(mix, n, quota);
    for (size_t i = 0; i < mix->n_bins; i++) {
        const struct mpb_mix_bin *bin = &mix->bin[i];
        uint64_t width = (uint64_t)bin->high_bytes - bin->low_bytes + 1;
        for (size_t k = 0; k < quota[i]; k++) {
            payload_bytes[at++] = bin->low_bytes + (uint32_t)mpb_rng_below(rng, width);
        }
    }
    mpb_rng_shuffle(rng, payload_bytes, n);
}
