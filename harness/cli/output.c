/* output.c: writing what a session says. */
#include "harness/cli/output.h"

#include <limits.h>
#include <sys/stat.h>

#include "harness/compare.h"
#include "harness/select.h"
#include "reports/session_dir.h"

enum mpb_status mpb_output_load(struct mpb_output *out, const char *dir, struct mpb_error *err)
{
    /* In place: the model keeps a pointer to its session. */
    *out = (struct mpb_output){0};
    enum mpb_status st = mpb_session_dir_load(dir, &out->session, err);
    if (st == MPB_OK) {
        st = mpb_compare_session(&out->session, &out->model, err);
    }
    if (st != MPB_OK) {
        mpb_output_fini(out);
    }
    return st;
}

void mpb_output_fini(struct mpb_output *output)
{
    mpb_model_fini(&output->model);
    mpb_session_fini(&output->session);
}

enum mpb_status mpb_output_derive(const struct mpb_output *output, const char *dir,
                                  struct mpb_error *err)
{
    size_t n = 0;
    const struct mpb_writer *const *writers = mpb_writer_all(&n);
    enum mpb_status st = MPB_OK;
    for (size_t i = 0; i < n && st == MPB_OK; i++) {
        if (writers[i]->file_name == NULL) {
            continue;
        }
        char path[PATH_MAX];
        int len = snprintf(path, sizeof(path), "%s/%s", dir, writers[i]->file_name);
        if (len < 0 || (size_t)len >= sizeof(path)) {
            return mpb_error_set(err, MPB_E_INPUT, dir, "the path is too long");
        }
        st = mpb_writer_to_file(writers[i], &output->model, path, err);
    }
    return st;
}

static enum mpb_status show(const struct mpb_model *model, struct mpb_error *err)
{
    const struct mpb_writer *console = mpb_writer_find("console");
    return console->write(model, stdout, err);
}

enum mpb_status mpb_output_show(const struct mpb_output *output, const char *filter,
                                struct mpb_error *err)
{
    if (filter == NULL) {
        return show(&output->model, err);
    }
    struct mpb_model selected = {0};
    enum mpb_status st = mpb_select_model(filter, &output->model, &selected, err);
    if (st == MPB_OK) {
        st = show(&selected, err);
    }
    mpb_model_fini(&selected);
    return st;
}

enum mpb_status mpb_output_write(const struct mpb_output *output, const struct mpb_writer *writer,
                                 const char *path, struct mpb_error *err)
{
    struct stat s;
    if (stat(path, &s) != 0 || S_ISREG(s.st_mode)) {
        return mpb_writer_to_file(writer, &output->model, path, err);
    }
    FILE *f = fopen(path, "we");
    if (f == NULL) {
        return mpb_error_sys(err, MPB_E_IO, path, "cannot be opened");
    }
    enum mpb_status st = writer->write(&output->model, f, err);
    bool failed = fflush(f) != 0 || ferror(f);
    if (st == MPB_OK && failed) {
        st = mpb_error_sys(err, MPB_E_IO, path, "cannot be written");
    }
    fclose(f);
    return st;
}
