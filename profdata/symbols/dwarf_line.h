/* dwarf_line.h -- line tables: file names, and the rows of the addresses that
 * are asked for; no other row is kept.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DWARF_LINE_H
#define MPDATA_DWARF_LINE_H

#include "profdata/symbols/dwarf_die.h"

struct mpdata_dwarf_file {
    const char *name;
    const char *path; /* made when it is first asked for */
    uint64_t directory;
};

/* The header of a unit's line table. */
struct mpdata_dwarf_lines {
    uint32_t version;
    uint32_t min_bytes; /* of an instruction */
    int32_t line_base;
    uint32_t line_range;
    uint32_t opcode_base;
    const uint8_t *lengths; /* of opcode 1 and so on */
    size_t program_off;     /* in .debug_line */
    size_t program_end;
    const char **directories;
    uint64_t directory_count;
    struct mpdata_dwarf_file *files;
    uint64_t file_count;
};

/* What the table says of an address. */
struct mpdata_dwarf_row {
    uint32_t file;
    uint32_t line;
    uint32_t column;
    uint32_t discriminator;
};

/* An address on its way through the table. */
struct mpdata_dwarf_hit {
    uint64_t end; /* of the sequence that has it; UINT64_MAX: none yet */
    struct mpdata_dwarf_row row;
    struct mpdata_dwarf_row next; /* of a sequence whose end is not known yet */
    bool has_row;
    bool is_doubtful; /* its sequence goes back and forth */
};

/* Reads the header of a unit's table into the arena, once; cu->lines stays NULL
 * where the unit has none. False where it is left to LLVM, as in dwarf_die.h.
 * It spends steps of *work. */
bool mpdata_dwarf_line_open(struct mpdata_dwarf_cu *cu,
                            struct mpdata_arena *arena, uint64_t *work);

/* The path of a file by its number, in the arena; *path is NULL where the table
 * has none. */
bool mpdata_dwarf_line_path(struct mpdata_dwarf_cu *cu, uint64_t number,
                            struct mpdata_arena *arena, const char **path);

/* Runs the table for the addresses, which are in order; hits, one an address,
 * are zero. It spends steps of *work. */
bool mpdata_dwarf_line_run(const struct mpdata_dwarf_cu *cu,
                           const struct mpdata_wanted *wanted, size_t count,
                           struct mpdata_dwarf_hit *hits, uint64_t *work);

#endif
