/* fuzz_view.c: libFuzzer target for the strict scan and the view decoder; see fuzz/run. */
#include <stdlib.h>

#include "core/fuzz/fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpb_bytes wire = {data, size};
    if (!mpb_fuzz_check_view(wire)) {
        abort();
    }
    return 0;
}
