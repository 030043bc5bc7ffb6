/* csv.c: one pass over the bytes, one state a character class; fields are cut in the buffer.
 *
 * A torn last record is normal (a writer was killed) and is not an error; a quote that opens in
 * the middle of a file and swallows the records behind it would look the same, and is. */
#include "reports/csv.h"

#include <stdlib.h>
#include <string.h>

#include "reports/utf8.h"

#define RECORD_BYTES_MAX ((size_t)1 << 20) /* a worker that prints without end is stopped here */

enum state { AT_FIELD, IN_PLAIN, IN_QUOTED, AFTER_QUOTE, AFTER_CR, DONE };

/* One record being read. */
struct record {
    struct mpb_csv *csv;
    struct mpb_error *err;
    enum state state;
    size_t len;                       /* bytes of buffer used */
    size_t start[MPB_CSV_FIELDS_MAX]; /* offsets of the fields in buffer */
    size_t n_fields;
    size_t n_lines;  /* line ends read */
    size_t n_commas; /* since the last line end inside a quoted field */
    bool swallowed;  /* a line inside quotes has as many commas as a record */
};

void mpb_csv_where(const struct mpb_csv *csv, char *out, size_t cap)
{
    char line[32];
    int n_line = snprintf(line, sizeof(line), ":%zu", csv->line);
    size_t len = strlen(csv->name), room = cap - (size_t)n_line - 1;
    /* The line is worth more than the head of a long path. */
    const char *name = len <= room ? csv->name : csv->name + (len - room) + 3;
    snprintf(out, cap, "%s%s%s", len <= room ? "" : "...", name, line);
}

static enum mpb_status fail(const struct record *r, const char *text)
{
    char where[sizeof(r->err->where)];
    mpb_csv_where(r->csv, where, sizeof(where));
    return mpb_error_set(r->err, MPB_E_INPUT, where, "%s", text);
}

static enum mpb_status push(struct record *r, char c)
{
    struct mpb_csv *csv = r->csv;
    if (r->len >= RECORD_BYTES_MAX) {
        return fail(r, "a record longer than 1 MiB");
    }
    if (r->len >= csv->buffer_cap) {
        size_t cap = csv->buffer_cap == 0 ? 512 : csv->buffer_cap * 2;
        char *buffer = realloc(csv->buffer, cap);
        if (buffer == NULL) {
            return mpb_error_set(r->err, MPB_E_NOMEM, csv->name, NULL);
        }
        csv->buffer = buffer;
        csv->buffer_cap = cap;
    }
    csv->buffer[r->len++] = c;
    return MPB_OK;
}

static enum mpb_status open_field(struct record *r)
{
    if (r->n_fields >= MPB_CSV_FIELDS_MAX) {
        return fail(r, "too many fields");
    }
    r->start[r->n_fields++] = r->len;
    r->state = AT_FIELD;
    return MPB_OK;
}

/* A field ends: at a comma the next one begins, at a line end the record is done. */
static enum mpb_status end_field(struct record *r, int c)
{
    if (c == '\r') {
        r->state = AFTER_CR;
        return MPB_OK;
    }
    enum mpb_status st = push(r, '\0');
    if (st == MPB_OK && c == ',') {
        return open_field(r);
    }
    r->state = DONE;
    return st;
}

static bool ends_field(int c)
{
    return c == ',' || c == '\n' || c == '\r';
}

static enum mpb_status in_quoted(struct record *r, int c)
{
    if (c == '"') {
        r->state = AFTER_QUOTE;
        return MPB_OK;
    }
    r->n_commas += c == ',';
    if (c == '\n') {
        r->swallowed = r->swallowed || (r->n_lines > 1 && r->csv->n_columns > 1 &&
                                        r->n_commas + 1 >= r->csv->n_columns);
        r->n_commas = 0;
    }
    return push(r, (char)c);
}

static enum mpb_status step(struct record *r, int c)
{
    if (c == '\0') {
        return fail(r, "a NUL byte");
    }
    r->n_lines += c == '\n';
    switch (r->state) {
    case AT_FIELD:
    case IN_PLAIN:
        if (ends_field(c)) {
            return end_field(r, c);
        }
        if (c == '"') {
            bool opens = r->state == AT_FIELD;
            r->state = IN_QUOTED;
            return opens ? MPB_OK : fail(r, "a stray quote inside an unquoted field");
        }
        r->state = IN_PLAIN;
        return push(r, (char)c);
    case IN_QUOTED:
        return in_quoted(r, c);
    case AFTER_QUOTE:
        if (c == '"') {
            r->state = IN_QUOTED;
            return push(r, '"');
        }
        return ends_field(c) ? end_field(r, c) : fail(r, "text behind a closing quote");
    case AFTER_CR:
        return c == '\n' ? end_field(r, c) : fail(r, "a carriage return without a line feed");
    case DONE:
        break;
    }
    return MPB_OK;
}

/* Read up to the end of a record. *n_read counts its bytes; r->state is DONE if it is whole. */
static enum mpb_status read_record(struct record *r, size_t *n_read)
{
    enum mpb_status st = open_field(r);
    while (st == MPB_OK && r->state != DONE) {
        int c = getc(r->csv->file);
        if (c == EOF) {
            break;
        }
        ++*n_read;
        st = step(r, c);
    }
    if (st == MPB_OK && ferror(r->csv->file)) {
        st = mpb_error_sys(r->err, MPB_E_IO, r->csv->name, "cannot read");
    }
    return st;
}

static enum mpb_status accept_record(struct record *r)
{
    struct mpb_csv *csv = r->csv;
    if (mpb_utf8_valid_bytes(csv->buffer, r->len) != r->len) {
        return fail(r, "not UTF-8");
    }
    if (csv->n_columns != 0 && r->n_fields != csv->n_columns) {
        char text[80];
        snprintf(text, sizeof(text), "%zu fields, the header has %zu", r->n_fields, csv->n_columns);
        return fail(r, text);
    }
    for (size_t i = 0; i < r->n_fields; i++) {
        csv->fields[i] = csv->buffer + r->start[i];
    }
    csv->n_fields = r->n_fields;
    return MPB_OK;
}

enum mpb_status mpb_csv_next(struct mpb_csv *csv, bool *got, struct mpb_error *err)
{
    struct record r = {.csv = csv, .err = err};
    size_t n_read = 0;
    *got = false;
    csv->line = csv->next_line;
    enum mpb_status st = read_record(&r, &n_read);
    if (st != MPB_OK || n_read == 0) {
        return st;
    }
    if (r.state != DONE) {
        csv->torn = true;
        return r.swallowed ? fail(&r, "a quoted field that is never closed") : MPB_OK;
    }
    st = accept_record(&r);
    if (st == MPB_OK) {
        csv->next_line += r.n_lines;
        csv->record_end += (long)n_read;
        *got = true;
    }
    return st;
}

static void skip_byte_order_mark(struct mpb_csv *csv)
{
    static const int bom[] = {0xef, 0xbb, 0xbf};
    int c = getc(csv->file);
    for (size_t i = 0; i < MPB_ARRAY_LEN(bom) && c == bom[i]; i++) {
        csv->record_end++;
        c = getc(csv->file);
    }
    if (c != EOF) {
        ungetc(c, csv->file);
    }
}

/* The header against what is wanted, column by column. */
static enum mpb_status check_header(const struct mpb_csv *csv, const char *want,
                                    struct mpb_error *err)
{
    const char *rest = want;
    for (size_t i = 0; i < csv->n_fields || *rest != '\0'; i++) {
        size_t len = strcspn(rest, ",");
        const char *have = i < csv->n_fields ? csv->fields[i] : "";
        if (strlen(have) != len || memcmp(have, rest, len) != 0) {
            char where[sizeof(err->where)];
            mpb_csv_where(csv, where, sizeof(where));
            return mpb_error_set(err, MPB_E_INPUT, where,
                                 "column %zu of the header is '%s', not '%.*s' (wanted: %s)", i + 1,
                                 have, (int)len, rest, want);
        }
        rest += len + (rest[len] == ',');
    }
    return MPB_OK;
}

enum mpb_status mpb_csv_begin(struct mpb_csv *csv, const char *name, FILE *file, const char *header,
                              struct mpb_error *err)
{
    *csv = (struct mpb_csv){.name = name, .file = file, .line = 1, .next_line = 1};
    skip_byte_order_mark(csv);
    bool got = false;
    enum mpb_status st = mpb_csv_next(csv, &got, err);
    if (st != MPB_OK) {
        return st;
    }
    if (!got) {
        const struct record r = {.csv = csv, .err = err};
        csv->torn = true;
        return fail(&r, "ends before the end of its header");
    }
    csv->n_columns = csv->n_fields;
    return header == NULL ? MPB_OK : check_header(csv, header, err);
}

void mpb_csv_fini(struct mpb_csv *csv)
{
    free(csv->buffer);
    *csv = (struct mpb_csv){0};
}

void mpb_csv_put(FILE *f, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, f);
        return;
    }
    putc('"', f);
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '"') {
            putc('"', f);
        }
        putc(*p, f);
    }
    putc('"', f);
}

void mpb_csv_put_record(FILE *f, const char *const *fields, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0) {
            putc(',', f);
        }
        mpb_csv_put(f, fields[i]);
    }
    putc('\n', f);
}
