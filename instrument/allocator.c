/* allocator.c: jemalloc's per-thread totals, with the self-test that makes them trustworthy. */
#include "instrument/allocator.h"

#include <stdlib.h>

#if MPB_HAVE_JEMALLOC
#include <jemalloc/jemalloc.h>

/* The compiler may delete a malloc whose result is not used: the pointer escapes through here. */
static void *volatile self_test_escape;

static bool totals_move(const struct mpb_allocator *a)
{
    uint64_t before = *(const volatile uint64_t *)a->allocated;
    self_test_escape = malloc(1000);
    uint64_t after = *(const volatile uint64_t *)a->allocated;
    free(self_test_escape);
    return after - before >= 1000;
}

enum mpb_status mpb_allocator_open(struct mpb_allocator *out, struct mpb_error *err)
{
    struct mpb_allocator a = {NULL, NULL};
    size_t size = sizeof(a.allocated);
    if (mallctl("thread.allocatedp", &a.allocated, &size, NULL, 0) != 0 ||
        mallctl("thread.deallocatedp", &a.deallocated, &size, NULL, 0) != 0) {
        return mpb_error_set(err, MPB_E_UNAVAILABLE, "allocator", "jemalloc has no thread totals");
    }
    if (!totals_move(&a)) {
        return mpb_error_set(err, MPB_E_UNAVAILABLE, "allocator",
                             "an allocation did not move jemalloc's totals: malloc is replaced");
    }
    *out = a;
    return MPB_OK;
}

struct mpb_allocator_totals mpb_allocator_read(const struct mpb_allocator *allocator)
{
    return (struct mpb_allocator_totals){*(const volatile uint64_t *)allocator->allocated,
                                         *(const volatile uint64_t *)allocator->deallocated};
}

const char *mpb_allocator_version(void)
{
    return "jemalloc " JEMALLOC_VERSION;
}

#else

enum mpb_status mpb_allocator_open(struct mpb_allocator *out, struct mpb_error *err)
{
    (void)out;
    return mpb_error_set(err, MPB_E_UNAVAILABLE, "allocator",
                         "this build uses the sanitizer's malloc, which keeps no totals");
}

struct mpb_allocator_totals mpb_allocator_read(const struct mpb_allocator *allocator)
{
    (void)allocator;
    return (struct mpb_allocator_totals){0, 0};
}

const char *mpb_allocator_version(void)
{
    return "sanitizer's malloc";
}
#endif
