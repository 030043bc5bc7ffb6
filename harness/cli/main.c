/* main.c: the msgpath command. The only place that prints an error or chooses an exit status. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/cli/command.h"
#include "harness/cli/manual.h"

enum { EXIT_USAGE = 2 };

static const struct {
    const char *word;
    void (*print)(FILE *f);
} pages[] = {
    {"--help", mpb_manual_print_overview},
    {"-h", mpb_manual_print_overview},
    {"--help=man", mpb_manual_print_man},
    {"--help=bash", mpb_manual_print_bash},
};

static enum mpb_status unknown_command(const char *word, struct mpb_error *err)
{
    enum { MAX = 32 };
    const char *words[MAX];
    size_t n = 0;
    const struct mpb_command *const *all = mpb_command_all(&n);
    for (size_t i = 0; i < n && i < MAX; i++) {
        words[i] = all[i]->name;
    }
    const char *near = mpb_opt_nearest(word, words, n < MAX ? n : MAX);
    if (near != NULL) {
        return mpb_error_set(err, MPB_E_USAGE, NULL, "unknown command '%s' (did you mean '%s'?)",
                             word, near);
    }
    return mpb_error_set(err, MPB_E_USAGE, NULL, "unknown command '%s' (see --help)", word);
}

static bool wants_help(int argc, char *const *argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

static enum mpb_status run(int argc, char *const *argv, struct mpb_error *err)
{
    if (argc < 2) {
        return mpb_error_set(err, MPB_E_USAGE, NULL, "a command is needed (see --help)");
    }
    for (size_t i = 0; i < MPB_ARRAY_LEN(pages); i++) {
        if (strcmp(argv[1], pages[i].word) == 0) {
            pages[i].print(stdout);
            return MPB_OK;
        }
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("msgpath " MPB_VERSION);
        return MPB_OK;
    }
    const struct mpb_command *command = mpb_command_find(argv[1]);
    if (command == NULL) {
        return unknown_command(argv[1], err);
    }
    if (wants_help(argc - 2, argv + 2)) {
        mpb_manual_print_command(command, stdout);
        return MPB_OK;
    }
    return command->run(argc - 2, argv + 2, err);
}

/* A program started without a standard descriptor would give its number to the next file. */
static bool open_standard_fds(void)
{
    int fd = 0;
    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO) {
        close(fd);
    }
    return fd >= 0;
}

int main(int argc, char **argv)
{
    struct mpb_error err = {.status = MPB_OK};
    if (!open_standard_fds()) {
        return EXIT_USAGE;
    }
    signal(SIGXFSZ, SIG_IGN); /* at a limit of file sizes writing fails, and that is said */
    enum mpb_status st = run(argc, argv, &err);
    if ((fflush(stdout) != 0 || ferror(stdout)) && st == MPB_OK) {
        st = mpb_error_sys(&err, MPB_E_IO, "stdout", "cannot be written");
    }
    if (st != MPB_OK) {
        char line[600];
        mpb_error_format(&err, line, sizeof(line));
        fprintf(stderr, "msgpath: %s\n", line);
    }
    return mpb_status_exit_code(st);
}
