/* elf.h -- reads build id, executable segments, dynamic section and the kinds
 * of debug information of an ELF file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/build_id.h"
#include "profdata/base/str.h"
#include "shared/err.h"

#define MPDATA_ELF_LOADS_MAX 64

/* An executable PT_LOAD. */
struct mpdata_elf_load {
    uint64_t address; /* p_vaddr */
    uint64_t bytes;   /* p_memsz */
    uint64_t file_off;
};

/* A part of a file; empty (NULL, 0) if the file lacks it. */
struct mpdata_elf_bytes {
    const uint8_t *data;
    size_t size;
};

/* Records of code (shared/code_format.h) and their address. */
struct mpdata_elf_code {
    struct mpdata_elf_bytes bytes;
    uint64_t address;
};

struct mpdata_elf {
    struct mpdata_str build_id; /* raw bytes in the file's data; "": none */
    struct mpdata_elf_load loads[MPDATA_ELF_LOADS_MAX];
    uint32_t load_count;
    /* Sections that may hold the program's own code; at most
     * MPDATA_ELF_LOADS_MAX. */
    struct mpdata_elf_load texts[MPDATA_ELF_LOADS_MAX];
    uint32_t text_count;
    uint64_t entry; /* e_entry; 0: none */
    struct mpdata_elf_code code;
    struct mpdata_elf_code wide_code;
    bool has_lines;      /* this file has line tables */
    bool has_debug_info; /* this file has debug information */
    bool is_cut;         /* the file ends before its section headers */
    const char *link;    /* file name in .gnu_debuglink; NULL: none */
    uint32_t link_crc;   /* CRC-32 in .gnu_debuglink */
    struct mpdata_elf_bytes symbols; /* .symtab */
    struct mpdata_elf_bytes symbol_names;
    struct mpdata_elf_bytes dynamic;
    struct mpdata_elf_bytes dynamic_names;
    struct mpdata_elf_bytes types; /* recorded types (shared/type_format.h) */
};

/* Reads the headers and notes of data[0..size); *elf borrows the data. Accepts
 * 64-bit little-endian files only. Errors: NOT_ELF, TRUNCATED, OFFSET, LIMIT.
 */
MPROF_NODISCARD enum mprof_err mpdata_elf_read(struct mpdata_elf *elf,
                                               const uint8_t *data, size_t size,
                                               struct mprof_diag *diag);
