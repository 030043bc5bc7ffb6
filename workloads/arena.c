/* arena.c: anonymous mappings. */
#include "workloads/arena.h"

#include <sys/mman.h>

static void *map(size_t n_bytes, int sharing)
{
    void *ptr = mmap(NULL, n_bytes > 0 ? n_bytes : 1, PROT_READ | PROT_WRITE,
                     sharing | MAP_ANONYMOUS, -1, 0);
    return ptr == MAP_FAILED ? NULL : ptr;
}

void *mpb_arena_map(size_t n_bytes)
{
    return map(n_bytes, MAP_PRIVATE);
}

void *mpb_arena_map_shared(size_t n_bytes)
{
    return map(n_bytes, MAP_SHARED);
}

void mpb_arena_unmap(void *ptr, size_t n_bytes)
{
    if (ptr != NULL) {
        munmap(ptr, n_bytes > 0 ? n_bytes : 1);
    }
}
