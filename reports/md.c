/* md.c: escaping by the rules of CommonMark 0.29 and the GFM table extension. */
#include "reports/md.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c)
{
    unsigned char u = (unsigned char)c;
    return (u >= '0' && u <= '9') || (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || u >= 0x80;
}

/* '_' inside a word opens nothing (CommonMark 6.2), and metric names stay readable. */
static bool needs_backslash(const char *text, size_t i)
{
    if (text[i] == '_') {
        return i == 0 || !is_word(text[i - 1]) || !is_word(text[i + 1]);
    }
    return strchr("\\`*[]~|", text[i]) != NULL;
}

void mpb_md_put(FILE *f, const char *text)
{
    for (size_t i = 0; text[i] != '\0'; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '<' || c == '&') {
            fputs(c == '<' ? "&lt;" : "&amp;", f);
        } else if (c < 0x20 || c == 0x7f) {
            putc(' ', f);
        } else {
            fprintf(f, "%s%c", needs_backslash(text, i) ? "\\" : "", c);
        }
    }
}

/* A line of its own must not begin with what makes a list, a heading, a quote or code of it. */
static void put_block(FILE *f, const char *text)
{
    const char *from = text + strspn(text, " \t\r\n");
    size_t digits = strspn(from, "0123456789");
    if (digits > 0 && (from[digits] == '.' || from[digits] == ')')) {
        fprintf(f, "%.*s\\", (int)digits, from);
        from += digits;
    } else if (from[0] != '\0' && strchr("#>+-=", from[0]) != NULL) {
        putc('\\', f);
    }
    mpb_md_put(f, from);
}

/* Formatted and escaped. Out of memory writes nothing: the reader of a report on a machine in
 * that state has other worries. */
static void MPB_PRINTF(3, 0)
    put_formatted(FILE *f, void (*put)(FILE *, const char *), const char *fmt, va_list ap)
{
    char *text = NULL;
    if (vasprintf(&text, fmt, ap) >= 0) {
        put(f, text);
        free(text);
    }
}

void mpb_md_heading(FILE *f, int level, const char *fmt, ...)
{
    va_list ap;
    fprintf(f, "%.*s ", level, "######");
    va_start(ap, fmt);
    put_formatted(f, mpb_md_put, fmt, ap);
    va_end(ap);
    fputs("\n\n", f);
}

void mpb_md_paragraph(FILE *f, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_formatted(f, put_block, fmt, ap);
    va_end(ap);
    fputs("\n\n", f);
}

void mpb_md_item(FILE *f, const char *fmt, ...)
{
    va_list ap;
    fputs("- ", f);
    va_start(ap, fmt);
    put_formatted(f, put_block, fmt, ap);
    va_end(ap);
    putc('\n', f);
}

void mpb_md_begin(struct mpb_md_table *table, FILE *f, const char *align)
{
    *table = (struct mpb_md_table){.file = f, .align = align};
}

/* Three dashes: some parsers take no fewer. */
static void put_delimiters(const struct mpb_md_table *table)
{
    for (const char *a = table->align; *a != '\0'; a++) {
        fputs(*a == 'r' ? "| ---: " : "| --- ", table->file);
    }
    fputs("|\n", table->file);
}

static void end_cell(struct mpb_md_table *table)
{
    putc(' ', table->file);
    if (table->align[++table->column] != '\0') {
        return;
    }
    fputs("|\n", table->file);
    table->column = 0;
    if (table->n_rows++ == 0) {
        put_delimiters(table);
    }
}

void mpb_md_cell(struct mpb_md_table *table, const char *text)
{
    fputs("| ", table->file);
    mpb_md_put(table->file, text);
    end_cell(table);
}

void mpb_md_cellf(struct mpb_md_table *table, const char *fmt, ...)
{
    va_list ap;
    fputs("| ", table->file);
    va_start(ap, fmt);
    put_formatted(table->file, mpb_md_put, fmt, ap);
    va_end(ap);
    end_cell(table);
}

void mpb_md_cells(struct mpb_md_table *table, const char *const *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        mpb_md_cell(table, text[i]);
    }
}

void mpb_md_end(struct mpb_md_table *table)
{
    while (table->column != 0) {
        mpb_md_cell(table, "");
    }
    putc('\n', table->file);
}
