/* test_contrast.c: log-ratios within blocks, with zeros and holes. */
#include "harness/tests/session_maker.h"

#include <math.h>

#include "harness/contrast.h"

static struct mpb_contrast contrast(const struct mpb_session *s, bool self)
{
    struct mpb_gather g = {0};
    struct mpb_contrast c = {0};
    assert_int_equal(mpb_gather_session(s, &g, NULL), MPB_OK);
    assert_int_equal(g.n, 1);
    if (self) {
        assert_int_equal(mpb_contrast_self(s, &g.group[0], 0, &c, NULL), MPB_OK);
    } else {
        assert_int_equal(mpb_contrast_arms(s, &g.group[0], 0, 1, &c, NULL), MPB_OK);
    }
    mpb_gather_fini(&g);
    return c;
}

static void test_values(void **state)
{
    (void)state;
    struct mpb_session s;
    make_session(&s, 2);
    const double first[] = {1, 2, 8, 4}, second[] = {5, 5, 5, 5};
    make_block(&s, 1, "wall", first);
    make_block(&s, 2, "wall", second);
    struct mpb_contrast c = contrast(&s, false);
    assert_int_equal(c.n, 2);
    assert_true(fabs(c.y[0] - (log(2) + log(2)) / 2) < 1e-15); /* 2/1 and 8/4 */
    assert_true(fabs(c.y[1]) <= 0);
    assert_int_equal(c.n_values, 8);
    assert_int_equal(c.n_zeros, 0);
    mpb_contrast_fini(&c);
    c = contrast(&s, true);
    assert_true(fabs(c.y[0] - log(4)) < 1e-15);
    mpb_contrast_fini(&c);
    mpb_session_fini(&s);
}

static void test_zeros(void **state)
{
    (void)state;
    struct mpb_session s;
    make_session(&s, 2);
    const double blocks[][4] = {{0, 0, 0, 0}, {0, 1, 1, 1}, {1, 0, 1, 1}, {0, 1, 0, 1}};
    for (uint32_t i = 0; i < 4; i++) {
        make_block(&s, i + 1, "wall", blocks[i]);
    }
    struct mpb_contrast c = contrast(&s, false);
    assert_true(fabs(c.y[0]) <= 0);
    assert_true(isinf(c.y[1]) && c.y[1] > 0);
    assert_true(isinf(c.y[2]) && c.y[2] < 0);
    assert_true(fabs(c.y[3]) <= 0); /* one up, one down: they cancel */
    assert_int_equal(c.n_zeros, 8);
    mpb_contrast_fini(&c);
    mpb_session_fini(&s);
}

static void test_a_pass_without_the_metric(void **state)
{
    (void)state;
    struct mpb_session s;
    make_session(&s, 2);
    const double values[] = {1, 2, 2, 1};
    make_block(&s, 1, "wall", values);
    static const size_t order[] = {0, 1, 1, 0};
    for (uint32_t i = 0; i < 4; i++) { /* block 2: whole, but B's last pass has no wall */
        uint32_t pass = make_pass(&s, order[i], 2, i + 1, true);
        if (i != 2) {
            make_row(&s, order[i], pass, 1, "wall", 7);
        }
    }
    make_block(&s, 3, "wall", values);
    struct mpb_contrast c = contrast(&s, false);
    assert_int_equal(c.n, 2);
    mpb_contrast_fini(&c);
    mpb_session_fini(&s);
}

int main(void)
{
    session_maker_use();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_a_pass_without_the_metric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
