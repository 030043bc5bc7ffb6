/* test_stop.c: signals that are held back and seen. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "harness/stop.h"

static void test_signals_are_seen_again_and_again(void **state)
{
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < MPB_ARRAY_LEN(signals); i++) {
        struct mpb_stop stop;
        assert_int_equal(mpb_stop_open(&stop, NULL), MPB_OK);
        assert_false(mpb_stop_is_set(stop.fd));
        raise(signals[i]);
        assert_true(mpb_stop_is_set(stop.fd));
        assert_true(mpb_stop_is_set(stop.fd));
        raise(signals[i]);
        mpb_stop_close(&stop); /* and the process is still there */
    }
}

static void test_mask_is_restored(void **state)
{
    (void)state;
    sigset_t mask;
    struct mpb_stop stop;
    assert_int_equal(mpb_stop_open(&stop, NULL), MPB_OK);
    sigprocmask(SIG_SETMASK, NULL, &mask);
    assert_int_equal(sigismember(&mask, SIGTERM), 1);
    mpb_stop_close(&stop);
    sigprocmask(SIG_SETMASK, NULL, &mask);
    assert_int_equal(sigismember(&mask, SIGTERM), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signals_are_seen_again_and_again),
        cmocka_unit_test(test_mask_is_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
