/* session_put.h: the records of a session folder's CSV files, and their columns. Internal to
 * session_dir. */
#ifndef MPB_REPORTS_SESSION_PUT_H
#define MPB_REPORTS_SESSION_PUT_H

#include <stdio.h>

#include "reports/session.h"

MPB_BEGIN_DECLS

#define MPB_SESSION_COLUMNS_PASSES \
    "arm,scenario,pass,kind,block,slot,accepted,reason,started,wall_ns,load1,psi_cpu,spread_pct"
#define MPB_SESSION_COLUMNS_ROWS "arm,scenario,pass,run,metric,unit,value"
#define MPB_SESSION_COLUMNS_SERIES "arm,scenario,pass,run,index,metric,unit,value"
#define MPB_SESSION_COLUMNS_LATENCY "arm,scenario,pass,run,metric,low_ns,high_ns,count"

/* Write one record of passes.csv and its line end. */
void mpb_session_put_pass(const struct mpb_session *session, const struct mpb_pass *pass, FILE *f);
/* Write one record of rows.csv and its line end. MPB_E_INPUT for a value that is not finite. */
MPB_MUST_USE enum mpb_status mpb_session_put_row(const struct mpb_session *session,
                                                 const struct mpb_row *row, FILE *f,
                                                 struct mpb_error *err);

MPB_END_DECLS

#endif
