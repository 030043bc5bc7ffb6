/* arena.c: anonymous mappings. */
#include "workloads/arena.h"

#include <sys/mman.h>

void *mpb_arena_map(size_t n_bytes)
{
    void *ptr = mmap(NULL, n_bytes > 0 ? n_bytes : 1, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return ptr == MAP_FAILED ? NULL : ptr;
}

void mpb_arena_unmap(void *ptr, size_t n_bytes)
{
    if (ptr != NULL) {
        munmap(ptr, n_bytes > 0 ? n_bytes : 1);
    }
}
