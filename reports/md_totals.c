/* md_totals.c: integers as they are, bytes in MB as the reference prints them. */
#include "reports/md_totals.h"

#include <stdlib.h>
#include <string.h>

#include "reports/md.h"
#include "reports/units.h"

static const enum mpb_metric in_mb[] = {
    MPB_METRIC_HASHED_BYTES,    MPB_METRIC_DECODED_BYTES, MPB_METRIC_ENCODED_BYTES,
    MPB_METRIC_ID_HASHED_BYTES, MPB_METRIC_COPIED_BYTES,
};

/* The accounting: every message must have gone somewhere. */
static const enum mpb_metric accounted[] = {
    MPB_METRIC_MESSAGES, MPB_METRIC_DELIVERED, MPB_METRIC_ARCHIVED, MPB_METRIC_REJECTED,
    MPB_METRIC_DROPPED,  MPB_METRIC_REFUSED,   MPB_METRIC_PUSHED,   MPB_METRIC_DIGEST,
};

/* An arm's exact figure of a run: the integer, or the range it varied in. */
static void put_exact(const struct mpb_summary_row *row, struct mpb_md_table *table)
{
    if (row == NULL) {
        mpb_md_cell(table, "n/a");
    } else if (row->is_integer && row->min_exact != row->max_exact) {
        mpb_md_cellf(table, "%llu .. %llu", (unsigned long long)row->min_exact,
                     (unsigned long long)row->max_exact);
    } else if (row->is_integer) {
        mpb_md_cellf(table, "%llu", (unsigned long long)row->min_exact);
    } else {
        mpb_md_cellf(table, "%.17g", row->median);
    }
}

/* Bytes as MB = 1e6 bytes, two decimals, as "hashed_MB". */
static void put_mb(const struct mpb_summary_row *row, struct mpb_md_table *table)
{
    static const struct mpb_scale mb = {1e6, "", 2};
    char text[64] = "n/a";
    if (row != NULL) {
        mpb_units_format(row->median, &mb, text, sizeof(text));
    }
    mpb_md_cell(table, text);
}

/* A row for each run of a metric that any arm has: name, run, one cell an arm. Bytes that are 0
 * everywhere are left out. */
static void put_totals_of(const struct mpb_model *model, const char *scenario, const char *metric,
                          bool mb, struct mpb_md_table *table)
{
    const struct mpb_session *s = model->session;
    for (int run = 1;; run++) {
        const struct mpb_summary_row *any = NULL;
        double largest = 0;
        for (size_t arm = 0; arm < s->n_arms; arm++) {
            const struct mpb_summary_row *row =
                mpb_model_find_summary(model, arm, scenario, metric, run);
            any = row != NULL ? row : any;
            largest = row != NULL && row->max > largest ? row->max : largest;
        }
        if (any == NULL || (mb && !(largest > 0))) {
            return;
        }
        size_t unit = mb ? strlen("_bytes") : 0;
        mpb_md_cellf(table, mb ? "%.*s_MB" : "%.*s", (int)(strlen(metric) - unit), metric);
        mpb_md_cellf(table, "%d", run);
        for (size_t arm = 0; arm < s->n_arms; arm++) {
            const struct mpb_summary_row *row =
                mpb_model_find_summary(model, arm, scenario, metric, run);
            if (mb) {
                put_mb(row, table);
            } else {
                put_exact(row, table);
            }
        }
    }
}

static bool put_head(const struct mpb_session *s, struct mpb_md_table *table, char **align, FILE *f)
{
    *align = malloc(s->n_arms + 3);
    if (*align == NULL) {
        return false;
    }
    memset(*align, 'r', s->n_arms + 2);
    (*align)[0] = 'l';
    (*align)[s->n_arms + 2] = '\0';
    mpb_md_begin(table, f, *align);
    mpb_md_cell(table, "total");
    mpb_md_cell(table, "run");
    for (size_t arm = 0; arm < s->n_arms; arm++) {
        mpb_md_cell(table, s->arm[arm].label);
    }
    return true;
}

void mpb_md_totals_write(const struct mpb_model *model, const char *scenario, FILE *f)
{
    struct mpb_md_table table;
    char *align = NULL;
    if (!put_head(model->session, &table, &align, f)) {
        return;
    }
    for (size_t i = 0; i < MPB_ARRAY_LEN(in_mb); i++) {
        put_totals_of(model, scenario, mpb_metric_info(in_mb[i])->name, true, &table);
    }
    for (size_t i = 0; i < MPB_ARRAY_LEN(accounted); i++) {
        put_totals_of(model, scenario, mpb_metric_info(accounted[i])->name, false, &table);
    }
    mpb_md_end(&table);
    free(align);
}
