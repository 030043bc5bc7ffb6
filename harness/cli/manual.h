/* manual.h: help, man page and shell completion, all printed from the tables of command.h. */
#ifndef MPB_HARNESS_CLI_MANUAL_H
#define MPB_HARNESS_CLI_MANUAL_H

#include <stdio.h>

#include "harness/cli/command.h"

MPB_BEGIN_DECLS

/* `msgpath --help`. */
void mpb_manual_print_overview(FILE *f);
/* `msgpath COMMAND --help`, at most 100 columns; asks the worker for its options. */
void mpb_manual_print_command(const struct mpb_command *command, FILE *f);
/* `msgpath --help=man`: roff for man(7). */
void mpb_manual_print_man(FILE *f);
/* `msgpath --help=bash`: a completion script. */
void mpb_manual_print_bash(FILE *f);

MPB_END_DECLS

#endif
