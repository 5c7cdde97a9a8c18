/* fuzz_mlpd.c -- libFuzzer target: logs of Mono's profiler.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/fuzz/foreign.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_foreign(mpdata_mono_mlpd_is, mpdata_mono_mlpd_read, data, size);
}
