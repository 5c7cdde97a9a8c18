/* binaries.h -- the program and libraries that were profiled: ELF files on this
 * machine, identified by build id.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/set.h"
#include "profdata/symbols/code.h"
#include "profdata/symbols/debugfile.h"
#include "profdata/symbols/elf.h"

struct mpdata_binary_file {
    char *path;
    char *build_id; /* raw bytes */
    size_t build_id_size;
    struct mpdata_elf_load loads[MPDATA_ELF_LOADS_MAX];
    uint32_t load_count;
    bool is_given;  /* the user named it; it was not found by a recorded path */
    bool is_broken; /* its debug information could not be read */
    bool is_program; /* the main program of a dump */
    bool has_lines;
    bool has_debug_info; /* in the file itself */
    bool is_cut;         /* the file ends too early */
    char *link;          /* name in .gnu_debuglink, or NULL */
    uint32_t link_crc;
    uint64_t stamp; /* changes when the file is rewritten */
    uint64_t device;
    uint64_t inode; /* 0: unknown */
    struct mpdata_code code;
    bool is_partly_told; /* the warning about uncounted code was printed */
    bool is_debug_sought;
    struct mpdata_debugfile debug; /* valid if is_debug_sought */
};

/* A set of binaries. Zero-initialize; free with mpdata_binaries_fini(). */
struct mpdata_binaries {
    struct mpdata_binary_file *files;
    size_t count;
    size_t capacity;
    struct mpdata_map paths; /* path to the first file with that path */
    struct mpdata_map build_ids;
    struct mpdata_map inodes;
    struct mpdata_debug_dirs debug; /* directories and servers of debug files */
    /* Number of files whose libraries were added (shared_libs.c). */
    size_t needed;
    struct mpdata_set missing; /* build ids that were not found (binaries.c) */
};

/* Adds the ELF file at `path`. Sets *added (may be NULL) to it, valid until the
 * next addition. Errors: IO and those of mpdata_elf_read(), with diag->file. */
MPROF_NODISCARD enum mprof_err
mpdata_binaries_add(struct mpdata_binaries *binaries, const char *path,
                    bool is_given, const struct mpdata_binary_file **added,
                    struct mprof_diag *diag);
void mpdata_binaries_fini(struct mpdata_binaries *binaries);

/* Adds a binary, or all ELF files directly in a directory; skips its other
 * files and its subdirectories. */
MPROF_NODISCARD enum mprof_err
mpdata_binaries_add_given(struct mpdata_binaries *binaries, const char *path,
                          struct mprof_diag *diag);

/* Adds the file with this build id from the directories of debug files or from
 * a server: the binary itself or its debug file, which has the segments too.
 * Returns NULL if there is none. */
const struct mpdata_binary_file *
mpdata_binaries_fetch(struct mpdata_binaries *binaries, const char *build_id,
                      size_t size);

/* Returns the debug file of a binary; searches once. */
const struct mpdata_debugfile *
mpdata_binaries_debug(struct mpdata_binaries *binaries, size_t index,
                      const struct mpdata_diag_warn *warn);

/* Returns the binary with this build id (not empty), or NULL. Prefers one with
 * debug information. */
const struct mpdata_binary_file *
mpdata_binaries_find(const struct mpdata_binaries *binaries,
                     const char *build_id, size_t size);

/* Returns the binary that was added under this path or has the same inode, or
 * NULL. */
const struct mpdata_binary_file *
mpdata_binaries_find_path(const struct mpdata_binaries *binaries,
                          const char *path);
