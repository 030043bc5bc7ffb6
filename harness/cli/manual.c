/* manual.c: one set of tables, four ways to print it. */
#include "harness/cli/manual.h"

#include <string.h>

#include "harness/cli/workload_opt.h"

enum { COLUMNS = 100 };

#define SUMMARY \
    "compare message paths: did this change make it faster or lighter, by how much, and why"

static const struct {
    int code;
    const char *meaning;
} exits[] = {
    {0, "done"},
    {2, "bad usage or bad input, said in one line"},
    {4, "incomplete: an arm failed to run or verify, nothing was compared, or it was interrupted"},
};

/* A paragraph broken at blanks. */
static void print_wrapped(const char *text, FILE *f)
{
    size_t column = 0;
    while (*text != '\0') {
        size_t len = strcspn(text, " ");
        if (column > 0 && column + 1 + len > COLUMNS) {
            fputc('\n', f);
            column = 0;
        }
        fprintf(f, "%s%.*s", column > 0 ? " " : "", (int)len, text);
        column += len + (column > 0);
        text += len + strspn(text + len, " ");
    }
    fputc('\n', f);
}

static void print_exits(FILE *f)
{
    fputs("\nExit status:\n", f);
    for (size_t i = 0; i < MPB_ARRAY_LEN(exits); i++) {
        fprintf(f, "  %d  %s\n", exits[i].code, exits[i].meaning);
    }
}

void mpb_manual_print_overview(FILE *f)
{
    size_t n = 0;
    const struct mpb_command *const *all = mpb_command_all(&n);
    fputs("usage: msgpath COMMAND [ARGUMENT...]\n\n" SUMMARY "\n\n", f);
    for (size_t i = 0; i < n; i++) {
        fprintf(f, "  msgpath %-8s %-20.20s %s\n", all[i]->name,
                strchr(all[i]->words, '|') != NULL ? "TOPIC" : all[i]->words, all[i]->doc);
    }
    fputs("\n  msgpath COMMAND --help   a command's options\n"
          "  msgpath --version        the version\n"
          "  msgpath --help=man       the man page\n"
          "  msgpath --help=bash      completion for bash\n",
          f);
    print_exits(f);
}

void mpb_manual_print_command(const struct mpb_command *command, FILE *f)
{
    fprintf(f, "usage: msgpath %s %s%s\n\n%s\n", command->name, command->words,
            command->options[0].name != NULL ? " [OPTION...]" : "", command->doc);
    for (size_t i = 0; command->about[i] != NULL; i++) {
        fputc('\n', f);
        print_wrapped(command->about[i], f);
    }
    if (command->options[0].name != NULL) {
        fputs("\nOptions:\n", f);
        mpb_opt_print_help(command->options, f);
    }
    if (command->has_workload) {
        struct mpb_workload_opt w = {0};
        struct mpb_opt table[MPB_WORKLOAD_OPT_MAX];
        if (mpb_workload_opt_table(&w, table) > 0) {
            fputs("\nWorkload, as the worker describes it:\n", f);
            mpb_opt_print_help(table, f);
        } else {
            fputs("\nWorkload: the built-in worker, which describes it, was not found\n", f);
        }
        mpb_workload_opt_fini(&w);
    }
    print_exits(f);
}

/* Text that roff must not read as a request or an escape. */
static void put_roff(const char *text, FILE *f)
{
    if (*text == '.' || *text == '\'') {
        fputs("\\&", f);
    }
    for (; *text != '\0'; text++) {
        if (*text == '\\') {
            fputs("\\e", f);
        } else if (*text == '-') {
            fputs("\\-", f);
        } else {
            fputc(*text, f);
        }
    }
}

static void man_options(const struct mpb_opt *table, FILE *f)
{
    for (const struct mpb_opt *o = table; o->name != NULL; o++) {
        fputs(".TP\n.B ", f);
        if (o->letter != 0) {
            fprintf(f, "\\-%c, ", o->letter);
        }
        fputs("\\-\\-", f);
        put_roff(o->name, f);
        if (o->arg != NULL) {
            fprintf(f, " %s", o->arg);
        }
        fputc('\n', f);
        put_roff(o->help, f);
        if (o->fallback != NULL) {
            fputs(" [", f);
            put_roff(o->fallback, f);
            fputc(']', f);
        }
        fputc('\n', f);
    }
}

static void man_command(const struct mpb_command *c, FILE *f)
{
    fprintf(f, ".SS msgpath %s ", c->name);
    put_roff(c->words, f);
    fputc('\n', f);
    put_roff(c->doc, f);
    fputs(".\n", f);
    for (size_t i = 0; c->about[i] != NULL; i++) {
        fputs(".PP\n", f);
        put_roff(c->about[i], f);
        fputc('\n', f);
    }
    man_options(c->options, f);
}

static void man_workload(FILE *f)
{
    struct mpb_workload_opt w = {0};
    struct mpb_opt table[MPB_WORKLOAD_OPT_MAX];
    fputs(".SH WORKLOAD\nOptions of commands that measure; the worker describes them.\n", f);
    if (mpb_workload_opt_table(&w, table) > 0) {
        man_options(table, f);
    }
    mpb_workload_opt_fini(&w);
}

void mpb_manual_print_man(FILE *f)
{
    size_t n = 0;
    const struct mpb_command *const *all = mpb_command_all(&n);
    fputs(".TH MSGPATH 1 \"\" \"msgpath " MPB_VERSION "\"\n.SH NAME\nmsgpath \\- " SUMMARY "\n"
          ".SH SYNOPSIS\n.B msgpath\nCOMMAND [ARGUMENT...]\n.SH COMMANDS\n",
          f);
    bool has_workload = false;
    for (size_t i = 0; i < n; i++) {
        man_command(all[i], f);
        has_workload = has_workload || all[i]->has_workload;
    }
    if (has_workload) {
        man_workload(f);
    }
    fputs(".SH EXIT STATUS\n", f);
    for (size_t i = 0; i < MPB_ARRAY_LEN(exits); i++) {
        fprintf(f, ".TP\n.B %d\n", exits[i].code);
        put_roff(exits[i].meaning, f);
        fputc('\n', f);
    }
}

static void bash_options(const struct mpb_opt *table, FILE *f)
{
    for (const struct mpb_opt *o = table; o->name != NULL; o++) {
        fprintf(f, " --%s", o->name);
    }
}

/* What may follow a command: its options where a word begins with '-', else its words where they
 * are a choice; with neither bash goes on with file names. */
static void bash_command(const struct mpb_command *c, FILE *f)
{
    fprintf(f, "    %s) options=\"--help", c->name);
    bash_options(c->options, f);
    if (c->has_workload) {
        struct mpb_workload_opt w = {0};
        struct mpb_opt table[MPB_WORKLOAD_OPT_MAX];
        if (mpb_workload_opt_table(&w, table) > 0) {
            bash_options(table, f);
        }
        mpb_workload_opt_fini(&w);
    }
    if (strchr(c->words, '|') != NULL) {
        fputs("\" words=\"", f);
        for (const char *p = c->words; *p != '\0'; p++) {
            fputc(*p == '|' ? ' ' : *p, f);
        }
    }
    fputs("\" ;;\n", f);
}

void mpb_manual_print_bash(FILE *f)
{
    size_t n = 0;
    const struct mpb_command *const *all = mpb_command_all(&n);
    fputs("# completion for msgpath " MPB_VERSION "\n"
          "_msgpath() {\n"
          "  local word=${COMP_WORDS[COMP_CWORD]} words= options=\n"
          "  case ${COMP_CWORD}:${COMP_WORDS[1]} in\n"
          "    1:*) options=\"--help --version\" words=\"",
          f);
    for (size_t i = 0; i < n; i++) {
        fprintf(f, "%s%s", i > 0 ? " " : "", all[i]->name);
    }
    fputs("\" ;;\n  esac\n  [ \"$COMP_CWORD\" -gt 1 ] && case ${COMP_WORDS[1]} in\n", f);
    for (size_t i = 0; i < n; i++) {
        bash_command(all[i], f);
    }
    fputs("  esac\n"
          "  case $word in -*) words=$options ;; esac\n"
          "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
          "}\n"
          "complete -o default -F _msgpath msgpath\n",
          f);
}
