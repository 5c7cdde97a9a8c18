/* fuzz_heaptrack.c -- libFuzzer target: files of heaptrack.
 *
 * An accepted input is brought into canonical order and written. It must take
 * no more memory than 32 times its size and 64 MiB.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/fuzz/foreign.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_foreign(mpdata_heaptrack_is, mpdata_heaptrack_read, data, size);
}
