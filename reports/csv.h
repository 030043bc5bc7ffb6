/* csv.h: RFC 4180 with LF, strictly: the reader names file and line in every error, checks the
 * header, refuses ragged records, stray quotes, NUL bytes and invalid UTF-8; the writer quotes
 * what must be quoted. CRLF and a UTF-8 byte order mark are accepted on input. */
#ifndef MPB_REPORTS_CSV_H
#define MPB_REPORTS_CSV_H

#include <stdio.h>

#include "instrument/status.h"

MPB_BEGIN_DECLS

#define MPB_CSV_FIELDS_MAX 40

/* A reader over a FILE it does not own. Fields are valid until the next call. */
struct mpb_csv {
    const char *name; /* file name for errors; borrowed */
    FILE *file;
    size_t line; /* line of the current record's first character, 1-based */
    size_t next_line;
    long record_end; /* file offset just behind the last complete record */
    char *buffer;
    size_t buffer_cap;
    char *fields[MPB_CSV_FIELDS_MAX];
    size_t n_fields;  /* fields of the current record */
    size_t n_columns; /* fields of the header */
    bool torn;        /* the last record had no line end: it was not returned */
};

/* Start reading and check that the first record is exactly `header` ("a,b,c"); a NULL header
 * takes any. MPB_E_INPUT naming the difference. */
MPB_MUST_USE enum mpb_status mpb_csv_begin(struct mpb_csv *csv, const char *name, FILE *file,
                                           const char *header, struct mpb_error *err);
/* The next record into csv->fields; *got false at the end. A last record without a line end is
 * not returned and sets csv->torn. MPB_E_INPUT with "name:line". */
MPB_MUST_USE enum mpb_status mpb_csv_next(struct mpb_csv *csv, bool *got, struct mpb_error *err);
void mpb_csv_fini(struct mpb_csv *csv);
/* "name:line" of the current record into out[cap]. */
void mpb_csv_where(const struct mpb_csv *csv, char *out, size_t cap);

/* Write one field, quoted if it needs to be. */
void mpb_csv_put(FILE *f, const char *text);
/* Write a whole record of n fields and a line end. */
void mpb_csv_put_record(FILE *f, const char *const *fields, size_t n);

MPB_END_DECLS

#endif
