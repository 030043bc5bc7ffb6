/* writer_md.c: report.md, section by section: the result, then the evidence. All of it comes from
 * the model and its session, so that it can be written again, byte for byte. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/cells.h"
#include "reports/md.h"
#include "reports/md_lines.h"
#include "reports/md_method.h"
#include "reports/md_raw.h"
#include "reports/md_result.h"
#include "reports/md_retained.h"
#include "reports/md_sites.h"
#include "reports/md_totals.h"
#include "reports/units.h"
#include "reports/writer.h"

static const enum mpb_metric work_metrics[] = {
    MPB_METRIC_DECODES, MPB_METRIC_HASHES, MPB_METRIC_ID_HASHES,
    MPB_METRIC_ENCODES, MPB_METRIC_COPIES,
};
static const enum mpb_metric allocation_metrics[] = {
    MPB_METRIC_REQUESTED_BYTES,
    MPB_METRIC_USABLE_BYTES,
    MPB_METRIC_ALLOCS,
};

static bool is_one_of(const char *metric, const enum mpb_metric *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(metric, mpb_metric_info(list[i])->name) == 0) {
            return true;
        }
    }
    return false;
}

static bool wants_timed(const char *metric, enum mpb_class class_)
{
    (void)metric;
    return class_ == MPB_CLASS_TIMED;
}

static bool wants_level(const char *metric, enum mpb_class class_)
{
    (void)metric;
    return class_ == MPB_CLASS_LEVEL;
}

static bool wants_allocation(const char *metric, enum mpb_class class_)
{
    return is_one_of(metric, allocation_metrics, MPB_ARRAY_LEN(allocation_metrics)) ||
           (class_ == MPB_CLASS_EXACT &&
            (strcmp(metric, mpb_metric_info(MPB_METRIC_FREES)->name) == 0 ||
             strcmp(metric, mpb_metric_info(MPB_METRIC_FREED_BYTES)->name) == 0));
}

static void put_resolution(const struct mpb_session *s, const struct mpb_scenario_note *note,
                           FILE *f)
{
    char pair[256], noise[32], mde[32], effect[32], range[80];
    mpb_md_lines_pair_name(s, note, pair, sizeof(pair));
    mpb_units_share(note->noise_floor, noise, sizeof(noise));
    mpb_units_share(note->mde80, mde, sizeof(mde));
    mpb_units_change(1 + note->order_effect, effect, sizeof(effect));
    mpb_units_interval(1 + note->order_low, 1 + note->order_high, range, sizeof(range));
    if (!isfinite(note->mde80)) {
        mpb_md_item(f, "What %s, %s, could see: n/a, too few blocks (%u).", note->scenario, pair,
                    note->blocks_done);
        return;
    }
    mpb_md_item(f,
                "What %s, %s, could see in %s: a change of %s or more with 80 %% power. Noise "
                "floor %s (the median difference of an arm's own two passes in a block). Order "
                "effect %s, interval %s %% (second half of a block against its first).",
                note->scenario, pair, note->headline[0] != '\0' ? note->headline : "its headline",
                mde, noise, effect, range);
}

static enum mpb_status put_throughput(const struct mpb_model *model, FILE *f, struct mpb_error *err)
{
    static const struct mpb_md_lines lines = {wants_timed, true, true};
    const struct mpb_session *s = model->session;
    mpb_md_heading(f, 2, "Throughput and latency");
    if (s->n_arms > 1) {
        mpb_md_paragraph(f,
                         "Figures are medians over passes. The change is the median of the block "
                         "log-ratios, turned back into a ratio; it need not equal the ratio of "
                         "the two medians. The interval is the sign test's, from order "
                         "statistics of the block values; the trimmed mean (20 %% at each end) "
                         "of the same values stands beside it.");
    }
    enum mpb_status st = mpb_md_lines_write(model, &lines, f, err);
    for (size_t i = 0; s->n_arms > 1 && i < model->n_scenarios; i++) {
        put_resolution(s, &model->scenario[i], f);
    }
    putc('\n', f);
    return st;
}

static enum mpb_status put_counts(const struct mpb_model *model, FILE *f, struct mpb_error *err)
{
    static const struct mpb_md_sites work = {work_metrics, MPB_ARRAY_LEN(work_metrics)};
    const struct mpb_session *s = model->session;
    enum mpb_status st = MPB_OK;
    mpb_md_heading(f, 2, "Counts per message and site");
    mpb_md_paragraph(f, "Exact: counted where the work is done, by workers that are never timed. "
                        "Per message: a run's total / its messages. Totals are whole runs, 1 MB = "
                        "1 000 000 bytes.");
    for (size_t i = 0; st == MPB_OK && i < s->n_scenarios; i++) {
        const char *scenario = mpb_names_text(&s->names, s->scenario[i]);
        mpb_md_heading(f, 3, "%s", scenario);
        st = mpb_md_sites_write(model, scenario, &work, f, err);
        mpb_md_totals_write(model, scenario, f);
    }
    return st;
}

static enum mpb_status put_memory(const struct mpb_model *model, FILE *f, struct mpb_error *err)
{
    static const struct mpb_md_lines levels = {wants_level, false, true};
    mpb_md_heading(f, 2, "Peak heap and other levels");
    mpb_md_paragraph(f, "Medians over passes. live_bytes and peak_bytes are usable bytes of the "
                        "measured heap, peak_rss is the whole process with the harness's own "
                        "memory. Ranges run from the smallest to the largest ratio any two passes "
                        "could give.");
    enum mpb_status st = mpb_md_lines_write(model, &levels, f, err);
    st = st != MPB_OK ? st : mpb_md_retained_write(model, f, err);
    mpb_md_heading(f, 2, "Heap elevation");
    mpb_md_paragraph(f, "n/a: no series of the heap by message was recorded in this session.");
    return st;
}

static enum mpb_status put_allocation(const struct mpb_model *model, FILE *f, struct mpb_error *err)
{
    static const struct mpb_md_lines lines = {wants_allocation, false, false};
    static const struct mpb_md_sites sites = {allocation_metrics,
                                              MPB_ARRAY_LEN(allocation_metrics)};
    const struct mpb_session *s = model->session;
    mpb_md_heading(f, 2, "Cumulative allocation");
    mpb_md_paragraph(f, "Every byte the path asked for (requested) and was given (usable: the "
                        "allocator's size classes), whether freed or not: what live and peak "
                        "cannot show.");
    enum mpb_status st = mpb_md_lines_write(model, &lines, f, err);
    for (size_t i = 0; st == MPB_OK && i < s->n_scenarios; i++) {
        const char *scenario = mpb_names_text(&s->names, s->scenario[i]);
        mpb_md_heading(f, 3, "%s by site, per message", scenario);
        st = mpb_md_sites_write(model, scenario, &sites, f, err);
    }
    return st;
}

static void put_ending(const struct mpb_model *model, FILE *f)
{
    mpb_md_heading(f, 2, "Where the time went");
    mpb_md_paragraph(f, "n/a: no profile was taken in this session.");
    mpb_md_heading(f, 2, "Claims");
    mpb_md_paragraph(f, "n/a: no claim was written down before this session.");
    mpb_md_heading(f, 2, "Bottom line");
    mpb_md_result_write_last(model, f);
}

static enum mpb_status write_md(const struct mpb_model *model, FILE *f, struct mpb_error *err)
{
    enum mpb_status st = mpb_md_result_write_first(model, f, err);
    if (st != MPB_OK) {
        return st;
    }
    mpb_md_method_write(model, f);
    st = put_throughput(model, f, err);
    if (st == MPB_OK) {
        mpb_md_raw_write(model, f);
        st = put_counts(model, f, err);
    }
    st = st != MPB_OK ? st : put_memory(model, f, err);
    st = st != MPB_OK ? st : put_allocation(model, f, err);
    if (st == MPB_OK) {
        put_ending(model, f);
    }
    return st;
}

const struct mpb_writer mpb_writer_md = {
    .name = "md",
    .file_name = "report.md",
    .doc = "the report in Markdown, for people",
    .write = write_md,
};
