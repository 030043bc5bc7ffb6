/* test_envelope.c: shared messages: what they keep alive, and until when. */
#include "core/envelope.h"

#include "core/tests/failing_heap.h"
#include "core/tests/path_fixture.h"
#include "core/view.h"

static struct mpb_owned *decode(const struct mpb_msg *msg)
{
    struct mpb_buffer *wire = fixture_arrive(msg);
    struct mpb_owned *owned = NULL;
    assert_int_equal(mpb_owned_decode(mpb_buffer_view(wire), &owned), MPB_OK);
    mpb_buffer_unref(wire);
    return owned;
}

static void test_owns_its_decode(void **state)
{
    (void)state;
    struct mpb_msg msg = fixture_msg(1, 500);
    int64_t live = fixture_live_bytes();
    struct mpb_owned *owned = decode(&msg);
    struct mpb_envelope *envelope = mpb_envelope_take_owned(owned, FIXTURE_PUBSUB_TOPIC);
    assert_int_equal(envelope->n_refs, 1);
    assert_ptr_equal(envelope->owned, owned);
    assert_null(envelope->buffer);
    assert_true(mpb_msg_is_equal(&envelope->msg, &msg));
    assert_ptr_equal(envelope->msg.payload.data, mpb_owned_msg(owned)->payload.data);
    assert_int_equal(envelope->pubsub_topic.len, sizeof("/waku/2/rs/0/0") - 1);
    assert_ptr_equal(mpb_envelope_ref(envelope), envelope);
    mpb_envelope_unref(envelope);
    assert_true(mpb_msg_is_equal(&envelope->msg, &msg)); /* the other reference holds it */
    mpb_envelope_unref(envelope);
    assert_int_equal(fixture_live_bytes(), live);
    mpb_envelope_unref(NULL);
}

static void test_view_pins_its_buffer(void **state)
{
    (void)state;
    struct mpb_msg msg = fixture_msg(2, 500), view;
    int64_t live = fixture_live_bytes();
    struct mpb_buffer *wire = fixture_arrive(&msg);
    assert_int_equal(mpb_view_decode(mpb_buffer_view(wire), &view), MPB_OK);
    struct mpb_envelope *envelope = mpb_envelope_new_view(&view, wire, FIXTURE_PUBSUB_TOPIC);
    assert_int_equal(wire->n_refs, 2);
    assert_null(envelope->owned);
    mpb_buffer_unref(wire); /* whoever received it lets go */
    assert_true(mpb_msg_is_equal(&envelope->msg, &msg));
    assert_true(envelope->msg.payload.data > wire->data &&
                envelope->msg.payload.data < wire->data + wire->len);
    mpb_envelope_unref(envelope);
    assert_int_equal(fixture_live_bytes(), live);
}

static void test_no_memory_takes_nothing(void **state)
{
    (void)state;
    struct mpb_msg msg = fixture_msg(3, 500);
    int64_t live = fixture_live_bytes();
    struct mpb_buffer *wire = fixture_arrive(&msg);
    struct mpb_owned *owned = decode(&msg);
    failing_heap_at(1);
    struct mpb_envelope *of_owned = mpb_envelope_take_owned(owned, FIXTURE_PUBSUB_TOPIC);
    failing_heap_at(1);
    struct mpb_envelope *of_view = mpb_envelope_new_view(&msg, wire, FIXTURE_PUBSUB_TOPIC);
    failing_heap_at(0);
    assert_null(of_owned);
    assert_null(of_view);
    assert_int_equal(wire->n_refs, 1);
    assert_true(mpb_msg_is_equal(mpb_owned_msg(owned), &msg)); /* still the caller's */
    mpb_owned_free(owned);
    mpb_buffer_unref(wire);
    assert_int_equal(fixture_live_bytes(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_owns_its_decode),
        cmocka_unit_test(test_view_pins_its_buffer),
        cmocka_unit_test(test_no_memory_takes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
