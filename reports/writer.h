/* writer.h: a writer turns a model into one document. The list is in meson.build; adding one is
 * one file and one word there. */
#ifndef MPB_REPORTS_WRITER_H
#define MPB_REPORTS_WRITER_H

#include <stdio.h>

#include "reports/model.h"

MPB_BEGIN_DECLS

struct mpb_writer {
    const char *name;      /* -f NAME */
    const char *file_name; /* its file in a session folder; NULL: none, console only */
    const char *doc;
    /* Write all of it to f. Write errors are the caller's to see in ferror(f). */
    enum mpb_status (*write)(const struct mpb_model *model, FILE *f, struct mpb_error *err);
};

/* All writers, n of them. */
const struct mpb_writer *const *mpb_writer_all(size_t *n);
/* By name, NULL if unknown. */
const struct mpb_writer *mpb_writer_find(const char *name);
/* Write to path: a temporary file beside it, synced, then renamed, so that a report is never
 * half-written. MPB_E_IO naming the path. */
MPB_MUST_USE enum mpb_status mpb_writer_to_file(const struct mpb_writer *writer,
                                                const struct mpb_model *model, const char *path,
                                                struct mpb_error *err);

MPB_END_DECLS

#endif
