/* progress.c: the progress line. */
#include "harness/progress.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "harness/compare.h"
#include "instrument/clock.h"
#include "reports/units.h"

enum { LINE_MAX_COLUMNS = 100 };

void mpb_progress_init(struct mpb_progress *progress, FILE *f, bool quiet)
{
    *progress = (struct mpb_progress){.f = f,
                                      .quiet = quiet,
                                      .is_terminal = isatty(fileno(f)) == 1,
                                      .begin_ns = mpb_clock_now_ns()};
}

void mpb_progress_end(struct mpb_progress *progress)
{
    if (progress->line_open) {
        fputs("\r\033[K", progress->f);
        fflush(progress->f);
        progress->line_open = false;
    }
}

/* "after +187.5 % [+179.1 .. +195.0]   half-width 4.1 %" of the headline so far. */
static void estimate(struct mpb_progress *p, const struct mpb_campaign_news *news)
{
    const struct mpb_session *s = news->session;
    const char *scenario = mpb_names_text(&s->names, news->pass->scenario);
    struct mpb_model model = {0};
    p->estimate[0] = '\0';
    if (s->n_arms < 2 || mpb_compare_session(s, &model, NULL) != MPB_OK) {
        return;
    }
    for (size_t i = 0; i < model.n_scenarios; i++) {
        const struct mpb_scenario_note *note = &model.scenario[i];
        const struct mpb_ab_row *row =
            mpb_model_find_ab(&model, scenario, note->headline, MPB_RUN_MEAN, 0, s->n_arms - 1);
        if (row == NULL || strcmp(note->scenario, scenario) != 0) {
            continue;
        }
        char change[32], interval[48];
        mpb_units_change(row->ratio, change, sizeof(change));
        mpb_units_interval(row->low, row->high, interval, sizeof(interval));
        snprintf(p->estimate, sizeof(p->estimate), "%.24s %.30s [%.46s]",
                 s->arm[s->n_arms - 1].label, change, interval);
        size_t used = strlen(p->estimate);
        if (!isnan(row->low) && !isnan(row->high)) {
            snprintf(p->estimate + used, sizeof(p->estimate) - used, "   half-width %.1f %%",
                     expm1(log(row->high / row->low) / 2) * 100);
        }
    }
    mpb_model_fini(&model);
}

/* Time for what is left, if it goes on as it went so far; of all scenarios together. */
static double seconds_left(const struct mpb_progress *p, const struct mpb_session *s)
{
    double planned =
        (double)(s->n_scenarios * s->n_arms) * (s->plan.n_counting_passes + 2.0 * s->plan.n_blocks);
    double done = 0, elapsed = (double)(mpb_clock_now_ns() - p->begin_ns) / 1e9;
    for (size_t i = 0; i < s->n_passes; i++) {
        done += s->pass[i].accepted;
    }
    return done > 0 && planned > done ? elapsed * (planned - done) / done : 0;
}

static void show_line(struct mpb_progress *p, const struct mpb_campaign_news *news)
{
    const struct mpb_session *s = news->session;
    char line[320], stage[64];
    unsigned left = (unsigned)lround(seconds_left(p, s));
    if (news->pass->kind == MPB_KIND_COUNTING) {
        snprintf(stage, sizeof(stage), "counting pass %u", (unsigned)news->pass->pass);
    } else {
        snprintf(stage, sizeof(stage), "block %u/%u", (unsigned)news->blocks_done,
                 (unsigned)s->plan.n_blocks);
    }
    snprintf(line, sizeof(line), "%.24s   %s   %s   %u:%02u left",
             mpb_names_text(&s->names, news->pass->scenario), stage, p->estimate, left / 60,
             left % 60);
    fprintf(p->f, "\r\033[K%.*s", LINE_MAX_COLUMNS, line);
    fflush(p->f);
    p->line_open = true;
}

void mpb_progress_told(void *ctx, const struct mpb_campaign_news *news)
{
    struct mpb_progress *p = ctx;
    if (p->quiet) {
        return;
    }
    if (!news->pass->accepted) {
        const struct mpb_session *s = news->session;
        mpb_progress_end(p);
        fprintf(p->f, "%s: arm %s, pass %u: %s\n", mpb_names_text(&s->names, news->pass->scenario),
                s->arm[news->pass->arm].label, (unsigned)news->pass->pass, news->pass->reason);
    }
    if (p->is_terminal) {
        if (news->block_ended) {
            estimate(p, news);
        }
        show_line(p, news);
    }
}
