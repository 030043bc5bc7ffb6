/* file_limit.h: a disk that is full: no file of this process grows beyond a limit. */
#ifndef MPB_CORE_TESTS_FILE_LIMIT_H
#define MPB_CORE_TESTS_FILE_LIMIT_H

#include <signal.h>
#include <sys/resource.h>

#include "core/tests/path_fixture.h"

/* Writing beyond n_bytes fails with EFBIG, no signal. */
static inline void file_limit_set(rlim_t n_bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = n_bytes < limit.rlim_max ? n_bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static inline void file_limit_lift(void)
{
    file_limit_set(RLIM_INFINITY);
}

#endif
