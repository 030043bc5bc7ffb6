/* test_cells.c: which rows become which cells. */
#include "reports/cells.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/tests/sample.h"

static const struct sample_cfg pair = {"micro", {"before", "after"}, NULL, 8, NULL};

static bool keep_all(const struct mpb_ab_row *row, const void *ctx)
{
    (void)ctx;
    return !mpb_cells_is_part(row->metric);
}

static struct mpb_ab_row *find(struct sample *x, enum mpb_metric metric, int run)
{
    const struct mpb_ab_row *row =
        mpb_model_find_ab(&x->model, "micro", mpb_metric_info(metric)->name, run, 0, 1);
    assert_non_null(row);
    return &x->model.ab[row - x->model.ab];
}

/* "name|a|b|change|interval|verdict" of the line with this name; "" if there is none. */
static void line_of(const struct sample *x, const char *name, char *out, size_t cap)
{
    const struct mpb_cells_filter filter = {.keep = keep_all};
    struct mpb_cells lines = {0};
    out[0] = '\0';
    assert_int_equal(mpb_cells_open(&x->model, &x->model.scenario[0], &filter, &lines, NULL),
                     MPB_OK);
    for (size_t i = 0; i < lines.n; i++) {
        const struct mpb_cells_line *l = &lines.line[i];
        if (strcmp(l->name, name) == 0) {
            snprintf(out, cap, "%s|%s|%s|%s|%s", l->a, l->b, l->change, l->interval, l->verdict);
        }
    }
    mpb_cells_close(&lines);
}

static void expect(const struct sample *x, const char *name, const char *cells)
{
    char got[512];
    line_of(x, name, got, sizeof(got));
    assert_string_equal(got, cells);
}

static void test_cells(void **state)
{
    struct sample x;
    (void)state;
    sample_make(&pair, &x);
    expect(&x, "msg_per_s", "9 184/s|26 402/s|+187.5 %|+179.1 .. +195.0|improved");
    expect(&x, "ns_per_msg_p99", "1.00 ms|1.02 ms|+2.1 %|+0.4 .. +5.0|regressed");
    expect(&x, "decodes", "2.000|2.000|equal||exact");
    expect(&x, "hashes", "2.000|1.000|-1.000||exact, improved");
    expect(&x, "copies", "15.000|0.000|-15.000||exact, improved");
    expect(&x, "requested_bytes", "1.280 MB|0.195 MB|-84.8 %||exact, improved");
    expect(&x, "allocs", "26.000|26.001|+0.001||exact, regressed");
    expect(&x, "id_hashes", "0.000|0.005|new||exact, new");
    expect(&x, "peak_bytes", "131 MB|130 MB|-0.8 %|-0.9 .. -0.7|improved, negligible");
    expect(&x, "digest", "16 468 175 858 117 575 503|16 468 175 858 117 575 503|equal||exact");
    sample_fini(&x);
}

static void test_runs_that_differ_are_told_apart(void **state)
{
    struct sample x;
    (void)state;
    sample_make(&pair, &x);
    struct mpb_ab_row *row = find(&x, MPB_METRIC_HASHES, 2);
    row->b = 3000;
    row->b_exact = 3000;
    row->verdict = MPB_VERDICT_REGRESSED;
    expect(&x, "hashes", "");
    expect(&x, "hashes run 1", "2.000|1.000|-1.000||exact, improved");
    expect(&x, "hashes run 2", "2.000|3.000|+1.000||exact, regressed");
    sample_fini(&x);
}

static void test_a_difference_too_small_to_see_is_said_in_total(void **state)
{
    struct sample x;
    (void)state;
    sample_make(&pair, &x);
    struct mpb_ab_row *row = find(&x, MPB_METRIC_REQUESTED_BYTES, 1);
    row->b = row->a + 1;
    row->ratio = row->b / row->a;
    row->verdict = MPB_VERDICT_REGRESSED;
    char got[512];
    line_of(&x, "requested_bytes run 1", got, sizeof(got));
    assert_non_null(strstr(got, "|+1 in total||exact, regressed"));
    sample_fini(&x);
}

static void test_without_messages_figures_are_totals(void **state)
{
    struct sample x;
    (void)state;
    sample_make(&pair, &x);
    for (size_t i = 0; i < x.model.n_summary; i++) {
        if (strcmp(x.model.summary[i].metric, "messages") == 0) {
            x.model.summary[i].median = 0;
        }
    }
    expect(&x, "hashes (total)", "2 000|1 000|-1000||exact, improved");
    sample_fini(&x);
}

static void test_what_varied_shows_its_range(void **state)
{
    struct sample x;
    (void)state;
    sample_make(&pair, &x);
    for (size_t i = 0; i < x.model.n_summary; i++) {
        struct mpb_summary_row *own = &x.model.summary[i];
        if (strcmp(own->metric, "hashes") == 0 && own->arm == 1) {
            own->max = 1010;
        }
    }
    struct mpb_ab_row *row = find(&x, MPB_METRIC_HASHES, 1);
    row->verdict = MPB_VERDICT_INCONCLUSIVE;
    char got[512];
    line_of(&x, "hashes run 1", got, sizeof(got));
    assert_string_equal(got, "2.000|1.000 .. 1.010|-1.000||inconclusive");
    sample_fini(&x);
}

static void test_missing_and_incomparable_have_no_change(void **state)
{
    struct sample x;
    (void)state;
    sample_make(&pair, &x);
    struct mpb_ab_row *row = find(&x, MPB_METRIC_MSG_PER_S, MPB_RUN_MEAN);
    row->b = (double)NAN;
    row->ratio = row->low = row->high = (double)NAN;
    row->verdict = MPB_VERDICT_MISSING;
    expect(&x, "msg_per_s", "9 184/s|n/a|n/a|n/a|missing");
    row->b = 5;
    row->verdict = MPB_VERDICT_NOT_COMPARABLE;
    char got[512];
    line_of(&x, "msg_per_s", got, sizeof(got));
    assert_non_null(strstr(got, "|n/a|n/a|not comparable"));
    sample_fini(&x);
}

static void test_order_headline_then_regressed_then_list(void **state)
{
    const struct mpb_cells_filter filter = {.keep = keep_all};
    struct mpb_cells lines = {0};
    struct sample x;
    (void)state;
    sample_make(&pair, &x);
    assert_int_equal(mpb_cells_open(&x.model, &x.model.scenario[0], &filter, &lines, NULL), MPB_OK);
    assert_string_equal(lines.line[0].name, "msg_per_s");
    assert_string_equal(lines.line[1].name, "ns_per_msg_p99");
    assert_string_equal(lines.line[2].name, "wall");
    assert_string_equal(lines.line[5].name, "id_hashes");
    assert_string_equal(lines.line[6].name, "allocs");
    assert_string_equal(lines.line[lines.n - 1].name, "major_faults");
    mpb_cells_close(&lines);
    sample_fini(&x);
}

static void test_counts_as_a_phrase(void **state)
{
    struct sample x;
    char text[256];
    (void)state;
    sample_make(&pair, &x);
    mpb_cells_counts(&x.model, &x.model.scenario[0], text, sizeof(text));
    assert_string_equal(text, "15 fewer copies, 1 fewer hash");
    mpb_cells_confidence(0.05, text, sizeof(text));
    assert_string_equal(text, "95 %");
    mpb_cells_confidence(0.001, text, sizeof(text));
    assert_string_equal(text, "99.9 %");
    sample_fini(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_runs_that_differ_are_told_apart),
        cmocka_unit_test(test_a_difference_too_small_to_see_is_said_in_total),
        cmocka_unit_test(test_without_messages_figures_are_totals),
        cmocka_unit_test(test_what_varied_shows_its_range),
        cmocka_unit_test(test_missing_and_incomparable_have_no_change),
        cmocka_unit_test(test_order_headline_then_regressed_then_list),
        cmocka_unit_test(test_counts_as_a_phrase),
    };
    return cmocka_run_group_tests_name("cells", tests, NULL, NULL);
}
