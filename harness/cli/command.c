/* command.c: the list of subcommands, made by the build file. */
#include "harness/cli/command.h"

#include <string.h>

#include "harness/command_list.h"

#define X(name) extern const struct mpb_command mpb_command_##name;
MPB_COMMAND_LIST(X)
#undef X

#define X(name) &mpb_command_##name,
static const struct mpb_command *const commands[] = {MPB_COMMAND_LIST(X)};
#undef X

const struct mpb_command *const *mpb_command_all(size_t *n)
{
    *n = MPB_ARRAY_LEN(commands);
    return commands;
}

const struct mpb_command *mpb_command_find(const char *name)
{
    for (size_t i = 0; i < MPB_ARRAY_LEN(commands); i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}
