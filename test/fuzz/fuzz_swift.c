/* fuzz_swift.c -- libFuzzer target: Swift's mangled names, without the prefix.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/swift_names.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const name = malloc(size + 3);

    if (name == NULL)
        return 0;
    memcpy(name, "$s", 2);
    memcpy(name + 2, data, size);
    name[size + 2] = '\0';
    free(mpdata_swift_demangle(name));
    free(name);
    return 0;
}
