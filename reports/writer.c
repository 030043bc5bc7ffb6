/* writer.c: the list of writers, made by the build file, and writing one to a file. */
#include "reports/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/writer_list.h"

#define X(name) extern const struct mpb_writer mpb_writer_##name;
MPB_WRITER_LIST(X)
#undef X

#define X(name) &mpb_writer_##name,
static const struct mpb_writer *const writers[] = {MPB_WRITER_LIST(X)};
#undef X

const struct mpb_writer *const *mpb_writer_all(size_t *n)
{
    *n = MPB_ARRAY_LEN(writers);
    return writers;
}

const struct mpb_writer *mpb_writer_find(const char *name)
{
    for (size_t i = 0; i < MPB_ARRAY_LEN(writers); i++) {
        if (strcmp(writers[i]->name, name) == 0) {
            return writers[i];
        }
    }
    return NULL;
}

/* Everything on disk, or an error; closes f in any case. */
static enum mpb_status finish(FILE *f, const char *path, struct mpb_error *err)
{
    enum mpb_status st = MPB_OK;
    if (fflush(f) != 0 || ferror(f) || fsync(fileno(f)) != 0) {
        st = mpb_error_sys(err, MPB_E_IO, path, "cannot write");
    }
    if (fclose(f) != 0 && st == MPB_OK) {
        st = mpb_error_sys(err, MPB_E_IO, path, "cannot write");
    }
    return st;
}

enum mpb_status mpb_writer_to_file(const struct mpb_writer *writer, const struct mpb_model *model,
                                   const char *path, struct mpb_error *err)
{
    char *temporary = NULL;
    if (asprintf(&temporary, "%s.%ld.tmp", path, (long)getpid()) < 0) {
        return mpb_error_set(err, MPB_E_NOMEM, path, NULL);
    }
    FILE *f = fopen(temporary, "we");
    if (f == NULL) {
        enum mpb_status st = mpb_error_sys(err, MPB_E_IO, path, "cannot create");
        free(temporary);
        return st;
    }
    enum mpb_status st = writer->write(model, f, err);
    enum mpb_status closed = finish(f, path, st == MPB_OK ? err : NULL);
    st = st != MPB_OK ? st : closed;
    if (st == MPB_OK && rename(temporary, path) != 0) {
        st = mpb_error_sys(err, MPB_E_IO, path, "cannot rename '%s' to it", temporary);
    }
    if (st != MPB_OK) {
        unlink(temporary);
    }
    free(temporary);
    return st;
}
