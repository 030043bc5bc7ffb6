/* emit.c: the row buffer. Its memory is mapped, not allocated: see arena.h. */
#include "workloads/emit.h"

#include <inttypes.h>
#include <string.h>

#include "workloads/arena.h"

static struct mpb_emit_row *add(struct mpb_emit *emit)
{
    if (emit->n == emit->cap) {
        size_t cap = emit->cap > 0 ? emit->cap * 2 : 512;
        struct mpb_emit_row *row = mpb_arena_map(cap * sizeof(*row));
        if (row == NULL) {
            emit->failed = true;
            return NULL;
        }
        if (emit->n > 0) {
            memcpy(row, emit->row, emit->n * sizeof(*row));
        }
        mpb_arena_unmap(emit->row, emit->cap * sizeof(*row));
        emit->row = row;
        emit->cap = cap;
    }
    emit->row[emit->n] = (struct mpb_emit_row){.node = emit->node};
    return &emit->row[emit->n++];
}

void mpb_emit_integer(struct mpb_emit *emit, unsigned run, enum mpb_metric metric, const char *part,
                      uint64_t value)
{
    struct mpb_emit_row *row = add(emit);
    if (row != NULL) {
        row->run = run;
        row->metric = metric;
        row->part = part;
        row->is_integer = true;
        row->integer = value;
    }
}

void mpb_emit_real(struct mpb_emit *emit, unsigned run, enum mpb_metric metric, double value)
{
    struct mpb_emit_row *row = add(emit);
    if (row != NULL) {
        row->run = run;
        row->metric = metric;
        row->real = value;
    }
}

static void put_part(FILE *f, const char *part)
{
    if (part != NULL) {
        fprintf(f, "/%s", part);
    }
}

enum mpb_status mpb_emit_print(const struct mpb_emit *emit, FILE *f, struct mpb_error *err)
{
    if (emit->failed) {
        return mpb_error_set(err, MPB_E_NOMEM, "rows", NULL);
    }
    fprintf(f, "%s\n", MPB_EMIT_HEADER);
    for (size_t i = 0; i < emit->n; i++) {
        const struct mpb_emit_row *row = &emit->row[i];
        const struct mpb_metric_info *info = mpb_metric_info(row->metric);
        fprintf(f, "%s,%u,%s", emit->scenario, row->run, info->name);
        put_part(f, row->node);
        put_part(f, row->part);
        fprintf(f, ",%s,", mpb_metric_unit_name(info->unit));
        if (row->is_integer) {
            fprintf(f, "%" PRIu64 "\n", row->integer);
        } else {
            fprintf(f, "%.17g\n", row->real);
        }
    }
    if (fflush(f) != 0 || ferror(f)) {
        return mpb_error_sys(err, MPB_E_IO, "stdout", "cannot write the rows");
    }
    return MPB_OK;
}

void mpb_emit_fini(struct mpb_emit *emit)
{
    mpb_arena_unmap(emit->row, emit->cap * sizeof(*emit->row));
    emit->row = NULL;
    emit->n = emit->cap = 0;
}
