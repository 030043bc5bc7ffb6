/* test_buffer.c: reference-counted buffers. */
#include "core/buffer.h"

#include "core/tests/failing_heap.h"
#include "core/tests/path_fixture.h"

static void test_last_reference_frees(void **state)
{
    (void)state;
    int64_t live = fixture_live_bytes();
    mpb_probe_reset();
    struct mpb_buffer *buffer = mpb_buffer_new(100);
    assert_int_equal(buffer->n_refs, 1);
    assert_int_equal(buffer->len, 100);
    assert_int_equal(fixture_total(MPB_METRIC_ALLOCS), 1); /* header and bytes together */
    memset(buffer->data, 5, buffer->len);
    assert_ptr_equal(mpb_buffer_ref(buffer), buffer);
    mpb_buffer_unref(buffer);
    assert_true(fixture_live_bytes() > live);
    struct mpb_bytes view = mpb_buffer_view(buffer);
    assert_ptr_equal(view.data, buffer->data);
    assert_int_equal(view.len, 100);
    assert_int_equal(view.data[99], 5);
    mpb_buffer_unref(buffer);
    assert_int_equal(fixture_live_bytes(), live);
    assert_int_equal(fixture_total(MPB_METRIC_FREES), 1);
    mpb_buffer_unref(NULL);
}

static void test_is_no_copy(void **state)
{
    (void)state;
    mpb_probe_reset();
    mpb_buffer_unref(mpb_buffer_new(1000));
    assert_int_equal(fixture_total(MPB_METRIC_COPIES), 0);
}

static void test_empty(void **state)
{
    (void)state;
    struct mpb_buffer *buffer = mpb_buffer_new(0);
    assert_non_null(buffer);
    assert_int_equal(mpb_buffer_view(buffer).len, 0);
    mpb_buffer_unref(buffer);
}

static void test_no_memory(void **state)
{
    (void)state;
    failing_heap_at(1);
    struct mpb_buffer *buffer = mpb_buffer_new(10);
    failing_heap_at(0);
    assert_null(buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_last_reference_frees),
        cmocka_unit_test(test_is_no_copy),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
