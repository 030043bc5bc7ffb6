/* md.h: Markdown that GitHub renders: tables and paragraphs in which any text is only text. Names
 * come from outside; pipes, line ends, backticks and HTML in them must not become structure. */
#ifndef MPB_REPORTS_MD_H
#define MPB_REPORTS_MD_H

#include <stdio.h>

#include "instrument/base.h"

MPB_BEGIN_DECLS

/* A table being written. Cells come one by one; a row ends by itself at its last column, and the
 * delimiter row follows the first. */
struct mpb_md_table {
    FILE *file;
    const char *align; /* one character a column: 'l' or 'r' */
    size_t column, n_rows;
};

/* Write text so that it reads as itself inside a line or a cell. */
void mpb_md_put(FILE *f, const char *text);
/* A heading, a paragraph, a list item; the formatted text is escaped. */
void mpb_md_heading(FILE *f, int level, const char *fmt, ...) MPB_PRINTF(3, 4);
void mpb_md_paragraph(FILE *f, const char *fmt, ...) MPB_PRINTF(2, 3);
void mpb_md_item(FILE *f, const char *fmt, ...) MPB_PRINTF(2, 3);

/* Start a table with one column a character of align (borrowed). */
void mpb_md_begin(struct mpb_md_table *table, FILE *f, const char *align);
/* The next cell. */
void mpb_md_cell(struct mpb_md_table *table, const char *text);
void mpb_md_cellf(struct mpb_md_table *table, const char *fmt, ...) MPB_PRINTF(2, 3);
/* The next cells, from text[n]. */
void mpb_md_cells(struct mpb_md_table *table, const char *const *text, size_t n);
/* Close the table: an open row is filled with empty cells. */
void mpb_md_end(struct mpb_md_table *table);

MPB_END_DECLS

#endif
