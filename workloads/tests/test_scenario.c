/* test_scenario.c: the registry, and that micro fails when it must: other bytes at the application
 * in a byte-checking build, other bytes in the archive, and any allocation that fails. */
#include "workloads/scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/tests/failing_heap.h"
#include "workloads/workload.h"

enum { N_WARMUP = 2, N_MESSAGES = 3, TOTAL = N_WARMUP + 2 * N_MESSAGES };

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's --wrap dictates the names */
bool __real_mpb_workload_is_message(const struct mpb_workload *workload, size_t idx,
                                    const struct mpb_msg *msg);
bool __wrap_mpb_workload_is_message(const struct mpb_workload *workload, size_t idx,
                                    const struct mpb_msg *msg);

static struct {
    size_t n_calls, deny_at; /* which comparison says no, counted from 1; 0: none */
} comparison;

bool __wrap_mpb_workload_is_message(const struct mpb_workload *workload, size_t idx,
                                    const struct mpb_msg *msg)
{
    bool is_denied = ++comparison.n_calls == comparison.deny_at;
    return __real_mpb_workload_is_message(workload, idx, msg) && !is_denied;
}
/* NOLINTEND(bugprone-reserved-identifier) */

static enum mpb_status run(const char *variant, bool check_bytes, struct mpb_emit *emit,
                           struct mpb_error *err)
{
    struct mpb_scenario_cfg cfg = {
        .variant = mpb_variant_find(variant),
        .seed = 42,
        .n_messages = N_MESSAGES,
        .n_warmup = N_WARMUP,
        .n_filter_peers = 2,
        .archive_capacity = 4,
        .counting = true,
        .check_bytes = check_bytes,
    };
    *emit = (struct mpb_emit){.scenario = "micro"};
    *err = (struct mpb_error){.status = MPB_OK};
    assert_int_equal(mpb_mix_parse("8:1,500:1", "--mix", &cfg.mix, NULL), MPB_OK);
    comparison.n_calls = 0;
    enum mpb_status status = mpb_scenario_find("micro")->run(&cfg, emit, err);
    mpb_emit_fini(emit);
    return status;
}

static void test_registry(void **state)
{
    (void)state;
    size_t n = 0;
    const struct mpb_scenario *const *all = mpb_scenario_all(&n);
    assert_true(n >= 1);
    for (size_t i = 0; i < n; i++) {
        assert_ptr_equal(mpb_scenario_find(all[i]->name), all[i]);
        assert_true(strlen(all[i]->doc) > 0);
        assert_int_equal(strspn(all[i]->name, "abcdefghijklmnopqrstuvwxyz0123456789_"),
                         strlen(all[i]->name));
    }
    assert_null(mpb_scenario_find("micr"));
    assert_null(mpb_scenario_find(""));
}

/* Every message is compared at the application, then what is archived; each may be the one. */
static void test_other_bytes_are_seen(void **state)
{
    (void)state;
    static const char *const variants[] = {"before", "after", "floor"};
    struct mpb_emit emit;
    struct mpb_error err;
    for (size_t i = 0; i < MPB_ARRAY_LEN(variants); i++) {
        comparison.deny_at = 0;
        assert_int_equal(run(variants[i], true, &emit, &err), MPB_OK);
        assert_int_equal(comparison.n_calls, TOTAL + 4);
        for (comparison.deny_at = 1; comparison.deny_at <= TOTAL + 4; comparison.deny_at++) {
            bool is_at_app = comparison.deny_at <= TOTAL;
            assert_int_equal(run(variants[i], true, &emit, &err), MPB_E_VERIFY);
            assert_non_null(strstr(err.text, is_at_app ? "the application saw other bytes"
                                                       : "has other bytes"));
        }
        comparison.deny_at = 1; /* without the check, only the archive's bytes are compared */
        assert_int_equal(run(variants[i], false, &emit, &err), MPB_E_VERIFY);
        assert_int_equal(comparison.n_calls, 1);
        comparison.deny_at = 0;
    }
}

/* Fail each allocation of a whole session in turn: an error that names where, never a crash. */
static void test_failing_allocations(void **state)
{
    (void)state;
    static const char *const variants[] = {"before", "after", "floor"};
    struct mpb_emit emit;
    struct mpb_error err;
    for (size_t i = 0; i < MPB_ARRAY_LEN(variants); i++) {
        size_t n_failed = 0;
        bool fired = true;
        for (size_t k = 1; fired; k++) {
            failing_heap_at(k);
            enum mpb_status status = run(variants[i], true, &emit, &err);
            fired = failing_heap_end();
            assert_true(fired || status == MPB_OK);
            assert_int_equal(err.status, status);
            assert_true(status == MPB_OK || strlen(err.where) > 0);
            n_failed += status != MPB_OK ? 1 : 0;
        }
        assert_true(n_failed > 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registry),
        cmocka_unit_test(test_other_bytes_are_seen),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
