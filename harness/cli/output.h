/* output.h: from a session's folder to what the user sees: the derived files in the folder and
 * one document on stdout or in a file. compare, run and report all end here, so a report made
 * again later is the one that was made at the end of the session. */
#ifndef MPB_HARNESS_CLI_OUTPUT_H
#define MPB_HARNESS_CLI_OUTPUT_H

#include "reports/writer.h"

MPB_BEGIN_DECLS

/* A session read from its folder, and its model. Zero-initialised is empty. */
struct mpb_output {
    struct mpb_session session;
    struct mpb_model model;
};

/* Read the folder, derive the model. MPB_E_INPUT, MPB_E_IO, MPB_E_NOMEM. */
MPB_MUST_USE enum mpb_status mpb_output_load(struct mpb_output *out, const char *dir,
                                             struct mpb_error *err);
void mpb_output_fini(struct mpb_output *output);

/* Every writer that has a file, into the folder. MPB_E_IO. */
MPB_MUST_USE enum mpb_status mpb_output_derive(const struct mpb_output *output, const char *dir,
                                               struct mpb_error *err);
/* The console's block on stdout, only the rows that match filter (NULL: all). */
MPB_MUST_USE enum mpb_status mpb_output_show(const struct mpb_output *output, const char *filter,
                                             struct mpb_error *err);
/* One document to a path; a path that is there and not a regular file (a pipe, a device) is
 * written to in place. MPB_E_IO. */
MPB_MUST_USE enum mpb_status mpb_output_write(const struct mpb_output *output,
                                              const struct mpb_writer *writer, const char *path,
                                              struct mpb_error *err);

MPB_END_DECLS

#endif
