/* references.h -- the names that a mapped binary takes from other binaries. Any
 * thread; takes no lock.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

#include <link.h>

struct mprt_reference {
    const char *name;
    unsigned bit;
};
/* The bits of those names that relocations of the binary refer to. */
unsigned mprt_references_find(uintptr_t bias, const ElfW(Phdr) * headers,
                              uint32_t count,
                              const struct mprt_reference *names,
                              size_t names_count);
