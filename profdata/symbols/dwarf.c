/* dwarf.c -- the units of a file, and which of them an address belongs to.
 *
 * An address that several units claim is left to LLVM, whose choice depends on
 * their order.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/dwarf.h"
#include "profdata/symbols/dwarf_cursor.h"
#include "profdata/symbols/dwarf_die.h"

#include <string.h>

/* -- units ----------------------------------------------------------------- */

static bool read_unit(struct mprof_cursor *c, struct mpdata_dwarf_unit *unit)
{
    uint64_t length;
    uint64_t address_bytes;

    unit->off = (uint32_t)c->pos;
    length = mpdata_dwarf_uint(c, 4);
    if (length >= DW_LENGTH_RESERVED || length > mprof_cursor_left(c))
        return false;
    unit->end = (uint32_t)(c->pos + length);
    unit->version = (uint8_t)mpdata_dwarf_uint(c, 1);
    if (mpdata_dwarf_uint(c, 1) != 0)
        return false;
    unit->type = DW_UT_compile;
    if (unit->version >= 5) {
        unit->type = (uint8_t)mpdata_dwarf_uint(c, 1);
        address_bytes = mpdata_dwarf_uint(c, 1);
        unit->abbrev_off = (uint32_t)mpdata_dwarf_uint(c, 4);
    } else {
        unit->abbrev_off = (uint32_t)mpdata_dwarf_uint(c, 4);
        address_bytes = mpdata_dwarf_uint(c, 1);
    }
    if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile)
        mpdata_dwarf_skip(c, 8);
    if (unit->type == DW_UT_type || unit->type == DW_UT_split_type)
        mpdata_dwarf_skip(c, 8 + DW_OFFSET_BYTES);
    unit->die_off = (uint32_t)c->pos;
    return c->err == MPROF_E_OK && unit->die_off < unit->end &&
           unit->version >= DW_VERSION_MIN && unit->version <= DW_VERSION_MAX &&
           address_bytes == DW_ADDRESS_BYTES && unit->type >= DW_UT_compile &&
           unit->type <= DW_UT_split_type;
}

bool mpdata_dwarf_open(struct mpdata_dwarf *dwarf,
                       const struct mpdata_elf_debug *sections)
{
    struct mprof_cursor c = mprof_cursor_over(
        sections->info.data, sections->info.size, 0, "debug information");

    *dwarf = (struct mpdata_dwarf){
        .sections = sections,
        .units = {.elem_bytes = sizeof(struct mpdata_dwarf_unit)}};
    if (sections->is_indirect || sections->info.size >= UINT32_MAX ||
        sections->info.size == 0)
        return false;
    while (mprof_cursor_left(&c) != 0) {
        struct mpdata_dwarf_unit *const unit =
            (struct mpdata_dwarf_unit *)mpdata_vec_push(&dwarf->units);

        if (unit == NULL || !read_unit(&c, unit))
            return false;
        mprof_cursor_seek(&c, unit->end);
    }
    return c.err == MPROF_E_OK;
}

void mpdata_dwarf_fini(struct mpdata_dwarf *dwarf)
{
    mpdata_vec_fini(&dwarf->units);
}

static struct mpdata_dwarf_unit *unit_rows(const struct mpdata_dwarf *dwarf)
{
    return (struct mpdata_dwarf_unit *)dwarf->units.data;
}

/* The number + 1 of the unit that an offset lies in; 0: none. */
uint32_t mpdata_dwarf_unit_of(const struct mpdata_dwarf *dwarf, uint64_t off)
{
    const struct mpdata_dwarf_unit *const rows = unit_rows(dwarf);
    uint32_t low = 0;
    uint32_t high = dwarf->units.count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (rows[middle].end <= off)
            low = middle + 1;
        else
            high = middle;
    }
    return low < dwarf->units.count && rows[low].off <= off ? low + 1 : 0;
}

/* -- addresses ------------------------------------------------------------- */

size_t mpdata_dwarf_first(const struct mpdata_wanted *wanted, size_t count,
                          uint64_t address)
{
    return mpdata_vec_first(wanted, count, sizeof(*wanted),
                            offsetof(struct mpdata_wanted, address), address);
}

int mpdata_dwarf_by_unit(const void *left, const void *right)
{
    const struct mpdata_wanted *const a = (const struct mpdata_wanted *)left;
    const struct mpdata_wanted *const b = (const struct mpdata_wanted *)right;

    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

struct addresses {
    struct mpdata_wanted *wanted;
    size_t count;
    uint64_t work; /* steps that are left, so that no file takes long */
};

static bool claim(struct addresses *a, uint32_t unit, uint64_t low,
                  uint64_t high)
{
    const size_t first = mpdata_dwarf_first(a->wanted, a->count, low);
    size_t i = first;

    for (; i < a->count && a->wanted[i].address < high; i++) {
        uint32_t *const owner = &a->wanted[i].unit;

        if (*owner == MPDATA_DWARF_NO_UNIT)
            *owner = unit + 1;
        else if (*owner != unit + 1)
            *owner = MPDATA_DWARF_LEFT;
    }
    return mpdata_dwarf_spend(&a->work, i - first);
}

/* The ranges of one unit in .debug_aranges: pairs of address and length, the
 * first at a multiple of their size, the last one zero. */
static bool read_set(struct mprof_cursor *c, const struct mpdata_dwarf *dwarf,
                     struct addresses *a)
{
    const size_t start = c->pos;
    const uint64_t length = mpdata_dwarf_uint(c, 4);
    const size_t end = c->pos + (size_t)length;
    uint32_t unit;

    if (length >= DW_LENGTH_RESERVED || length > mprof_cursor_left(c) ||
        mpdata_dwarf_uint(c, 2) != 2)
        return false;
    const uint64_t off = mpdata_dwarf_uint(c, 4);
    unit = mpdata_dwarf_unit_of(dwarf, off);
    if (unit-- == 0 || unit_rows(dwarf)[unit].off != off ||
        mpdata_dwarf_uint(c, 1) != DW_ADDRESS_BYTES ||
        mpdata_dwarf_uint(c, 1) != 0)
        return false;
    unit_rows(dwarf)[unit].is_listed = true;
    mprof_cursor_seek(
        c, start + mprof_round_up(c->pos - start, 2 * DW_ADDRESS_BYTES));
    for (;;) {
        const uint64_t low = mpdata_dwarf_uint(c, DW_ADDRESS_BYTES);
        const uint64_t bytes = mpdata_dwarf_uint(c, DW_ADDRESS_BYTES);

        if (c->err != MPROF_E_OK || c->pos > end || low + bytes < low)
            return false;
        if (low == 0 && bytes == 0)
            break;
        if (!claim(a, unit, low, low + bytes))
            return false;
    }
    return c->pos == end;
}

/* Those of a unit that is not in .debug_aranges, by its entry. */
static bool read_own(const struct mpdata_dwarf *dwarf, uint32_t unit,
                     struct addresses *a, struct mpdata_vec *ranges)
{
    const struct mpdata_dwarf_range *rows;
    struct mpdata_dwarf_cu cu;
    bool is_read = mpdata_dwarf_die_cu_open(&cu, dwarf, &unit_rows(dwarf)[unit],
                                            false, &a->work) &&
                   mpdata_dwarf_die_ranges(&cu, &cu.die, ranges, &a->work);

    mpdata_dwarf_die_cu_fini(&cu);
    rows = (const struct mpdata_dwarf_range *)ranges->data;
    for (uint32_t i = 0; is_read && i < ranges->count; i++)
        is_read = claim(a, unit, rows[i].low, rows[i].high);
    ranges->count = 0;
    return is_read;
}

/* The bytes that the reader goes through. */
static uint64_t bytes_read(const struct mpdata_elf_debug *sections)
{
    return (uint64_t)sections->info.size + sections->abbrev.size +
           sections->line.size + sections->aranges.size +
           sections->ranges.size + sections->rnglists.size;
}

bool mpdata_dwarf_assign(struct mpdata_dwarf *dwarf,
                         struct mpdata_wanted *wanted, size_t count)
{
    const struct mpdata_elf_bytes *const aranges = &dwarf->sections->aranges;
    struct mprof_cursor c =
        mprof_cursor_over(aranges->data, aranges->size, 0, "address ranges");
    struct mpdata_vec ranges = {.elem_bytes =
                                    sizeof(struct mpdata_dwarf_range)};
    struct addresses a = {
        .wanted = wanted,
        .count = count,
        .work = mpdata_dwarf_steps(bytes_read(dwarf->sections), count)};
    const uint64_t asked = mprof_min_u64(dwarf->units.count, count);
    bool is_read = true;

    dwarf->unit_steps = a.work / mprof_max_u64(asked, 1);

    for (size_t i = 0; i < count; i++)
        wanted[i].unit = MPDATA_DWARF_NO_UNIT;
    while (is_read && mprof_cursor_left(&c) != 0)
        is_read = read_set(&c, dwarf, &a);
    for (uint32_t i = 0; is_read && i < dwarf->units.count; i++) {
        const struct mpdata_dwarf_unit *const unit = &unit_rows(dwarf)[i];

        if (!unit->is_listed && unit->type != DW_UT_type &&
            unit->type != DW_UT_split_type)
            is_read = read_own(dwarf, i, &a, &ranges);
    }
    mpdata_vec_fini(&ranges);
    return is_read;
}
