/* stop.h: Ctrl-C and SIGTERM as a file descriptor. It becomes readable when one of them arrives and
 * is never read, so it stays readable: every later poll sees it, and no state is kept outside. */
#ifndef MPB_HARNESS_STOP_H
#define MPB_HARNESS_STOP_H

#include <signal.h>

#include "instrument/status.h"

MPB_BEGIN_DECLS

struct mpb_stop {
    int fd;
    sigset_t old_mask;
};

/* Hold SIGINT, SIGTERM and SIGHUP back for this thread. MPB_E_UNAVAILABLE. */
MPB_MUST_USE enum mpb_status mpb_stop_open(struct mpb_stop *stop, struct mpb_error *err);
/* Has one arrived? */
bool mpb_stop_is_set(int fd);
/* Forget those that arrived and let later ones through again. */
void mpb_stop_close(struct mpb_stop *stop);

MPB_END_DECLS

#endif
