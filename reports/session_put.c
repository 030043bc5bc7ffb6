/* session_put.c: one record at a time, in the column order of session_put.h. */
#include "reports/session_put.h"

#include <math.h>
#include <time.h>

#include "reports/csv.h"
#include "reports/units.h"

static void put_time(uint64_t utc_ns, FILE *f)
{
    time_t seconds = (time_t)(utc_ns / 1000000000U);
    struct tm tm = {0};
    char text[40] = "";
    gmtime_r(&seconds, &tm);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
    fprintf(f, "%s.%03uZ", text, (unsigned)(utc_ns / 1000000U % 1000U));
}

static void put_real(double value, FILE *f)
{
    char text[40];
    mpb_units_csv(value, text, sizeof(text));
    fprintf(f, ",%s", text);
}

static void put_owner(const struct mpb_session *session, uint16_t arm, uint16_t scenario, FILE *f)
{
    mpb_csv_put(f, session->arm[arm].label);
    putc(',', f);
    mpb_csv_put(f, mpb_names_text(&session->names, scenario));
}

void mpb_session_put_pass(const struct mpb_session *session, const struct mpb_pass *pass, FILE *f)
{
    put_owner(session, pass->arm, pass->scenario, f);
    fprintf(f, ",%u,%s,%u,%u,%d,", pass->pass, mpb_session_kind_name(pass->kind), pass->block,
            pass->slot, pass->accepted);
    mpb_csv_put(f, pass->reason != NULL ? pass->reason : "");
    putc(',', f);
    put_time(pass->started_utc_ns, f);
    fprintf(f, ",%llu", (unsigned long long)pass->wall_ns);
    put_real(pass->load1, f);
    put_real(pass->psi_cpu, f);
    put_real(pass->spread_pct, f);
    putc('\n', f);
}

enum mpb_status mpb_session_put_row(const struct mpb_session *session, const struct mpb_row *row,
                                    FILE *f, struct mpb_error *err)
{
    const char *metric = mpb_names_text(&session->names, row->metric);
    if (!row->is_integer && !isfinite(row->value.real)) {
        return mpb_error_set(err, MPB_E_INPUT, metric, "a value that is not a finite number");
    }
    put_owner(session, row->arm, row->scenario, f);
    fprintf(f, ",%u,%u,", row->pass, row->run);
    mpb_csv_put(f, metric);
    putc(',', f);
    mpb_csv_put(f, mpb_names_text(&session->names, row->unit));
    if (row->is_integer) {
        fprintf(f, ",%llu", (unsigned long long)row->value.integer);
    } else {
        put_real(row->value.real, f);
    }
    putc('\n', f);
    return MPB_OK;
}
