/* test_variant.c: the variants as tables: names, what each path costs, what each model charges. */
#include "core/variant.h"

#include <stdlib.h>
#include <string.h>

#include "core/tests/path_fixture.h"

/* Names are what users type and what the fixed command line promises. */
static void test_names(void **state)
{
    (void)state;
    static const char *const promised[] = {"before", "after",  "floor",  "before-orc", "after-orc",
                                           "churn2", "churn4", "churn8", "churn16"};
    size_t n = 0;
    const struct mpb_variant *all = mpb_variant_all(&n);
    assert_int_equal(n, MPB_ARRAY_LEN(promised));
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(all[i].name, promised[i]);
        assert_ptr_equal(mpb_variant_find(promised[i]), &all[i]);
        assert_non_null(all[i].path);
        assert_non_null(all[i].model);
        assert_true(strlen(all[i].doc) > 0);
    }
    assert_null(mpb_variant_find("befo"));
    assert_null(mpb_variant_find("before2"));
    assert_null(mpb_variant_find(""));
    assert_null(mpb_variant_find("Before"));
}

static void count(const struct mpb_path *path, const enum mpb_site *site, size_t n,
                  unsigned *decodes, unsigned *hashes)
{
    *decodes = *hashes = 0;
    for (size_t i = 0; i < n; i++) {
        const struct mpb_site_plan *plan = &path->site[site[i]];
        *decodes += plan->decode == MPB_DECODE_OWNED || plan->decode == MPB_DECODE_VIEW;
        *hashes += plan->hash == MPB_HASH_COMPUTE;
    }
}

/* Decodes and hashes of a message, by node: the counts the paths were built to reproduce. */
static void test_counts_by_node(void **state)
{
    (void)state;
    static const enum mpb_site micro[] = {
        MPB_SITE_VALIDATOR,  MPB_SITE_TOPIC_HANDLER, MPB_SITE_TRACE, MPB_SITE_ARCHIVE,
        MPB_SITE_STORE_SYNC, MPB_SITE_EVENT,         MPB_SITE_APP};
    static const enum mpb_site receiver[] = {
        MPB_SITE_ON_RECV,       MPB_SITE_VALIDATOR, MPB_SITE_ON_VALIDATED,
        MPB_SITE_TOPIC_HANDLER, MPB_SITE_TRACE,     MPB_SITE_ARCHIVE,
        MPB_SITE_STORE_SYNC,    MPB_SITE_EVENT,     MPB_SITE_APP};
    static const enum mpb_site publisher[] = {MPB_SITE_PUBLISH, MPB_SITE_SELF_DELIVER,
                                              MPB_SITE_ON_SEND};
    static const struct {
        const char *variant;
        unsigned micro[2], receiver[2], publisher[2]; /* decodes, hashes */
    } expected[] = {
        {"before", {2, 2}, {4, 3}, {2, 2}}, {"before-orc", {2, 2}, {4, 3}, {2, 2}},
        {"after", {2, 1}, {2, 1}, {1, 2}},  {"after-orc", {2, 1}, {2, 1}, {1, 2}},
        {"churn8", {2, 1}, {2, 1}, {1, 2}}, {"floor", {1, 1}, {1, 1}, {0, 1}},
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(expected); i++) {
        const struct mpb_path *path = mpb_variant_find(expected[i].variant)->path;
        unsigned decodes, hashes;
        count(path, micro, MPB_ARRAY_LEN(micro), &decodes, &hashes);
        assert_int_equal(decodes, expected[i].micro[0]);
        assert_int_equal(hashes, expected[i].micro[1]);
        count(path, receiver, MPB_ARRAY_LEN(receiver), &decodes, &hashes);
        assert_int_equal(decodes, expected[i].receiver[0]);
        assert_int_equal(hashes, expected[i].receiver[1]);
        count(path, publisher, MPB_ARRAY_LEN(publisher), &decodes, &hashes);
        assert_int_equal(decodes, expected[i].publisher[0]);
        assert_int_equal(hashes, expected[i].publisher[1]);
    }
}

/* A reused hash must have been computed before it; a scattered push needs the arrived bytes. */
static void test_paths_hold_together(void **state)
{
    (void)state;
    size_t n = 0;
    const struct mpb_variant *all = mpb_variant_all(&n);
    for (size_t i = 0; i < n; i++) {
        const struct mpb_site_plan *site = all[i].path->site;
        bool reuses = site[MPB_SITE_ARCHIVE].hash == MPB_HASH_REUSE;
        assert_int_equal(site[MPB_SITE_TOPIC_HANDLER].hash == MPB_HASH_COMPUTE, reuses);
        assert_int_equal(site[MPB_SITE_STORE_SYNC].hash == MPB_HASH_REUSE, reuses);
        assert_int_not_equal(site[MPB_SITE_ARCHIVE].hash, MPB_HASH_NONE);
        assert_int_not_equal(site[MPB_SITE_STORE_SYNC].hash, MPB_HASH_NONE);
        assert_int_equal(all[i].path->by_value, !reuses);
        if (site[MPB_SITE_TOPIC_HANDLER].decode == MPB_DECODE_REUSE) {
            assert_int_equal(site[MPB_SITE_VALIDATOR].decode, MPB_DECODE_VIEW);
        }
        if (all[i].path->by_value) {
            assert_int_equal(site[MPB_SITE_PUSH].encode, MPB_ENCODE_SERIALISE);
        }
    }
}

static void test_mechanisms(void **state)
{
    (void)state;
    static const unsigned refc[] = {1, 1, 1, 1, 1}, orc[] = {0, 0, 1, 1, 0};
    assert_int_equal(MPB_ARRAY_LEN(refc), MPB_MECHANISM__COUNT);
    size_t n = 0;
    const struct mpb_variant *all = mpb_variant_all(&n);
    for (size_t i = 0; i < n; i++) {
        bool is_orc = strstr(all[i].name, "-orc") != NULL;
        bool is_before = strncmp(all[i].name, "before", 6) == 0;
        assert_string_equal(all[i].model->name, is_orc ? "orc" : "refc");
        for (size_t m = 0; m < MPB_MECHANISM__COUNT; m++) {
            unsigned charged = is_orc ? orc[m] : refc[m];
            assert_int_equal(mpb_variant_copies(&all[i], (enum mpb_mechanism)m),
                             is_before ? charged : 0);
        }
    }
}

static void test_churn(void **state)
{
    (void)state;
    size_t n = 0;
    const struct mpb_variant *all = mpb_variant_all(&n);
    for (size_t i = 0; i < n; i++) {
        bool is_churn = strncmp(all[i].name, "churn", 5) == 0;
        unsigned long copies = is_churn ? strtoul(all[i].name + 5, NULL, 10) : 0;
        assert_int_equal(all[i].churn_copies, copies);
        if (is_churn) {
            assert_ptr_equal(all[i].path, mpb_variant_find("after")->path);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_counts_by_node),
        cmocka_unit_test(test_paths_hold_together),
        cmocka_unit_test(test_mechanisms),
        cmocka_unit_test(test_churn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
