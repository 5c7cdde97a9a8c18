/* dwarf.h -- names of addresses by debug information, for what is asked alone:
 * no line table and no tree of a unit is kept.
 *
 * Answers are those of LLVM's reader (symbolizer_llvm.cpp), or none: a unit
 * with anything in it that is not fully understood is left to LLVM. Nothing
 * here is damaged by damaged input.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DWARF_H
#define MPDATA_DWARF_H

#include "profdata/symbols/elf.h"
#include "profdata/symbols/symbols.h"
#include "profdata/base/vec.h"

/* The header of a unit; places are offsets into .debug_info. */
struct mpdata_dwarf_unit {
    uint32_t off;
    uint32_t end;
    uint32_t die_off; /* the unit's own entry */
    uint32_t abbrev_off;
    uint8_t version;
    uint8_t type;   /* DW_UT_... */
    bool is_listed; /* .debug_aranges has its addresses */
};

/* The debug information of a file. Shared by threads once it is open. */
struct mpdata_dwarf {
    const struct mpdata_elf_debug *sections; /* borrowed */
    struct mpdata_vec units;                 /* by offset */
    /* Steps for a unit that is asked for, whatever its size: units may share
     * all that lies outside of them. Set by mpdata_dwarf_assign(). */
    uint64_t unit_steps;
};

/* Steps for so many bytes, and as many addresses: no file takes long. */
static inline uint64_t mpdata_dwarf_steps(uint64_t bytes, uint64_t addresses)
{
    return 64 * bytes + 1024 * addresses;
}

/* Takes steps of those that are left; false where there are too few. */
static inline bool mpdata_dwarf_spend(uint64_t *work, uint64_t steps)
{
    const bool is_enough = steps <= *work;

    *work = is_enough ? *work - steps : 0;
    return is_enough;
}

/* What mpdata_wanted.unit says: the number of the unit + 1, or */
#define MPDATA_DWARF_NO_UNIT 0u      /* no unit has the address */
#define MPDATA_DWARF_LEFT UINT32_MAX /* LLVM is to be asked */

/* Lists the units. False where the file is left to LLVM (or no memory); ends
 * with mpdata_dwarf_fini() in any case. */
bool mpdata_dwarf_open(struct mpdata_dwarf *dwarf,
                       const struct mpdata_elf_debug *sections);
void mpdata_dwarf_fini(struct mpdata_dwarf *dwarf);

/* Sets the unit of each address. They are in order. False as above. */
bool mpdata_dwarf_assign(struct mpdata_dwarf *dwarf,
                         struct mpdata_wanted *wanted, size_t count);

/* The number + 1 of the unit that an offset into .debug_info lies in; 0: none.
 */
uint32_t mpdata_dwarf_unit_of(const struct mpdata_dwarf *dwarf, uint64_t off);

/* How many of the addresses, which are in order, are less than this one. */
size_t mpdata_dwarf_first(const struct mpdata_wanted *wanted, size_t count,
                          uint64_t address);

/* For qsort(): by unit, and within one by address. */
int mpdata_dwarf_by_unit(const void *left, const void *right);

/* Called with the frames of an address, innermost first, at least one; valid
 * during the call. */
typedef void mpdata_dwarf_fn(void *context, const struct mpdata_wanted *wanted,
                             const struct mpdata_symbol *symbols, size_t count);

/* Answers addresses of one unit, which are in order, all or none: false where
 * the unit is left to LLVM (or no memory); then fn was not called. */
bool mpdata_dwarf_unit_find(const struct mpdata_dwarf *dwarf,
                            const struct mpdata_wanted *wanted, size_t count,
                            mpdata_dwarf_fn *fn, void *context);

#endif
