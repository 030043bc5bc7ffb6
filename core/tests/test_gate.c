/* test_gate.c: gates: how many copies each costs, what stands behind it, who frees what. */
#include "core/gate.h"

#include "core/tests/failing_heap.h"
#include "core/tests/path_fixture.h"

static const struct mpb_variant *variant(const char *name)
{
    const struct mpb_variant *found = mpb_variant_find(name);
    assert_non_null(found);
    return found;
}

static bool is_one_of(enum mpb_site site, const enum mpb_site *sites, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (sites[i] == site) {
            return true;
        }
    }
    return false;
}

/* Copies of a message at the gates of some sites, the push counted for each peer. */
static unsigned sum(const struct mpb_variant *v, const enum mpb_site *sites, size_t n,
                    unsigned n_peers, bool has_archive)
{
    unsigned copies = 0;
    for (size_t i = 0; i < MPB_GATE__COUNT; i++) {
        const struct mpb_gate_info *info = mpb_gate_info((enum mpb_gate_id)i);
        bool is_put = i == MPB_GATE_ARCHIVE_PUT || i == MPB_GATE_ARCHIVE_STORED;
        if (is_one_of(info->site, sites, n) && (has_archive || !is_put)) {
            copies += mpb_gate_copies(v, (enum mpb_gate_id)i) *
                      (info->site == MPB_SITE_PUSH ? n_peers : 1);
        }
    }
    return copies;
}

#define CHAIN \
    MPB_SITE_TRACE, MPB_SITE_FILTER, MPB_SITE_ARCHIVE, MPB_SITE_STORE_SYNC, MPB_SITE_EVENT, \
        MPB_SITE_APP, MPB_SITE_PUSH

static void test_sums(void **state)
{
    (void)state;
    static const enum mpb_site micro[] = {MPB_SITE_VALIDATOR, MPB_SITE_TOPIC_HANDLER, CHAIN};
    static const enum mpb_site receiver[] = {MPB_SITE_ON_RECV, MPB_SITE_VALIDATOR,
                                             MPB_SITE_ON_VALIDATED, MPB_SITE_TOPIC_HANDLER, CHAIN};
    /* The publisher's chain starts behind self_deliver's decode: of the topic handler's gates only
     * the capture is passed there. */
    static const enum mpb_site publisher[] = {MPB_SITE_PUBLISH, MPB_SITE_SELF_DELIVER,
                                              MPB_SITE_ON_SEND, CHAIN};
    enum mpb_gate_id capture = MPB_GATE_TOPIC_HANDLER_CAPTURE;
    const struct mpb_variant *refc = variant("before"), *orc = variant("before-orc");
    for (unsigned peers = 0; peers <= 20; peers += 10) {
        assert_int_equal(sum(refc, micro, MPB_ARRAY_LEN(micro), peers, true), 15 + peers);
        assert_int_equal(sum(refc, micro, MPB_ARRAY_LEN(micro), peers, false), 13 + peers);
        assert_int_equal(sum(refc, receiver, MPB_ARRAY_LEN(receiver), peers, true), 19 + peers);
        assert_int_equal(sum(refc, receiver, MPB_ARRAY_LEN(receiver), peers, false), 17 + peers);
        assert_int_equal(sum(orc, micro, MPB_ARRAY_LEN(micro), peers, true), 2);
        assert_int_equal(sum(orc, receiver, MPB_ARRAY_LEN(receiver), peers, true), 2);
    }
    assert_int_equal(sum(refc, publisher, MPB_ARRAY_LEN(publisher), 0, false) +
                         mpb_gate_copies(refc, capture),
                     15);
    assert_int_equal(
        sum(orc, publisher, MPB_ARRAY_LEN(publisher), 0, false) + mpb_gate_copies(orc, capture), 2);
}

static void test_by_reference_costs_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"after", "after-orc", "floor", "churn16"};
    for (size_t i = 0; i < MPB_ARRAY_LEN(names); i++) {
        for (size_t g = 0; g < MPB_GATE__COUNT; g++) {
            assert_int_equal(mpb_gate_copies(variant(names[i]), (enum mpb_gate_id)g), 0);
        }
    }
}

static void test_infos(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPB_GATE__COUNT; i++) {
        const struct mpb_gate_info *info = mpb_gate_info((enum mpb_gate_id)i);
        assert_true(info->times >= 1 && info->times <= MPB_GATE_COPIES_MAX);
        assert_true(strlen(info->lives_until) > 0);
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(info->name, mpb_gate_info((enum mpb_gate_id)k)->name);
        }
    }
    assert_string_equal(mpb_gate_info(MPB_GATE_ARCHIVE_PUT)->name, "ARCHIVE_PUT");
}

static void test_copies_chain(void **state)
{
    (void)state;
    struct mpb_msg in = fixture_msg(1, 300);
    const struct mpb_msg *out = NULL;
    struct mpb_gate gate = {0};
    int64_t live = fixture_live_bytes();
    mpb_probe_reset();
    assert_int_equal(mpb_gate_pass(&gate, variant("before"), MPB_GATE_VALIDATOR_BIND, &in, &out),
                     MPB_OK);
    assert_int_equal(gate.n, 2);
    assert_ptr_equal(out, &gate.held[1]->msg);
    assert_true(mpb_msg_is_equal(out, &in));
    assert_true(mpb_msg_is_equal(&gate.held[0]->msg, &in));
    assert_ptr_not_equal(out->payload.data, in.payload.data);
    assert_ptr_not_equal(out->payload.data, gate.held[0]->msg.payload.data);
    assert_int_equal(fixture_total(MPB_METRIC_COPIES), 2);
    assert_int_equal(fixture_total(MPB_METRIC_COPIED_BYTES), 2 * (300 + 29 + 5 + 7));
    mpb_gate_close(&gate);
    assert_int_equal(gate.n, 0);
    assert_int_equal(fixture_live_bytes(), live);
    mpb_gate_close(&gate); /* again: nothing */
    assert_int_equal(fixture_total(MPB_METRIC_FREES), 2);
}

static void test_reference_passes_through(void **state)
{
    (void)state;
    struct mpb_msg in = fixture_msg(1, 300);
    const struct mpb_msg *out = NULL;
    struct mpb_gate gate = {0};
    mpb_probe_reset();
    assert_int_equal(mpb_gate_pass(&gate, variant("after"), MPB_GATE_EVENT_OBJECT, &in, &out),
                     MPB_OK);
    assert_ptr_equal(out, &in);
    assert_null(mpb_gate_take(&gate));
    mpb_gate_close(&gate);
    assert_int_equal(fixture_total(MPB_METRIC_ALLOCS), 0);
}

static void test_take(void **state)
{
    (void)state;
    struct mpb_msg in = fixture_msg(1, 300);
    const struct mpb_msg *out = NULL;
    struct mpb_gate gate = {0};
    int64_t live = fixture_live_bytes();
    assert_int_equal(mpb_gate_pass(&gate, variant("before"), MPB_GATE_ON_RECV_BIND, &in, &out),
                     MPB_OK);
    struct mpb_copy *taken = mpb_gate_take(&gate);
    assert_ptr_equal(out, &taken->msg);
    mpb_gate_close(&gate);
    assert_true(fixture_live_bytes() > live);
    assert_true(mpb_msg_is_equal(&taken->msg, &in)); /* survives the gate */
    mpb_copy_free(taken);
    assert_int_equal(fixture_live_bytes(), live);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct mpb_msg in = fixture_msg(1, 300);
    int64_t live = fixture_live_bytes();
    for (size_t k = 1; k <= 2; k++) {
        const struct mpb_msg *out = &in;
        struct mpb_gate gate = {0};
        failing_heap_at(k);
        assert_int_equal(
            mpb_gate_pass(&gate, variant("before"), MPB_GATE_VALIDATOR_BIND, &in, &out),
            MPB_E_NOMEM);
        failing_heap_at(0);
        assert_ptr_equal(out, &in);
        assert_int_equal(gate.n, k - 1);
        mpb_gate_close(&gate);
        assert_int_equal(fixture_live_bytes(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_by_reference_costs_nothing),
        cmocka_unit_test(test_infos),
        cmocka_unit_test(test_copies_chain),
        cmocka_unit_test(test_reference_passes_through),
        cmocka_unit_test(test_take),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
