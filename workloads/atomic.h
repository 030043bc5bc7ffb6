/* atomic.h: atomic members in headers that must also compile as C++, where _Atomic is no keyword.
 * Two nodes, threads or processes, share such members through mapped memory. C++ code, of which
 * there is none here, would only see their layout. */
#ifndef MPB_WORKLOADS_ATOMIC_H
#define MPB_WORKLOADS_ATOMIC_H

#ifdef __cplusplus
#define MPB_ATOMIC(type) type
#else
#include <stdatomic.h>
#define MPB_ATOMIC(type) _Atomic(type)
#endif

#endif
