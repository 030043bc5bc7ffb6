/* test_progress.c: silent in a pipe but for failures, a line on a terminal, nothing when quiet. */
#include "harness/tests/session_maker.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/progress.h"

/* One accepted and one failed pass told to a progress over f. */
static void tell(struct mpb_progress *p)
{
    struct mpb_session s;
    make_session(&s, 2);
    const double values[] = {100, 50, 50, 100};
    for (uint32_t block = 1; block <= 6; block++) {
        make_block(&s, block, "wall", values);
    }
    const struct mpb_campaign_news good = {&s, &s.pass[s.n_passes - 1], 6, true};
    mpb_progress_told(p, &good);
    make_pass(&s, 1, 7, 1, false);
    s.pass[s.n_passes - 1].reason[0] = '\0';
    const struct mpb_campaign_news bad = {&s, &s.pass[s.n_passes - 1], 6, false};
    mpb_progress_told(p, &bad);
    mpb_progress_end(p);
    mpb_session_fini(&s);
}

static void run_in_pipe(bool quiet, char *out, size_t cap)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    FILE *f = fdopen(fds[1], "w");
    struct mpb_progress p;
    mpb_progress_init(&p, f, quiet);
    tell(&p);
    fclose(f);
    ssize_t n = read(fds[0], out, cap - 1);
    out[n > 0 ? n : 0] = '\0';
    close(fds[0]);
}

static void test_pipe(void **state)
{
    (void)state;
    char text[512];
    run_in_pipe(false, text, sizeof(text));
    assert_string_equal(text, "micro: arm B, pass 13: \n");
    run_in_pipe(true, text, sizeof(text));
    assert_string_equal(text, "");
}

static void test_terminal(void **state)
{
    (void)state;
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
        skip();
    }
    FILE *f = fopen(ptsname(master), "w");
    assert_non_null(f);
    struct mpb_progress p;
    mpb_progress_init(&p, f, false);
    assert_true(p.is_terminal);
    tell(&p);
    fflush(f);
    char text[1024];
    ssize_t n = read(master, text, sizeof(text) - 1);
    assert_true(n > 0);
    text[n] = '\0';
    assert_non_null(strstr(text, "block 6/6"));
    assert_non_null(strstr(text, "B -50.0 %"));
    assert_non_null(strstr(text, "left"));
    fclose(f);
    close(master);
}

int main(void)
{
    session_maker_use();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
