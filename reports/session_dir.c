/* session_dir.c: the folder: created once, appended to, read back. A pass goes out in one write a
 * file, rows first, passes.csv last; a failed write is cut off again. */
#include "reports/session_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports/session_json.h"
#include "reports/session_put.h"
#include "reports/session_read.h"

/* The CSV files, in the order they are created and read. X(field, file, columns) */
/* clang-format off */
#define FILE_LIST(X) \
    X(passes,  "passes.csv",  MPB_SESSION_COLUMNS_PASSES) \
    X(rows,    "rows.csv",    MPB_SESSION_COLUMNS_ROWS) \
    X(series,  "series.csv",  MPB_SESSION_COLUMNS_SERIES) \
    X(latency, "latency.csv", MPB_SESSION_COLUMNS_LATENCY)
/* clang-format on */

static enum mpb_status join(const char *folder, const char *file, char **out, struct mpb_error *err)
{
    if (asprintf(out, "%s/%s", folder, file) < 0) {
        *out = NULL;
        return mpb_error_set(err, MPB_E_NOMEM, folder, NULL);
    }
    return MPB_OK;
}

static enum mpb_status sync_file(FILE *f, const char *path, struct mpb_error *err)
{
    if (fflush(f) != 0 || ferror(f) || fsync(fileno(f)) != 0) {
        return mpb_error_sys(err, MPB_E_IO, path, "cannot write");
    }
    return MPB_OK;
}

/* A folder's entries survive a power cut only when the folder itself is synced. Some file systems
 * cannot; that is no reason to fail. */
static void sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

static enum mpb_status write_json(const char *folder, const struct mpb_session *session,
                                  struct mpb_error *err)
{
    char *path = NULL;
    FILE *f = NULL;
    enum mpb_status st = join(folder, "session.json", &path, err);
    if (st != MPB_OK) {
        return st;
    }
    f = fopen(path, "wxe");
    if (f == NULL) {
        st = mpb_error_sys(err, MPB_E_IO, path, "cannot create");
        goto out;
    }
    st = mpb_session_json_write(session, f, err);
    if (st == MPB_OK) {
        st = sync_file(f, path, err);
    }
    fclose(f);
out:
    free(path);
    return st;
}

/* Create a file of the folder with its header; unbuffered, so that a record is one write. */
static enum mpb_status create_file(const char *folder, const char *file, const char *header,
                                   FILE **out, struct mpb_error *err)
{
    char *path = NULL;
    enum mpb_status st = join(folder, file, &path, err);
    if (st != MPB_OK) {
        return st;
    }
    FILE *f = fopen(path, "axe");
    if (f == NULL) {
        st = mpb_error_sys(err, MPB_E_IO, path, "cannot create");
        goto out;
    }
    *out = f;
    fprintf(f, "%s\n", header);
    st = sync_file(f, path, err);
    setvbuf(f, NULL, _IONBF, 0);
out:
    free(path);
    return st;
}

/* Write all of a new folder's files into `folder`. */
static enum mpb_status fill_folder(const char *folder, const struct mpb_session *session,
                                   struct mpb_session_dir *made, struct mpb_error *err)
{
    enum mpb_status st = write_json(folder, session, err);
#define X(field, file, columns) \
    st = st != MPB_OK ? st : create_file(folder, file, columns, &made->field, err);
    FILE_LIST(X)
#undef X
    if (st == MPB_OK) {
        sync_folder(folder);
    }
    return st;
}

/* Remove a folder that was not finished. Best effort: its name says what it is. */
static void remove_folder(const char *folder)
{
    static const char *const files[] = {"session.json",
#define X(field, file, columns) file,
                                        FILE_LIST(X)
#undef X
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(files); i++) {
        char *path = NULL;
        if (join(folder, files[i], &path, NULL) == MPB_OK && path != NULL) {
            (void)unlink(path);
        }
        free(path);
    }
    (void)rmdir(folder);
}

/* Give a finished folder its name, unless something has that name by now. */
static enum mpb_status name_folder(const char *folder, const char *path, struct mpb_error *err)
{
    if (renameat2(AT_FDCWD, folder, AT_FDCWD, path, RENAME_NOREPLACE) == 0) {
        return MPB_OK;
    }
    /* A file system may not know the flag; rename() then refuses all but an empty folder. */
    if (errno == EINVAL && rename(folder, path) == 0) {
        return MPB_OK;
    }
    return errno == EEXIST || errno == ENOTEMPTY
               ? mpb_error_set(err, MPB_E_EXISTS, path, "exists already, never overwritten")
               : mpb_error_sys(err, MPB_E_IO, path, "cannot create the folder");
}

/* The folder is made beside its place and renamed into it when whole: whatever ends the process, a
 * folder of that name can be read back. */
enum mpb_status mpb_session_dir_create(struct mpb_session_dir *dir, const char *path,
                                       const struct mpb_session *session, struct mpb_error *err)
{
    struct mpb_session_dir made = {0};
    struct stat there;
    char *partial = NULL;
    size_t len = strlen(path);
    for (; len > 1 && path[len - 1] == '/'; len--) {
    }
    if (lstat(path, &there) == 0) {
        return mpb_error_set(err, MPB_E_EXISTS, path, "exists already, never overwritten");
    }
    if (asprintf(&partial, "%.*s.partial-%ld", (int)len, path, (long)getpid()) < 0) {
        return mpb_error_set(err, MPB_E_NOMEM, path, NULL);
    }
    if (mkdir(partial, 0777) != 0) {
        enum mpb_status st = mpb_error_sys(err, MPB_E_IO, path, "cannot create the folder");
        free(partial);
        return st;
    }
    enum mpb_status st = fill_folder(partial, session, &made, err);
    if (st == MPB_OK && (made.path = strdup(path)) == NULL) {
        st = mpb_error_set(err, MPB_E_NOMEM, path, NULL);
    }
    if (st == MPB_OK) {
        st = name_folder(partial, path, err);
    }
    if (st == MPB_OK) {
        *dir = made;
    } else {
        mpb_session_dir_close(&made);
        remove_folder(partial);
    }
    free(partial);
    return st;
}

/* Append text[len] and sync. What a failed write left behind is cut off, so that the file goes on
 * being whole records. */
static enum mpb_status append(FILE *f, const char *text, size_t len, const char *where,
                              struct mpb_error *err)
{
    struct stat before = {0};
    if (len == 0) {
        return MPB_OK;
    }
    if (fstat(fileno(f), &before) != 0) {
        return mpb_error_sys(err, MPB_E_IO, where, "cannot append");
    }
    if (fwrite(text, 1, len, f) == len && fsync(fileno(f)) == 0) {
        return MPB_OK;
    }
    enum mpb_status st = mpb_error_sys(err, MPB_E_IO, where, "cannot append");
    clearerr(f);
    if (ftruncate(fileno(f), before.st_size) != 0 && err != NULL) {
        strncat(err->text, " (and a torn line stays)", sizeof(err->text) - strlen(err->text) - 1);
    }
    return st;
}

/* The text of a pass's rows into *text; the caller frees it. */
static enum mpb_status format_rows(const struct mpb_session *session, const struct mpb_row *rows,
                                   size_t n, char **text, size_t *len, struct mpb_error *err)
{
    FILE *f = open_memstream(text, len);
    enum mpb_status st = MPB_OK;
    if (f == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "rows.csv", NULL);
    }
    for (size_t i = 0; st == MPB_OK && i < n; i++) {
        st = mpb_session_put_row(session, &rows[i], f, err);
    }
    if (fclose(f) != 0 && st == MPB_OK) {
        st = mpb_error_set(err, MPB_E_NOMEM, "rows.csv", NULL);
    }
    return st;
}

static enum mpb_status format_pass(const struct mpb_session *session, const struct mpb_pass *pass,
                                   char **text, size_t *len, struct mpb_error *err)
{
    FILE *f = open_memstream(text, len);
    if (f == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "passes.csv", NULL);
    }
    mpb_session_put_pass(session, pass, f);
    return fclose(f) == 0 ? MPB_OK : mpb_error_set(err, MPB_E_NOMEM, "passes.csv", NULL);
}

enum mpb_status mpb_session_dir_commit(struct mpb_session_dir *dir,
                                       const struct mpb_session *session,
                                       const struct mpb_pass *pass, const struct mpb_row *rows,
                                       size_t n, struct mpb_error *err)
{
    char *row_text = NULL, *pass_text = NULL;
    size_t row_len = 0, pass_len = 0;
    enum mpb_status st =
        format_rows(session, rows, pass->accepted ? n : 0, &row_text, &row_len, err);
    st = st != MPB_OK ? st : format_pass(session, pass, &pass_text, &pass_len, err);
    st = st != MPB_OK ? st : append(dir->rows, row_text, row_len, dir->path, err);
    st = st != MPB_OK ? st : append(dir->passes, pass_text, pass_len, dir->path, err);
    free(row_text);
    free(pass_text);
    return st;
}

void mpb_session_dir_close(struct mpb_session_dir *dir)
{
#define X(field, file, columns) \
    if (dir->field != NULL) { \
        fclose(dir->field); \
    }
    FILE_LIST(X)
#undef X
    free(dir->path);
    *dir = (struct mpb_session_dir){0};
}

enum role {
#define X(field, file, columns) ROLE_##field,
    FILE_LIST(X)
#undef X
};

static enum mpb_status read_file(enum role role, const char *path, FILE *f, const char *columns,
                                 struct mpb_session *session, struct mpb_error *err)
{
    if (role == ROLE_passes) {
        return mpb_session_read_passes(session, path, f, err);
    }
    if (role == ROLE_rows) {
        return mpb_session_read_rows(session, path, f, err);
    }
    return mpb_session_read_check(session, path, f, columns, err);
}

static enum mpb_status load_file(enum role role, const char *folder, const char *file,
                                 struct mpb_session *session, struct mpb_error *err)
{
    static const char *const columns[] = {
#define X(field, name, header) header,
        FILE_LIST(X)
#undef X
    };
    char *path = NULL;
    enum mpb_status st = join(folder, file, &path, err);
    if (st != MPB_OK) {
        return st;
    }
    FILE *f = fopen(path, "re");
    if (f != NULL) {
        st = read_file(role, path, f, columns[role], session, err);
        fclose(f);
    } else if (errno == ENOENT && role >= ROLE_series) {
        mpb_session_add_note(session, "%s is missing", file);
    } else {
        st = mpb_error_sys(err, MPB_E_IO, path, "cannot open");
    }
    free(path);
    return st;
}

/* A committed pass without a row: its rows were lost behind its back. */
static void note_empty_passes(struct mpb_session *session)
{
    size_t n_empty = 0, cursor = 0, n = session->n_rows;
    for (size_t i = 0; i < session->n_passes; i++) {
        const struct mpb_pass *pass = &session->pass[i];
        bool found = !pass->accepted;
        /* Rows stand in the order of their passes: the next one's are where the last one's were. */
        for (size_t j = 0; !found && j < n; j++) {
            const struct mpb_row *row = &session->row[(cursor + j) % n];
            found =
                row->arm == pass->arm && row->scenario == pass->scenario && row->pass == pass->pass;
            cursor = found ? (cursor + j) % n : cursor;
        }
        n_empty += !found;
    }
    if (n_empty > 0) {
        mpb_session_add_note(session, "accepted passes without any row, lost from rows.csv: %zu",
                             n_empty);
    }
}

enum mpb_status mpb_session_dir_load(const char *path, struct mpb_session *session,
                                     struct mpb_error *err)
{
    struct mpb_session loaded = {0};
    char *json = NULL;
    enum mpb_status st = join(path, "session.json", &json, err);
    st = st != MPB_OK ? st : mpb_session_json_read(json, &loaded, err);
#define X(field, file, columns) \
    st = st != MPB_OK ? st : load_file(ROLE_##field, path, file, &loaded, err);
    FILE_LIST(X)
#undef X
    free(json);
    if (st != MPB_OK) {
        mpb_session_fini(&loaded);
        return st;
    }
    note_empty_passes(&loaded);
    *session = loaded;
    return MPB_OK;
}
