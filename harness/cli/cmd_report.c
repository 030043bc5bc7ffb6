/* cmd_report.c: `msgpath report`: a session's reports again, from its folder. */
#include <stdio.h>
#include <string.h>

#include "harness/cli/command.h"
#include "harness/cli/output.h"

struct config {
    const char *dir, *format, *path;
};

static enum mpb_status set_format(void *cfg, const char *name, const char *value,
                                  struct mpb_error *err)
{
    (void)name;
    (void)err;
    ((struct config *)cfg)->format = value;
    return MPB_OK;
}

static enum mpb_status set_output(void *cfg, const char *name, const char *value,
                                  struct mpb_error *err)
{
    if (value[0] == '\0') {
        return mpb_error_set(err, MPB_E_USAGE, name, "needs a file");
    }
    ((struct config *)cfg)->path = value;
    return MPB_OK;
}

static const struct mpb_opt options[] = {
    {"format", 'f', "FORMAT", NULL,
     "one of `msgpath list writers`; without it all of DIR's reports", set_format},
    {"output", 'o', "FILE", "stdout", "where that one goes", set_output},
    {0},
};

static enum mpb_status take_dir(void *ctx, const char *word, struct mpb_error *err)
{
    struct config *c = ctx;
    if (c->dir != NULL) {
        return mpb_error_set(err, MPB_E_USAGE, "report", "takes one folder, '%s' is another", word);
    }
    c->dir = word;
    return MPB_OK;
}

static enum mpb_status find_writer(const char *format, const struct mpb_writer **out,
                                   struct mpb_error *err)
{
    size_t n = 0;
    const struct mpb_writer *const *all = mpb_writer_all(&n);
    char known[200] = "";
    *out = mpb_writer_find(format);
    if (*out != NULL) {
        return MPB_OK;
    }
    for (size_t i = 0, len = 0; i < n && len < sizeof(known); i++) {
        len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", i > 0 ? ", " : "",
                                all[i]->name);
    }
    return mpb_error_set(err, MPB_E_USAGE, "--format", "unknown format '%s' (known: %s)", format,
                         known);
}

static enum mpb_status write_all(const struct config *c, const struct mpb_output *output,
                                 struct mpb_error *err)
{
    size_t n = 0;
    const struct mpb_writer *const *all = mpb_writer_all(&n);
    enum mpb_status st = mpb_output_derive(output, c->dir, err);
    for (size_t i = 0; i < n && st == MPB_OK; i++) {
        if (all[i]->file_name != NULL) {
            printf("%s/%s\n", c->dir, all[i]->file_name);
        }
    }
    return st;
}

static enum mpb_status write_one(const struct config *c, const struct mpb_output *output,
                                 const struct mpb_writer *writer, struct mpb_error *err)
{
    return c->path == NULL ? writer->write(&output->model, stdout, err)
                           : mpb_output_write(output, writer, c->path, err);
}

static enum mpb_status run_report(int argc, char *const *argv, struct mpb_error *err)
{
    struct config c = {0};
    const struct mpb_opt_rest rest = {&c, take_dir, NULL};
    const struct mpb_writer *writer = NULL;
    struct mpb_output output = {0};
    enum mpb_status st = mpb_opt_parse(options, argc, argv, &c, &rest, err);
    if (st == MPB_OK && c.dir == NULL) {
        st = mpb_error_set(err, MPB_E_USAGE, "report", "needs the folder of a session");
    }
    if (st == MPB_OK && c.path != NULL && c.format == NULL) {
        st = mpb_error_set(err, MPB_E_USAGE, "--output", "needs --format");
    }
    if (st == MPB_OK && c.format != NULL) {
        st = find_writer(c.format, &writer, err);
    }
    st = st != MPB_OK ? st : mpb_output_load(&output, c.dir, err);
    if (st == MPB_OK) {
        st = writer == NULL ? write_all(&c, &output, err) : write_one(&c, &output, writer, err);
    }
    mpb_output_fini(&output);
    return st;
}

static const char *const about[] = {
    "DIR is a session's folder, finished or not: what was committed is read, what was not is left "
    "out and said. Without --format the reports in DIR are written again, byte for byte.",
    NULL,
};

const struct mpb_command mpb_command_report = {
    .name = "report",
    .words = "DIR",
    .doc = "make a session's reports again",
    .about = about,
    .options = options,
    .run = run_report,
};
