/* command.h: the msgpath command as a table: a row a subcommand, a table of options each. Parser,
 * help, man page and completion all come from these rows. Adding a subcommand is one file
 * cmd_<name>.c and one word in meson.build. */
#ifndef MPB_HARNESS_CLI_COMMAND_H
#define MPB_HARNESS_CLI_COMMAND_H

#include "instrument/opt.h"

MPB_BEGIN_DECLS

struct mpb_command {
    const char *name;
    const char *words;        /* "ARM ARM [ARM...]"; "a|b|c" is completed */
    const char *doc;          /* one line */
    const char *const *about; /* paragraphs of the help, NULL ends them */
    const struct mpb_opt *options;
    bool has_workload; /* takes the options that the worker describes, too */
    /* argv[argc] without the command's name. Results to stdout. */
    enum mpb_status (*run)(int argc, char *const *argv, struct mpb_error *err);
};

/* All subcommands, n of them. */
const struct mpb_command *const *mpb_command_all(size_t *n);
/* By name, NULL if unknown. */
const struct mpb_command *mpb_command_find(const char *name);

MPB_END_DECLS

#endif
