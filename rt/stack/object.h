/* object.h -- one ELF file that is mapped: which one holds an address, and what
 * its headers say. Any thread; takes no lock of ours.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_OBJECT_H
#define MPRT_OBJECT_H

#include "rt/base/textbuf.h"

#include <link.h>

/* What a profile says of it. */
#define MPRT_BUILD_ID_BYTES_MAX 64
struct mprt_segment {
    uintptr_t start;
    uintptr_t end;
    uint64_t file_off;
};
struct mprt_module {
    const char *path; /* absolute; "" for the vdso */
    uint8_t build_id[MPRT_BUILD_ID_BYTES_MAX];
    uint32_t build_id_bytes;
    uintptr_t bias;
    uint32_t flags;                      /* MPROF_RAW_MODULE_FL_* */
    const struct mprt_segment *segments; /* executable ones */
    uint32_t segment_count;
};

/* One that the loader knows. */
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
/* Remembers the main program's path. */
void mprt_object_init(void);
/* The path of the main program, which the loader does not know: where its file
 * is now, or was at the start if it is gone or out of reach. t is empty. */
void mprt_object_main_path(struct mprt_textbuf *t);
/* The path of another object by the loader's name and an address in it; the
 * name may be relative to a directory that the program has left. The vdso has
 * none. t is empty. */
void mprt_object_path(struct mprt_textbuf *t, const char *name,
                      uintptr_t address);

#endif
