/* status.c: names, texts and exit codes of the statuses; filling of struct mpb_error. */
#include "instrument/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *text;
} infos[] = {
#define MPB_X(id, name, text) {name, text},
    MPB_STATUS_LIST(MPB_X)
#undef MPB_X
};
_Static_assert(MPB_ARRAY_LEN(infos) == MPB_STATUS__COUNT, "one row a status");

static size_t index_of(enum mpb_status status)
{
    return (size_t)(-1 - (int)status);
}

const char *mpb_status_name(enum mpb_status status)
{
    return status == MPB_OK ? "ok" : infos[index_of(status)].name;
}

const char *mpb_status_text(enum mpb_status status)
{
    return status == MPB_OK ? "ok" : infos[index_of(status)].text;
}

int mpb_status_exit_code(enum mpb_status status)
{
    if (status == MPB_OK) {
        return 0;
    }
    bool users_fault = status == MPB_E_USAGE || status == MPB_E_INPUT || status == MPB_E_EXISTS ||
                       status == MPB_E_IO;
    return users_fault ? 2 : 4;
}

/* A terminal obeys the controls of ASCII and, as two bytes, those of U+0080 to U+009F. */
static void one_line(char *s)
{
    for (; *s != '\0'; s++) {
        if ((unsigned char)s[0] == 0xc2 && ((unsigned char)s[1] & 0xe0) == 0x80) {
            s[0] = s[1] = ' ';
        } else if ((unsigned char)*s < 0x20 || *s == 0x7f) {
            *s = ' ';
        }
    }
}

MPB_PRINTF(4, 0)
static void fill(struct mpb_error *err, enum mpb_status status, const char *where, const char *fmt,
                 va_list ap)
{
    err->status = status;
    err->sys_errno = 0;
    snprintf(err->where, sizeof(err->where), "%s", where != NULL ? where : "");
    if (fmt != NULL) {
        vsnprintf(err->text, sizeof(err->text), fmt, ap);
    } else {
        snprintf(err->text, sizeof(err->text), "%s", mpb_status_text(status));
    }
    one_line(err->where);
    one_line(err->text);
}

enum mpb_status mpb_error_set(struct mpb_error *err, enum mpb_status status, const char *where,
                              const char *fmt, ...)
{
    if (err != NULL) {
        va_list ap;
        va_start(ap, fmt);
        fill(err, status, where, fmt, ap);
        va_end(ap);
    }
    return status;
}

enum mpb_status mpb_error_sys(struct mpb_error *err, enum mpb_status status, const char *where,
                              const char *fmt, ...)
{
    int saved = errno;
    if (err != NULL) {
        va_list ap;
        va_start(ap, fmt);
        fill(err, status, where, fmt, ap);
        va_end(ap);
        err->sys_errno = saved;
        size_t n = strlen(err->text);
        snprintf(err->text + n, sizeof(err->text) - n, ": %s", strerror(saved));
    }
    errno = saved;
    return status;
}

void mpb_error_format(const struct mpb_error *err, char *out, size_t cap)
{
    if (err->where[0] != '\0') {
        snprintf(out, cap, "%s: %s", err->where, err->text);
    } else {
        snprintf(out, cap, "%s", err->text);
    }
}
