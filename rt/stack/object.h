/* object.h -- one ELF file that is mapped: which one holds an address, and what
 * its headers say. See object.c.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_OBJECT_H
#define MPRT_OBJECT_H

#include "rt/base/rt.h"

#include <link.h>

struct mprt_object {
    uintptr_t start; /* of its mapping */
    uintptr_t end;
    uintptr_t bias;
    const char *name;            /* as the loader has it */
    const uint8_t *eh_frame_hdr; /* or NULL */
};

/* The object whose mapping holds pc. Takes no lock of ours, and none at all
 * where glibc is 2.35 or later. */
bool mprt_object_find(uintptr_t pc, struct mprt_object *object);
/* Its program headers in memory, or NULL where they are not at its start. */
const ElfW(Phdr) *
    mprt_object_headers(const struct mprt_object *object, uint32_t *count);

uint32_t mprt_object_count_code(const ElfW(Phdr) * headers, uint32_t count);
/* Executable segments and build id of the module, whose bias is set: its
 * segments go to segments[0..mprt_object_count_code()). */
void mprt_object_describe(struct mprt_module *module,
                          struct mprt_segment *segments,
                          const ElfW(Phdr) * headers, uint32_t count);
/* The path as far as it can be told: of the main program the loader knows none,
 * and one without a leading slash is relative to where it was loaded from. The
 * vdso has none. */
void mprt_object_path(struct mprt_text *t, const char *name, bool is_main);

#endif
