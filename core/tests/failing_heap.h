/* failing_heap.h: makes the k-th allocation of the code under test fail. For tests linked with
 * -Wl,--wrap=malloc; one file of such a test includes it. */
#ifndef MPB_CORE_TESTS_FAILING_HEAP_H
#define MPB_CORE_TESTS_FAILING_HEAP_H

#include <stdbool.h>
#include <stddef.h>

void *__real_malloc(size_t n_bytes);
void *__wrap_malloc(size_t n_bytes);

static struct {
    size_t n_allocs; /* since failing_heap_at() */
    size_t fail_at;  /* which of them fails, counted from 1; 0: none */
} failing_heap;

void *__wrap_malloc(size_t n_bytes)
{
    if (++failing_heap.n_allocs == failing_heap.fail_at) {
        return NULL;
    }
    return __real_malloc(n_bytes);
}

static inline void failing_heap_at(size_t fail_at)
{
    failing_heap.n_allocs = 0;
    failing_heap.fail_at = fail_at;
}

/* No more failures; true if one happened. */
static inline bool failing_heap_end(void)
{
    bool fired = failing_heap.fail_at > 0 && failing_heap.n_allocs >= failing_heap.fail_at;
    failing_heap.fail_at = 0;
    return fired;
}

#endif
