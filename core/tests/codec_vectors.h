/* codec_vectors.h: hexadecimal text and CSV test vectors, for the codec's tests. */
#ifndef MPB_CORE_TESTS_CODEC_VECTORS_H
#define MPB_CORE_TESTS_CODEC_VECTORS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instrument/base.h"

/* Bytes in an allocation of exactly their size, so that a sanitizer or valgrind sees a read past
 * the end. Free .data (cast) with vector_free(). */
struct vector {
    uint8_t *data;
    size_t len;
};

static inline struct mpb_bytes vector_view(struct vector v)
{
    struct mpb_bytes bytes = {v.data, v.len};
    return bytes;
}

static inline void vector_free(struct vector v)
{
    free(v.data);
}

static inline struct vector vector_from_bytes(struct mpb_bytes bytes)
{
    struct vector v = {malloc(bytes.len > 0 ? bytes.len : 1), bytes.len};
    assert_non_null(v.data);
    if (bytes.len > 0) {
        memcpy(v.data, bytes.data, bytes.len);
    }
    return v;
}

/* Two digits a byte, spaces ignored. */
static inline struct vector vector_from_hex(const char *hex)
{
    uint8_t buffer[4096];
    struct mpb_bytes bytes = {buffer, 0};
    for (; *hex != '\0'; hex++) {
        if (*hex == ' ') {
            continue;
        }
        char digits[3] = {hex[0], hex[1], '\0'}, *end = NULL;
        assert_true(bytes.len < sizeof(buffer));
        buffer[bytes.len++] = (uint8_t)strtoul(digits, &end, 16);
        assert_ptr_equal(end, digits + 2);
        hex++;
    }
    return vector_from_bytes(bytes);
}

enum { CSV_COLUMNS_MAX = 16 };

struct csv_row {
    char line[4096];
    const char *column[CSV_COLUMNS_MAX];
    size_t n_columns;
};

/* Split the row's line at commas (the vectors hold no quotes). */
static inline void csv_row_split(struct csv_row *row)
{
    char *at = row->line;
    row->line[strcspn(row->line, "\n")] = '\0';
    for (row->n_columns = 0; at != NULL; row->n_columns++) {
        assert_true(row->n_columns < CSV_COLUMNS_MAX);
        row->column[row->n_columns] = at;
        at = strchr(at, ',');
        if (at != NULL) {
            *at++ = '\0';
        }
    }
}

/* Call fn for each row after the header of a file under tests/data; returns the number of rows. */
static inline size_t csv_each(const char *name, size_t n_columns, void (*fn)(struct csv_row *row))
{
    char path[1024];
    struct csv_row row;
    size_t n_rows = 0;
    snprintf(path, sizeof(path), "%s/%s", MPB_TEST_DATA, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(row.line, sizeof(row.line), f));
    for (; fgets(row.line, sizeof(row.line), f) != NULL; n_rows++) {
        csv_row_split(&row);
        assert_int_equal(row.n_columns, n_columns);
        fn(&row);
    }
    fclose(f);
    return n_rows;
}

#endif
