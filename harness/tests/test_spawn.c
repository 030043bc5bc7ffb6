/* test_spawn.c: real processes that end in every way there is. argv[1] is the fake worker. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/spawn.h"
#include "instrument/clock.h"

static char *fake_worker;

static struct mpb_spawn_result run(const char *variant, uint64_t timeout_ns, char *why, size_t cap)
{
    char scenario[] = "--scenario", micro[] = "micro", option[] = "--variant", name[32];
    snprintf(name, sizeof(name), "%s", variant);
    char *argv[] = {fake_worker, scenario, micro, option, name, NULL};
    struct mpb_spawn_job job = {.argv = argv, .timeout_ns = timeout_ns, .stop_fd = -1};
    struct mpb_spawn_result r = {0};
    struct mpb_error err = {0};
    if (mpb_spawn_run(&job, &r, &err) != MPB_OK) {
        fail_msg("%s: %s", err.where, err.text);
    }
    mpb_spawn_explain(&r, &job, why, cap);
    return r;
}

static void test_good(void **state)
{
    (void)state;
    char why[300];
    struct mpb_spawn_result r = run("good", 0, why, sizeof(why));
    assert_int_equal(r.end, MPB_SPAWN_EXITED);
    assert_int_equal(r.code, 0);
    assert_true(r.out_len > 100 && r.wall_ns > 0);
    assert_memory_equal(r.out, "scenario,run", 12);
    mpb_spawn_result_fini(&r);
}

static void test_reasons(void **state)
{
    (void)state;
    static const struct {
        const char *variant, *why;
    } table[] = {
        {"exit3", "exit 3: no luck today"},
        {"crash", "killed by signal 11 (Segmentation fault): about to crash"},
        {"skip", "exit 77: no such device"},
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(table); i++) {
        char why[300];
        struct mpb_spawn_result r = run(table[i].variant, 0, why, sizeof(why));
        assert_string_equal(why, table[i].why);
        mpb_spawn_result_fini(&r);
    }
}

static void test_time_limit(void **state)
{
    (void)state;
    char why[300];
    uint64_t begin = mpb_clock_now_ns();
    struct mpb_spawn_result r = run("hang", 200000000, why, sizeof(why));
    assert_int_equal(r.end, MPB_SPAWN_TIMED_OUT);
    assert_string_equal(why, "still running after 0.2 s");
    assert_true(mpb_clock_now_ns() - begin >= 200000000);
    assert_true(mpb_clock_now_ns() - begin < 5000000000u);
    mpb_spawn_result_fini(&r);
}

/* Gone within two seconds, or a zombie that init has not reaped yet. */
static bool is_gone(pid_t pid)
{
    bool gone = false;
    for (int i = 0; i < 200 && !gone; i++) {
        char path[64], line[256] = "";
        snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
        FILE *f = fopen(path, "r");
        gone = f == NULL || fgets(line, sizeof(line), f) == NULL || strstr(line, ") Z") != NULL;
        if (f != NULL) {
            fclose(f);
        }
        usleep(10000);
    }
    return gone;
}

static void test_grandchild_keeps_nobody(void **state)
{
    (void)state;
    char why[300];
    uint64_t begin = mpb_clock_now_ns();
    struct mpb_spawn_result r = run("spawnhang", 20000000000u, why, sizeof(why));
    assert_int_equal(r.end, MPB_SPAWN_EXITED);
    assert_true(r.out_len > 100);
    assert_true(mpb_clock_now_ns() - begin < 10000000000u);
    assert_true(strtol(r.complaint, NULL, 10) > 0); /* it says its child's number */
    assert_true(is_gone((pid_t)strtol(r.complaint, NULL, 10)));
    mpb_spawn_result_fini(&r);
}

static void test_flood_is_stopped(void **state)
{
    (void)state;
    char why[300];
    struct mpb_spawn_result r = run("flood", 0, why, sizeof(why));
    assert_int_equal(r.end, MPB_SPAWN_TOO_MUCH);
    assert_string_equal(why, "printed more than 64 MiB");
    mpb_spawn_result_fini(&r);
}

static void test_full_stderr_blocks_nobody(void **state)
{
    (void)state;
    char why[300];
    struct mpb_spawn_result r = run("loud", 20000000000u, why, sizeof(why));
    assert_int_equal(r.end, MPB_SPAWN_EXITED);
    assert_int_equal(r.code, 0);
    assert_memory_equal(r.complaint, "xxxxxxxxxx", 10);
    mpb_spawn_result_fini(&r);
}

static void test_stop(void **state)
{
    (void)state;
    int pipe_fds[2];
    assert_int_equal(pipe(pipe_fds), 0);
    assert_int_equal(write(pipe_fds[1], "x", 1), 1);
    char option[] = "--variant", hang[] = "hang";
    char *argv[] = {fake_worker, option, hang, NULL};
    struct mpb_spawn_job job = {.argv = argv, .stop_fd = pipe_fds[0]};
    struct mpb_spawn_result r = {0};
    assert_int_equal(mpb_spawn_run(&job, &r, NULL), MPB_OK);
    assert_int_equal(r.end, MPB_SPAWN_STOPPED);
    mpb_spawn_result_fini(&r);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
}

static void test_cannot_be_executed(void **state)
{
    (void)state;
    static const char *const paths[] = {"/nonexistent/worker", "/etc/passwd", "/tmp"};
    for (size_t i = 0; i < MPB_ARRAY_LEN(paths); i++) {
        char path[64];
        snprintf(path, sizeof(path), "%s", paths[i]);
        char *argv[] = {path, NULL};
        struct mpb_spawn_job job = {.argv = argv, .stop_fd = -1};
        struct mpb_spawn_result r = {.code = 4711};
        struct mpb_error err = {0};
        assert_int_equal(mpb_spawn_run(&job, &r, &err), MPB_E_INPUT);
        assert_string_equal(err.where, path);
        assert_int_equal(r.code, 4711);
    }
}

/* stdin is /dev/null, the environment the one given, the process group its own. */
static void test_what_a_worker_sees(void **state)
{
    (void)state;
    char sh[] = "/bin/sh", c[] = "-c", pair[] = "WORD=given";
    char script[] = "cat; echo \"$WORD $HOME\"; ps -o pgid= -p $$ | tr -d ' '; echo $$";
    char *argv[] = {sh, c, script, NULL}, *envp[] = {pair, NULL};
    struct mpb_spawn_job job = {.argv = argv, .envp = envp, .stop_fd = -1};
    struct mpb_spawn_result r = {0};
    assert_int_equal(mpb_spawn_run(&job, &r, NULL), MPB_OK);
    char text[200];
    snprintf(text, sizeof(text), "%.*s", (int)r.out_len, r.out);
    assert_memory_equal(text, "given \n", 7);
    char *rest = NULL;
    long first = strtol(text + 7, &rest, 10), second = strtol(rest, NULL, 10);
    if (second != 0) { /* ps is not everywhere: then there is one number */
        assert_int_equal(first, second);
    }
    mpb_spawn_result_fini(&r);
}

/* A harness that is killed takes its worker with it. */
static void test_no_orphan(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    pid_t harness = fork();
    if (harness == 0) {
        char sh[] = "/bin/sh", c[] = "-c", script[96];
        /* The worker tells its number on a pipe of ours and goes on; exec keeps the number. */
        snprintf(script, sizeof(script), "echo $$ >&%d; exec sleep 60", fds[1]);
        char *argv[] = {sh, c, script, NULL};
        struct mpb_spawn_job job = {.argv = argv, .stop_fd = -1};
        struct mpb_spawn_result r;
        _exit(mpb_spawn_run(&job, &r, NULL) == MPB_OK ? 0 : 1);
    }
    char text[32] = "";
    assert_true(read(fds[0], text, sizeof(text) - 1) > 0);
    pid_t worker = (pid_t)strtol(text, NULL, 10);
    assert_int_equal(kill(worker, 0), 0);
    kill(harness, SIGKILL);
    waitpid(harness, NULL, 0);
    assert_true(is_gone((pid_t)strtol(text, NULL, 10)));
    close(fds[0]);
    close(fds[1]);
}

static int count_fds(void)
{
    int n = 0;
    for (int fd = 0; fd < 256; fd++) {
        n += fcntl(fd, F_GETFD) != -1;
    }
    return n;
}

static void test_nothing_is_left_open(void **state)
{
    (void)state;
    int before = count_fds();
    for (int i = 0; i < 20; i++) {
        char why[300];
        struct mpb_spawn_result r = run(i % 2 == 0 ? "good" : "crash", 0, why, sizeof(why));
        mpb_spawn_result_fini(&r);
    }
    assert_int_equal(count_fds(), before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie either */
    assert_int_equal(errno, ECHILD);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        return 1;
    }
    fake_worker = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_time_limit),
        cmocka_unit_test(test_grandchild_keeps_nobody),
        cmocka_unit_test(test_flood_is_stopped),
        cmocka_unit_test(test_full_stderr_blocks_nobody),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_cannot_be_executed),
        cmocka_unit_test(test_what_a_worker_sees),
        cmocka_unit_test(test_no_orphan),
        cmocka_unit_test(test_nothing_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
