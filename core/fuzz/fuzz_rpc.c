/* fuzz_rpc.c: libFuzzer target for the RPC reader and writers; see fuzz/run. */
#include <stdlib.h>

#include "core/fuzz/fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpb_bytes rpc = {data, size};
    if (!mpb_fuzz_check_rpc(rpc)) {
        abort();
    }
    return 0;
}
