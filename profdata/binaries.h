/* binaries.h -- the program and libraries that were profiled: ELF files on this
 * machine, told apart by build id.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_BINARIES_H
#define MPDATA_BINARIES_H

#include "profdata/profile.h"

#define MPDATA_ELF_LOADS_MAX 64

/* An executable PT_LOAD. */
struct mpdata_elf_load {
    uint64_t address; /* p_vaddr */
    uint64_t bytes;   /* p_memsz */
    uint64_t file_off;
};

struct mpdata_elf {
    struct mpdata_str build_id; /* raw bytes in the file's data; "" for none */
    struct mpdata_elf_load loads[MPDATA_ELF_LOADS_MAX];
    uint32_t load_count;
    bool has_lines; /* line tables in this file, not in one beside it */
};

/* Reads the ELF header, program headers and notes of data[0..size), which the
 * result borrows. 64-bit little-endian only. Errors: NOT_ELF, TRUNCATED,
 * OFFSET, LIMIT. */
MPROF_NODISCARD enum mprof_err mpdata_elf_read(struct mpdata_elf *elf,
                                               const uint8_t *data, size_t size,
                                               struct mprof_diag *diag);

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
};

/* A set of binaries. Zero-initialise; free with mpdata_binaries_fini(). */
struct mpdata_binaries {
    struct mpdata_binary_file *files;
    size_t count;
    bool has_own;
};

/* Adds the ELF file at `path`; *added (may be NULL) is valid until the next
 * addition. Errors: IO and those of mpdata_elf_read(), with diag->file. */
MPROF_NODISCARD enum mprof_err
mpdata_binaries_add(struct mpdata_binaries *binaries, const char *path,
                    bool is_given, const struct mpdata_binary_file **added,
                    struct mprof_diag *diag);
void mpdata_binaries_fini(struct mpdata_binaries *binaries);

/* Adds the libraries that this process itself has loaded, once: the C and C++
 * libraries of most programs are among them, and files that name no paths need
 * them found by build id. What cannot be read is left out. */
void mpdata_binaries_add_own(struct mpdata_binaries *binaries);

/* The binary with this build id (not empty), or NULL. */
const struct mpdata_binary_file *
mpdata_binaries_find(const struct mpdata_binaries *binaries,
                     const char *build_id, size_t size);

/* The binary that was added under this path, or NULL. */
const struct mpdata_binary_file *
mpdata_binaries_find_path(const struct mpdata_binaries *binaries,
                          const char *path);

/* Room for a build id in hexadecimal, as long as those of ld and lld are (a
 * longer one is cut). */
#define MPDATA_BUILD_ID_TEXT_BYTES 65

/* "ebabdc...", or "none". Returns out. */
const char *mpdata_build_id_text(const char *build_id, size_t size,
                                 char out[MPDATA_BUILD_ID_TEXT_BYTES]);

#endif
