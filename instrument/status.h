/* status.h: the one error idiom.
 *
 * Fallible functions return enum mpb_status: 0 is success, every failure is negative. A
 * trailing `struct mpb_error *err` (NULL allowed) is filled where the failure is detected
 * and names the object (a file:line, an arm, an option). Outputs are untouched on failure.
 * Nothing below a main() prints an error. */
#ifndef MPB_INSTRUMENT_STATUS_H
#define MPB_INSTRUMENT_STATUS_H

#include "instrument/base.h"
#include "instrument/status_list.h"

MPB_BEGIN_DECLS

enum mpb_status_index {
#define MPB_X(id, name, text) MPB_STATUS_INDEX_##id,
    MPB_STATUS_LIST(MPB_X)
#undef MPB_X
        MPB_STATUS__COUNT
};

enum mpb_status {
    MPB_OK = 0,
#define MPB_X(id, name, text) MPB_E_##id = -1 - (int)MPB_STATUS_INDEX_##id,
    MPB_STATUS_LIST(MPB_X)
#undef MPB_X
};

/* Where and why something failed. where: the object, "" if none; text: one line, no newline. */
struct mpb_error {
    enum mpb_status status;
    int sys_errno; /* 0 when no system call failed */
    char where[128];
    char text[384];
};

/* The stable lower_snake name of a status ("ok" for MPB_OK). Never NULL. */
const char *mpb_status_name(enum mpb_status status);
/* One English clause for a status. Never NULL. */
const char *mpb_status_text(enum mpb_status status);
/* The exit status of a command that failed so: 2 for usage, input, exists and io,
 * 4 for everything else. 0 for MPB_OK. */
int mpb_status_exit_code(enum mpb_status status);

/* Fill *err (if not NULL) and return status, so that `return mpb_error_set(...)` reads well.
 * where may be NULL; fmt may be NULL for the status's own text. Newlines and control
 * characters in the result are replaced by spaces: an error is one line. */
enum mpb_status mpb_error_set(struct mpb_error *err, enum mpb_status status, const char *where,
                              const char *fmt, ...) MPB_PRINTF(4, 5);
/* As mpb_error_set, with ": <strerror(errno)>" appended and sys_errno kept. */
enum mpb_status mpb_error_sys(struct mpb_error *err, enum mpb_status status, const char *where,
                              const char *fmt, ...) MPB_PRINTF(4, 5);
/* "where: text" (or "text") into out[cap], always terminated. */
void mpb_error_format(const struct mpb_error *err, char *out, size_t cap);

MPB_END_DECLS

#endif
