/* fuzz_mono_log.c -- libFuzzer target: logs of Mono's first profiler.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/fuzz/foreign.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_foreign(mpdata_mono_first_is, mpdata_mono_first_read, data,
                        size);
}
