/* dwarf_die.h -- units and their entries (DIEs): abbreviations, attributes,
 * address ranges. All functions that return bool return false for what is not
 * understood, or without memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DWARF_DIE_H
#define MPDATA_DWARF_DIE_H

#include "profdata/base/arena.h"
#include "profdata/symbols/dwarf.h"
#include "profdata/symbols/dwarf_format.h"
#include "shared/cursor.h"

struct mpdata_dwarf_value {
    uint64_t number;
    uint8_t kind;     /* enum mpdata_dwarf_class */
    bool is_implicit; /* stands in the abbreviation */
};

/* The attributes of an entry that are looked at, by name. */
struct mpdata_dwarf_die {
    uint64_t off;
    uint32_t tag; /* 0: the end of a list of siblings */
    bool has_children;
#define MPDATA_DWARF_MEMBER(name, number) struct mpdata_dwarf_value name;
    DW_ATTRIBUTES(MPDATA_DWARF_MEMBER)
#undef MPDATA_DWARF_MEMBER
};

struct mpdata_dwarf_attribute {
    int64_t constant; /* of DW_FORM_implicit_const */
    uint16_t name;
    uint8_t form;
};

/* How to skip values: so many bytes, then one whose size it says itself. */
struct mpdata_dwarf_step {
    uint16_t bytes;
    int8_t size; /* DW_SIZE_...; 0: no such value */
};

struct mpdata_dwarf_abbrev {
    uint32_t tag;
    uint32_t first; /* into the attributes */
    uint32_t count;
    uint32_t first_step;
    uint32_t step_count;
    bool has_children;
};

struct mpdata_dwarf_abbrevs {
    struct mpdata_vec rows;       /* by code - 1 */
    struct mpdata_vec attributes; /* of all rows */
    struct mpdata_vec steps;      /* so too */
};

struct mpdata_dwarf_lines; /* dwarf_line.h */

/* A unit that is being read. */
struct mpdata_dwarf_cu {
    const struct mpdata_dwarf *dwarf;
    const struct mpdata_dwarf_unit *unit;
    struct mpdata_dwarf_abbrevs abbrevs;
    struct mpdata_dwarf_die die; /* the unit's own */
    const char *directory;       /* of compilation; NULL: unknown */
    uint64_t base;               /* of range lists */
    bool has_base;
    bool is_split;                    /* the rest is in another file */
    struct mpdata_dwarf_lines *lines; /* where they were read; in the arena */
    uint64_t used;                    /* when, for the cache of units */
};

/* Reads the abbreviations and the entry of a unit; of the abbreviations only
 * what that takes, unless is_whole. It spends steps of *work. End with fini, in
 * any case. */
bool mpdata_dwarf_die_cu_open(struct mpdata_dwarf_cu *cu,
                              const struct mpdata_dwarf *dwarf,
                              const struct mpdata_dwarf_unit *unit,
                              bool is_whole, uint64_t *work);
void mpdata_dwarf_die_cu_fini(struct mpdata_dwarf_cu *cu);

/* A cursor over the unit, at `off` in the section. */
struct mprof_cursor mpdata_dwarf_die_cu_at(const struct mpdata_dwarf_cu *cu,
                                           uint64_t off);

/* The abbreviation of the next entry; *abbrev is NULL at the end of a list of
 * siblings. */
bool mpdata_dwarf_die_next(const struct mpdata_dwarf_cu *cu,
                           struct mprof_cursor *c,
                           const struct mpdata_dwarf_abbrev **abbrev);

/* Skips its values. */
bool mpdata_dwarf_die_skip(const struct mpdata_dwarf_cu *cu,
                           struct mprof_cursor *c,
                           const struct mpdata_dwarf_abbrev *abbrev);

/* The next entry of a function, inlined or not: its abbreviation and offset;
 * the cursor is at its values. *depth counts the lists of siblings that are
 * open. Ends as well where it falls below `floor`, which is not 0: *abbrev is
 * NULL. */
bool mpdata_dwarf_die_next_function(const struct mpdata_dwarf_cu *cu,
                                    struct mprof_cursor *c, uint32_t floor,
                                    uint32_t *depth,
                                    const struct mpdata_dwarf_abbrev **abbrev,
                                    uint64_t *off);

/* Reads values, of those that ranges take: low_pc, high_pc, ranges. */
bool mpdata_dwarf_die_pcs(const struct mpdata_dwarf_cu *cu,
                          struct mprof_cursor *c,
                          const struct mpdata_dwarf_abbrev *abbrev,
                          struct mpdata_dwarf_die *die);

/* Reads the entry at an offset into the section. */
bool mpdata_dwarf_die_at(const struct mpdata_dwarf_cu *cu, uint64_t off,
                         struct mpdata_dwarf_die *die);

/* *text: NULL where the attribute is absent. */
bool mpdata_dwarf_die_text(const struct mpdata_dwarf_cu *cu,
                           const struct mpdata_dwarf_value *value,
                           const char **text);
/* 0 where it is absent. */
bool mpdata_dwarf_die_number(const struct mpdata_dwarf_value *value,
                             uint64_t *number);
/* An offset into another section. It is there. */
bool mpdata_dwarf_die_offset(const struct mpdata_dwarf_cu *cu,
                             const struct mpdata_dwarf_value *value,
                             uint64_t *off);

struct mpdata_dwarf_range {
    uint64_t low;
    uint64_t high; /* > low */
};

/* Adds the addresses of an entry to a vec of struct mpdata_dwarf_range. It
 * spends steps of *work. */
bool mpdata_dwarf_die_ranges(const struct mpdata_dwarf_cu *cu,
                             const struct mpdata_dwarf_die *die,
                             struct mpdata_vec *ranges, uint64_t *work);

/* A value by its form. */
bool mpdata_dwarf_die_value(struct mprof_cursor *c, uint64_t form,
                            int64_t constant, struct mpdata_dwarf_value *value);

/* A text that ends in the section. */
const char *mpdata_dwarf_die_text_at(const struct mpdata_elf_bytes *section,
                                     uint64_t off);

#endif
