/* spawn.c: fork, exec, one poll loop, and an end that leaves nothing behind. */
#include "harness/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "instrument/clock.h"

enum { TAIL_MAX = 4096 };

/* A running worker: its pipes' read ends and what they gave so far. */
struct child {
    pid_t pid;
    int pidfd, out_fd, err_fd;
    char *out;
    size_t out_len, out_cap;
    char tail[TAIL_MAX]; /* the last bytes of stderr */
    size_t tail_len;
    bool killed, nomem;
    enum mpb_spawn_end end;
};

/* In the new process: never returns. fds: stdin, stdout, stderr, and the pipe that tells the
 * parent errno when exec fails (it closes by itself when exec succeeds). */
_Noreturn static void become(const struct mpb_spawn_job *job, const int fds[4], pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) { /* it died before prctl() */
        _exit(126);
    }
    bool ready = dup2(fds[0], STDIN_FILENO) >= 0 && dup2(fds[1], STDOUT_FILENO) >= 0 &&
                 dup2(fds[2], STDERR_FILENO) >= 0;
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGXFSZ, SIG_DFL); /* ignored in the harness */
    if (ready) {
        execve(job->argv[0], job->argv, job->envp != NULL ? job->envp : environ);
    }
    int saved = errno;
    ssize_t ignored = write(fds[3], &saved, sizeof(saved));
    (void)ignored;
    _exit(127);
}

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

static void kill_group(struct child *c, enum mpb_spawn_end why)
{
    if (!c->killed) {
        c->killed = true;
        c->end = why;
        kill(-c->pid, SIGKILL);
        kill(c->pid, SIGKILL);
    }
}

static bool grow_out(struct child *c)
{
    if (c->out_len < c->out_cap) {
        return true;
    }
    size_t cap = c->out_cap == 0 ? 16384 : c->out_cap * 2;
    char *out = realloc(c->out, cap);
    if (out == NULL) {
        c->nomem = true;
        return false;
    }
    c->out = out;
    c->out_cap = cap;
    return true;
}

static void keep_tail(struct child *c, const char *text, size_t n)
{
    if (n > TAIL_MAX) {
        text += n - TAIL_MAX;
        n = TAIL_MAX;
    }
    size_t kept = c->tail_len + n > TAIL_MAX ? TAIL_MAX - n : c->tail_len;
    memmove(c->tail, c->tail + (c->tail_len - kept), kept);
    memcpy(c->tail + kept, text, n);
    c->tail_len = kept + n;
}

/* Take what the pipes hold now; false when this pipe gave nothing. */
static bool read_err(struct child *c)
{
    char text[TAIL_MAX];
    ssize_t n = read(c->err_fd, text, sizeof(text));
    if (n > 0) {
        keep_tail(c, text, (size_t)n);
        return true;
    }
    if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        close_fd(&c->err_fd);
    }
    return false;
}

static bool read_out(struct child *c)
{
    if (!grow_out(c)) {
        kill_group(c, MPB_SPAWN_TOO_MUCH);
        close_fd(&c->out_fd);
        return false;
    }
    ssize_t n = read(c->out_fd, c->out + c->out_len, c->out_cap - c->out_len);
    if (n > 0) {
        c->out_len += (size_t)n;
        if (c->out_len > MPB_SPAWN_OUT_MAX) {
            kill_group(c, MPB_SPAWN_TOO_MUCH);
            close_fd(&c->out_fd);
            return false;
        }
        return true;
    }
    if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        close_fd(&c->out_fd);
    }
    return false;
}

/* ms until the deadline, rounded up; -1 when there is none. */
static int wait_ms(uint64_t deadline_ns)
{
    if (deadline_ns == 0) {
        return -1;
    }
    uint64_t now = mpb_clock_now_ns();
    uint64_t left_ms = now >= deadline_ns ? 0 : (deadline_ns - now + 999999) / 1000000;
    return left_ms > 3600000 ? 3600000 : (int)left_ms;
}

/* Feed on both pipes until the process itself has ended. A grandchild that holds them open does
 * not keep us: what is in the pipes at that moment is read, the rest of the group is killed. */
static void watch(struct child *c, const struct mpb_spawn_job *job, uint64_t deadline_ns)
{
    bool ended = false;
    while (!ended) {
        struct pollfd p[4] = {{.fd = c->pidfd, .events = POLLIN},
                              {.fd = c->out_fd, .events = POLLIN},
                              {.fd = c->err_fd, .events = POLLIN},
                              {.fd = c->killed ? -1 : job->stop_fd, .events = POLLIN}};
        int n = poll(p, 4, c->killed ? -1 : wait_ms(deadline_ns));
        if (n < 0) {
            continue; /* EINTR: poll again */
        }
        if (p[3].revents != 0) {
            kill_group(c, MPB_SPAWN_STOPPED);
        } else if (deadline_ns != 0 && mpb_clock_now_ns() >= deadline_ns) {
            kill_group(c, MPB_SPAWN_TIMED_OUT);
        }
        if (p[1].revents != 0) {
            read_out(c);
        }
        if (p[2].revents != 0) {
            read_err(c);
        }
        ended = p[0].revents != 0;
    }
    kill(-c->pid, SIGKILL); /* the zombie still holds the number: no stranger is hit */
    while (c->out_fd >= 0 && read_out(c)) {
    }
    while (c->err_fd >= 0 && read_err(c)) {
    }
}

static void reap(struct child *c, struct mpb_spawn_result *r)
{
    int status = 0;
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (c->killed) {
        r->end = c->end;
        r->code = 0;
    } else if (WIFEXITED(status)) {
        r->end = MPB_SPAWN_EXITED;
        r->code = WEXITSTATUS(status);
    } else {
        r->end = MPB_SPAWN_SIGNALLED;
        r->code = WTERMSIG(status);
    }
}

static void last_line(const char *text, size_t n, char *out, size_t cap)
{
    while (n > 0 && (unsigned char)text[n - 1] <= ' ') {
        n--;
    }
    size_t begin = n;
    while (begin > 0 && text[begin - 1] != '\n') {
        begin--;
    }
    size_t len = n - begin < cap - 1 ? n - begin : cap - 1;
    for (size_t i = 0; i < len; i++) { /* a reason is one line of plain text */
        unsigned char ch = (unsigned char)text[begin + i];
        out[i] = ' ';
        if (ch >= 0x20 && ch < 0x7f) {
            out[i] = text[begin + i];
        }
    }
    out[len] = '\0';
}

static void close_all(int fds[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        close_fd(&fds[i]);
    }
}

/* fds: /dev/null, out, err, exec (what the child needs), then the read ends of the latter three. */
static enum mpb_status open_pipes(int fds[7], struct mpb_error *err)
{
    fds[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    bool ok = fds[0] >= 0;
    for (size_t i = 0; i < 3 && ok; i++) {
        int pair[2];
        ok = pipe2(pair, O_CLOEXEC) == 0;
        if (ok) {
            fds[4 + i] = pair[0];
            fds[1 + i] = pair[1];
        }
    }
    if (!ok) {
        enum mpb_status st = mpb_error_sys(err, MPB_E_UNAVAILABLE, "pipe", "cannot be made");
        close_all(fds, 7);
        return st;
    }
    fcntl(fds[4], F_SETFL, O_NONBLOCK);
    fcntl(fds[5], F_SETFL, O_NONBLOCK);
    return MPB_OK;
}

/* Start the process; on success c holds it and all other descriptors are closed. */
static enum mpb_status start(const struct mpb_spawn_job *job, struct child *c,
                             struct mpb_error *err)
{
    int fds[7] = {-1, -1, -1, -1, -1, -1, -1};
    enum mpb_status st = open_pipes(fds, err);
    if (st != MPB_OK) {
        return st;
    }
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        become(job, fds, parent);
    }
    if (pid < 0) {
        st = mpb_error_sys(err, MPB_E_UNAVAILABLE, job->argv[0], "cannot be started");
        goto out;
    }
    setpgid(pid, pid); /* both sides do, so neither has to wait for the other */
    close_all(fds, 4);
    int exec_errno = 0;
    ssize_t n = 0;
    do {
        n = read(fds[6], &exec_errno, sizeof(exec_errno));
    } while (n < 0 && errno == EINTR);
    int pidfd = n == 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    if (pidfd < 0) {
        int saved = errno;
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        errno = n > 0 ? exec_errno : saved;
        st = n > 0 ? mpb_error_sys(err, MPB_E_INPUT, job->argv[0], "cannot be executed")
                   : mpb_error_sys(err, MPB_E_UNAVAILABLE, job->argv[0], "cannot be watched");
        goto out;
    }
    fcntl(pidfd, F_SETFD, FD_CLOEXEC);
    *c = (struct child){.pid = pid, .pidfd = pidfd, .out_fd = fds[4], .err_fd = fds[5]};
    fds[4] = fds[5] = -1;
out:
    close_all(fds, 7);
    return st;
}

enum mpb_status mpb_spawn_run(const struct mpb_spawn_job *job, struct mpb_spawn_result *out,
                              struct mpb_error *err)
{
    struct mpb_spawn_result r = {0};
    uint64_t begin_ns = mpb_clock_now_ns();
    struct child c = {0};
    enum mpb_status st = start(job, &c, err);
    if (st != MPB_OK) {
        return st;
    }
    watch(&c, job, job->timeout_ns == 0 ? 0 : begin_ns + job->timeout_ns);
    r.wall_ns = mpb_clock_now_ns() - begin_ns;
    reap(&c, &r);
    close_fd(&c.out_fd);
    close_fd(&c.err_fd);
    close_fd(&c.pidfd);
    if (c.nomem) {
        free(c.out);
        return mpb_error_set(err, MPB_E_NOMEM, job->argv[0], NULL);
    }
    last_line(c.tail, c.tail_len, r.complaint, sizeof(r.complaint));
    r.out = c.out;
    r.out_len = c.out_len;
    *out = r;
    return MPB_OK;
}

void mpb_spawn_result_fini(struct mpb_spawn_result *result)
{
    free(result->out);
    *result = (struct mpb_spawn_result){0};
}

void mpb_spawn_explain(const struct mpb_spawn_result *result, const struct mpb_spawn_job *job,
                       char *out, size_t cap)
{
    char how[128] = "";
    switch (result->end) {
    case MPB_SPAWN_EXITED:
        snprintf(how, sizeof(how), "exit %d", result->code);
        break;
    case MPB_SPAWN_SIGNALLED:
        snprintf(how, sizeof(how), "killed by signal %d (%s)", result->code,
                 strsignal(result->code));
        break;
    case MPB_SPAWN_TIMED_OUT:
        snprintf(how, sizeof(how), "still running after %g s", (double)job->timeout_ns / 1e9);
        break;
    case MPB_SPAWN_TOO_MUCH:
        snprintf(how, sizeof(how), "printed more than %zu MiB", MPB_SPAWN_OUT_MAX >> 20);
        break;
    case MPB_SPAWN_STOPPED:
        snprintf(how, sizeof(how), "interrupted");
        break;
    }
    snprintf(out, cap, "%s%s%s", how, result->complaint[0] != '\0' ? ": " : "", result->complaint);
}
