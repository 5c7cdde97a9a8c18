/* object.h -- one mapped ELF file: which file holds an address, and what its
 * headers say. Any thread; takes no lock of ours.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/log.h"
#include "shared/note.h"

#include <link.h>

/* A binary as a profile describes it. */
struct mprt_segment {
    uintptr_t start;
    uintptr_t end;
    uint64_t file_off;
};
struct mprt_module {
    const char *path; /* absolute; "" for the vdso */
    uint8_t build_id[MPROF_BUILD_ID_BYTES_MAX];
    uint32_t build_id_bytes;
    uintptr_t bias;
    uint32_t flags;                      /* MPROF_RAW_MODULE_FL_* */
    const struct mprt_segment *segments; /* executable ones */
    uint32_t segment_count;
};

/* An ELF file that the dynamic linker knows. */
struct mprt_object {
    uintptr_t start; /* bounds of the mapping */
    uintptr_t end;
    uintptr_t bias;
    const char *name;            /* as the dynamic linker has it */
    const uint8_t *eh_frame_hdr; /* or NULL */
};

/* Finds the object whose mapping holds pc. Takes no lock of ours, and none at
 * all with glibc 2.35 or later. */
bool mprt_object_find(uintptr_t pc, struct mprt_object *object);
/* Program headers of the object in memory, or NULL if they are not in its first
 * segment. */
const ElfW(Phdr) *
    mprt_object_headers(const struct mprt_object *object, uint32_t *count);

uint32_t mprt_object_count_code(const ElfW(Phdr) * headers, uint32_t count);
/* Sets the executable segments and the build id of a binary whose bias is set.
 * The segments go to segments[0..mprt_object_count_code()). */
void mprt_object_describe(struct mprt_module *module,
                          struct mprt_segment *segments,
                          const ElfW(Phdr) * headers, uint32_t count);
/* Remembers the path of the main program. Called once. */
void mprt_object_init(void);
/* Writes the path of the main program, which the dynamic linker does not know:
 * the current path of its file, or the path at the start if the file is deleted
 * or out of reach. t is empty. */
void mprt_object_main_path(struct mprt_textbuf *t);
/* Writes the path of another object. `name` is the dynamic linker's name, which
 * may be relative to a directory that the program has left; `address` is in the
 * object. Writes nothing for the vdso. t is empty. */
void mprt_object_path(struct mprt_textbuf *t, const char *name,
                      uintptr_t address);
