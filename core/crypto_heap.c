/* crypto_heap.c: libcrypto's memory functions over the measured heap. */
#include "core/crypto_heap.h"

#include <openssl/crypto.h>

#include "instrument/heap.h"

static void *crypto_alloc(size_t n_bytes, const char *file, int line)
{
    (void)file, (void)line;
    return n_bytes > 0 ? mpb_heap_alloc(n_bytes) : NULL;
}

static void *crypto_realloc(void *ptr, size_t n_bytes, const char *file, int line)
{
    (void)file, (void)line;
    return mpb_heap_realloc(ptr, n_bytes);
}

static void crypto_free(void *ptr, const char *file, int line)
{
    (void)file, (void)line;
    mpb_heap_free(ptr);
}

bool mpb_crypto_heap_use(void)
{
    CRYPTO_malloc_fn alloc_now = NULL;
    CRYPTO_set_mem_functions(crypto_alloc, crypto_realloc, crypto_free);
    CRYPTO_get_mem_functions(&alloc_now, NULL, NULL);
    return alloc_now == crypto_alloc;
}
