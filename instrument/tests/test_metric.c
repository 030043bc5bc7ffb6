/* test_metric.c: the metric and site lists are sound registries, and names are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "instrument/metric.h"

#include <ctype.h>
#include <string.h>

static void assert_lower_snake(const char *name)
{
    assert_true(islower((unsigned char)name[0]));
    assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(name));
}

/* One line of words, without a full stop, that a CSV cell and a help line can take. */
static void assert_documented(const char *doc)
{
    assert_true(strlen(doc) >= 8);
    assert_null(strpbrk(doc, "\n\t\""));
    assert_true(doc[strlen(doc) - 1] != '.');
}

static void metrics_are_a_sound_registry(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPB_METRIC__COUNT; i++) {
        const struct mpb_metric_info *info = mpb_metric_info((enum mpb_metric)i);
        assert_lower_snake(info->name);
        assert_documented(info->doc);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(info->name, mpb_metric_info((enum mpb_metric)j)->name);
        }
    }
}

static void sites_are_a_sound_registry(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPB_SITE__COUNT; i++) {
        const struct mpb_site_info *info = mpb_metric_site_info((enum mpb_site)i);
        assert_lower_snake(info->name);
        assert_documented(info->doc);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(info->name, mpb_metric_site_info((enum mpb_site)j)->name);
        }
    }
    /* A part of a metric name that could be a node or a site would be ambiguous. */
    for (size_t i = 0; i < MPB_SITE__COUNT; i++) {
        const char *site = mpb_metric_site_info((enum mpb_site)i)->name;
        assert_string_not_equal(site, "publisher");
        assert_string_not_equal(site, "receiver");
    }
}

/* What the rest of the program takes for granted of a row. */
static void classes_units_and_owners_agree(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPB_METRIC__COUNT; i++) {
        const struct mpb_metric_info *info = mpb_metric_info((enum mpb_metric)i);
        if (info->class_ == MPB_CLASS_TIMED) {
            assert_int_equal(info->owner, MPB_OWNER_TIMED);
            assert_true(info->better != MPB_BETTER_NONE);
            assert_true(info->unit == MPB_UNIT_NS || info->unit == MPB_UNIT_PER_S);
        }
        if (info->class_ == MPB_CLASS_EXACT) {
            assert_true(info->unit == MPB_UNIT_COUNT || info->unit == MPB_UNIT_BYTES);
        }
        if (info->shape == MPB_SHAPE_SUM) {
            assert_true(info->unit == MPB_UNIT_COUNT || info->unit == MPB_UNIT_BYTES);
        }
    }
}

static void the_headline_is_msg_per_s(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPB_METRIC__COUNT; i++) {
        const struct mpb_metric_info *info = mpb_metric_info((enum mpb_metric)i);
        if (info->class_ == MPB_CLASS_TIMED) {
            assert_string_equal(info->name, "msg_per_s");
            return;
        }
    }
    fail_msg("no timed metric");
}

static void find_reads_the_part_before_the_slash(void **state)
{
    (void)state;
    const struct mpb_metric_info *decodes = mpb_metric_info(MPB_METRIC_DECODES);
    assert_ptr_equal(mpb_metric_find("decodes"), decodes);
    assert_ptr_equal(mpb_metric_find("decodes/validator"), decodes);
    assert_ptr_equal(mpb_metric_find("decodes/receiver/validator"), decodes);
    assert_ptr_equal(mpb_metric_find("decodes/"), decodes);
    static const char *const unknown[] = {"", "/", "/decodes", "decode", "decodesx", "Decodes"};
    for (size_t i = 0; i < MPB_ARRAY_LEN(unknown); i++) {
        assert_null(mpb_metric_find(unknown[i]));
    }
    for (size_t i = 0; i < MPB_METRIC__COUNT; i++) {
        const struct mpb_metric_info *info = mpb_metric_info((enum mpb_metric)i);
        assert_ptr_equal(mpb_metric_find(info->name), info);
    }
}

static void words_round_trip(void **state)
{
    (void)state;
    for (int i = 0; i < MPB_BETTER__COUNT; i++) {
        enum mpb_better back = MPB_BETTER__COUNT;
        assert_true(mpb_metric_better_find(mpb_metric_better_name((enum mpb_better)i), &back));
        assert_int_equal(back, i);
    }
    for (int i = 0; i < MPB_CLASS__COUNT; i++) {
        enum mpb_class back = MPB_CLASS__COUNT;
        assert_true(mpb_metric_class_find(mpb_metric_class_name((enum mpb_class)i), &back));
        assert_int_equal(back, i);
    }
    assert_string_equal(mpb_metric_unit_name(MPB_UNIT_COUNT), "count");
    assert_string_equal(mpb_metric_unit_name(MPB_UNIT_BYTES), "B");
    assert_string_equal(mpb_metric_unit_name(MPB_UNIT_NS), "ns");
    assert_string_equal(mpb_metric_unit_name(MPB_UNIT_PER_S), "1/s");
    assert_string_equal(mpb_metric_owner_name(MPB_OWNER_TIMED), "timed");
    assert_string_equal(mpb_metric_owner_name(MPB_OWNER_COUNTING), "counting");
}

static void unknown_words_leave_the_output_alone(void **state)
{
    (void)state;
    enum mpb_better better = MPB_BETTER_LOWER;
    enum mpb_class class_ = MPB_CLASS_LEVEL;
    assert_false(mpb_metric_better_find("Higher", &better));
    assert_false(mpb_metric_better_find("", &better));
    assert_false(mpb_metric_class_find("exactly", &class_));
    assert_int_equal(better, MPB_BETTER_LOWER);
    assert_int_equal(class_, MPB_CLASS_LEVEL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_are_a_sound_registry),
        cmocka_unit_test(sites_are_a_sound_registry),
        cmocka_unit_test(classes_units_and_owners_agree),
        cmocka_unit_test(the_headline_is_msg_per_s),
        cmocka_unit_test(find_reads_the_part_before_the_slash),
        cmocka_unit_test(words_round_trip),
        cmocka_unit_test(unknown_words_leave_the_output_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
