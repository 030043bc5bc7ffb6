/* md_retained.c: retention by owner. */
#include "reports/md_retained.h"

#include <stdlib.h>
#include <string.h>

#include "reports/md.h"
#include "reports/units.h"

#define AT_END "retained_bytes/"
#define HALF_WAY "retained_half_bytes/"

enum { COLUMNS_AN_ARM = 3 };

/* An arm's median of a level metric, whatever run it was printed for; NULL if it was not. */
static const struct mpb_summary_row *find(const struct mpb_model *model, size_t arm,
                                          const char *scenario, const char *metric)
{
    const struct mpb_summary_row *row =
        mpb_model_find_summary(model, arm, scenario, metric, MPB_RUN_MEAN);
    return row != NULL ? row : mpb_model_find_summary(model, arm, scenario, metric, 1);
}

static void put_bytes(const struct mpb_summary_row *row, struct mpb_md_table *table)
{
    static const struct mpb_scale mb = {1e6, "MB", 2};
    char text[64] = "n/a";
    if (row != NULL) {
        mpb_units_format(row->median, &mb, text, sizeof(text));
    }
    mpb_md_cell(table, text);
}

/* What is held at the end against the run's payload bytes: mean payloads a message. */
static void put_share(const struct mpb_model *model, size_t arm, const struct mpb_summary_row *end,
                      struct mpb_md_table *table)
{
    const struct mpb_summary_row *payload =
        end != NULL ? find(model, arm, end->scenario, "payload_bytes") : NULL;
    if (payload == NULL || !(payload->median > 0)) {
        mpb_md_cell(table, "n/a");
    } else {
        mpb_md_cellf(table, "%.3f", end->median / payload->median);
    }
}

/* One owner: `owner` is what follows retained_bytes/. */
static void put_owner(const struct mpb_model *model, const char *scenario, const char *owner,
                      struct mpb_md_table *table)
{
    char end_name[128], half_name[128];
    snprintf(end_name, sizeof(end_name), AT_END "%s", owner);
    snprintf(half_name, sizeof(half_name), HALF_WAY "%s", owner);
    mpb_md_cell(table, owner);
    for (size_t arm = 0; arm < model->session->n_arms; arm++) {
        const struct mpb_summary_row *end = find(model, arm, scenario, end_name);
        put_bytes(find(model, arm, scenario, half_name), table);
        put_bytes(end, table);
        put_share(model, arm, end, table);
    }
}

static bool begin(const struct mpb_session *s, struct mpb_md_table *table, char **align, FILE *f)
{
    size_t n = 1 + COLUMNS_AN_ARM * s->n_arms;
    *align = malloc(n + 1);
    if (*align == NULL) {
        return false;
    }
    memset(*align, 'r', n);
    (*align)[0] = 'l';
    (*align)[n] = '\0';
    mpb_md_begin(table, f, *align);
    mpb_md_cell(table, "owner");
    for (size_t arm = 0; arm < s->n_arms; arm++) {
        mpb_md_cellf(table, "%s half-way", s->arm[arm].label);
        mpb_md_cellf(table, "%s at the end", s->arm[arm].label);
        mpb_md_cellf(table, "%s payloads / message", s->arm[arm].label);
    }
    return true;
}

/* The first arm that has an owner's row lists the owner. */
static bool is_first_to_have(const struct mpb_model *model, const struct mpb_summary_row *row)
{
    for (size_t arm = 0; arm < row->arm; arm++) {
        if (find(model, arm, row->scenario, row->metric) != NULL) {
            return false;
        }
    }
    return true;
}

static bool is_owner_of(const struct mpb_summary_row *row, const char *scenario)
{
    return strcmp(row->scenario, scenario) == 0 && row->run != 0 &&
           strncmp(row->metric, AT_END, strlen(AT_END)) == 0;
}

static enum mpb_status put_scenario(const struct mpb_model *model, const char *scenario, FILE *f,
                                    struct mpb_error *err)
{
    struct mpb_md_table table;
    char *align = NULL;
    mpb_md_heading(f, 3, "%s: retention by owner", scenario);
    mpb_md_paragraph(f, "What each owner of a node holds or references, when half of the run's "
                        "messages were done and at its end (queue: the most so far). What shares "
                        "bytes counts them each. Payloads / message: bytes at the end / payload "
                        "bytes of the run.");
    if (!begin(model->session, &table, &align, f)) {
        return mpb_error_set(err, MPB_E_NOMEM, "report", NULL);
    }
    for (size_t i = 0; i < model->n_summary; i++) {
        const struct mpb_summary_row *row = &model->summary[i];
        if (is_owner_of(row, scenario) && is_first_to_have(model, row)) {
            put_owner(model, scenario, row->metric + strlen(AT_END), &table);
        }
    }
    mpb_md_end(&table);
    free(align);
    return MPB_OK;
}

static bool has_owners(const struct mpb_model *model, const char *scenario)
{
    for (size_t i = 0; i < model->n_summary; i++) {
        if (is_owner_of(&model->summary[i], scenario)) {
            return true;
        }
    }
    return false;
}

enum mpb_status mpb_md_retained_write(const struct mpb_model *model, FILE *f, struct mpb_error *err)
{
    const struct mpb_session *s = model->session;
    enum mpb_status st = MPB_OK;
    for (size_t i = 0; i < s->n_scenarios && st == MPB_OK; i++) {
        const char *scenario = mpb_names_text(&s->names, s->scenario[i]);
        if (has_owners(model, scenario)) {
            st = put_scenario(model, scenario, f, err);
        }
    }
    return st;
}
