/* binaries.h -- the program and libraries that were profiled: ELF files on this
 * machine, told apart by build id.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_BINARIES_H
#define MPDATA_BINARIES_H

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
    bool is_given;   /* by the user, not found by a path in a profile */
    bool is_broken;  /* LLVM cannot read it */
    bool is_program; /* the main program of a dump */
    bool has_lines;
    bool has_debug_info; /* in the file itself */
    char *link;          /* .gnu_debuglink, or NULL */
    uint32_t link_crc;
    uint64_t stamp; /* of the file: differs when it was written again */
    uint64_t device;
    uint64_t inode; /* 0: unknown */
    struct mpdata_code code;
    bool is_partly_told; /* the user knows that code does not count */
    bool is_debug_sought;
    struct mpdata_debugfile debug; /* valid once it was sought */
};

/* A set of binaries. Zero-initialise; free with mpdata_binaries_fini(). */
struct mpdata_binaries {
    struct mpdata_binary_file *files;
    size_t count;
    size_t capacity;
    struct mpdata_map paths; /* the first file of each */
    struct mpdata_map build_ids;
    struct mpdata_map inodes;
    struct mpdata_debug_dirs debug; /* where else to look */
    size_t needed; /* files whose libraries were added: shared_libs.c */
    struct mpdata_set missing; /* build ids that nobody has: binaries.c */
};

/* Adds the ELF file at `path`; *added (may be NULL) is valid until the next
 * addition. Errors: IO and those of mpdata_elf_read(), with diag->file. */
MPROF_NODISCARD enum mprof_err
mpdata_binaries_add(struct mpdata_binaries *binaries, const char *path,
                    bool is_given, const struct mpdata_binary_file **added,
                    struct mprof_diag *diag);
void mpdata_binaries_fini(struct mpdata_binaries *binaries);

/* Adds a binary, or all that lie in a directory (not below it; what is no ELF
 * file there is left out). */
MPROF_NODISCARD enum mprof_err
mpdata_binaries_add_given(struct mpdata_binaries *binaries, const char *path,
                          struct mprof_diag *diag);

/* Adds a file with this build id that a directory of debug files or a server
 * has: the binary itself, or its debug information, which knows the segments
 * too. NULL if there is none. */
const struct mpdata_binary_file *
mpdata_binaries_fetch(struct mpdata_binaries *binaries, const char *build_id,
                      size_t size);

/* Where the debug information of a binary is; sought once. */
const struct mpdata_debugfile *
mpdata_binaries_debug(struct mpdata_binaries *binaries, size_t index,
                      const struct mpdata_diag_warn *warn);

/* The binary with this build id (not empty), or NULL. */
const struct mpdata_binary_file *
mpdata_binaries_find(const struct mpdata_binaries *binaries,
                     const char *build_id, size_t size);

/* The binary that was added under this path, or else the one that is the same
 * file, or NULL. */
const struct mpdata_binary_file *
mpdata_binaries_find_path(const struct mpdata_binaries *binaries,
                          const char *path);

#endif
