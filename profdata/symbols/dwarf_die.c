/* dwarf_die.c -- entries of debug information.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/dwarf_die.h"
#include "profdata/symbols/dwarf_cursor.h"

#include <string.h>

/* Codes count from 1 in tables that compilers make, and entries have no more
 * than some 30 attributes. */
#define CODE_MAX (1u << 20)
#define ATTRIBUTES_MAX 256u

struct form {
    int8_t size;
    uint8_t kind;
    bool is_known;
};

static const struct form forms[DW_FORM_END] = {
#define FORM(name, number, bytes, class) \
    [number] = {                         \
        .size = (bytes), .kind = MPDATA_DWARF_##class, .is_known = true},
    DW_FORMS(FORM)
#undef FORM
};

/* -- forms ----------------------------------------------------------------- */

static bool is_known(uint64_t form)
{
    return form < DW_FORM_END && forms[form].is_known;
}

static void skip_string(struct mprof_cursor *c)
{
    const void *const end = mprof_cursor_left(c) != 0
                                ? memchr(c->data + c->pos, 0, c->size - c->pos)
                                : NULL;

    if (end == NULL)
        mprof_cursor_fail(c, MPROF_E_TRUNCATED);
    else
        c->pos = (size_t)((const uint8_t *)end - c->data) + 1;
}

/* Skips a value whose size it says itself. */
static void skip_sized(struct mprof_cursor *c, int8_t size)
{
    switch (size) {
    case DW_SIZE_ULEB:
        (void)mpdata_dwarf_uleb(c);
        break;
    case DW_SIZE_SLEB:
        (void)mpdata_dwarf_sleb(c);
        break;
    case DW_SIZE_STRING:
        skip_string(c);
        break;
    case DW_SIZE_BLOCK1:
        mpdata_dwarf_skip(c, mpdata_dwarf_uint(c, 1));
        break;
    case DW_SIZE_BLOCK2:
        mpdata_dwarf_skip(c, mpdata_dwarf_uint(c, 2));
        break;
    case DW_SIZE_BLOCK4:
        mpdata_dwarf_skip(c, mpdata_dwarf_uint(c, 4));
        break;
    default:
        mpdata_dwarf_skip(c, mpdata_dwarf_uleb(c));
        break;
    }
}

static void skip_form(struct mprof_cursor *c, uint8_t form)
{
    if (forms[form].size < 0)
        skip_sized(c, forms[form].size);
    else
        mpdata_dwarf_skip(c, (uint64_t)forms[form].size);
}

bool mpdata_dwarf_die_value(struct mprof_cursor *c, uint64_t form,
                            int64_t constant, struct mpdata_dwarf_value *value)
{
    if (!is_known(form))
        return false;
    value->kind = forms[form].kind;
    value->is_implicit = form == DW_FORM_implicit_const;
    if (form == DW_FORM_implicit_const)
        value->number = (uint64_t)constant;
    else if (value->kind == MPDATA_DWARF_OTHER)
        skip_form(c, (uint8_t)form);
    else if (form == DW_FORM_string) {
        value->number = c->pos;
        skip_string(c);
    } else if (forms[form].size == DW_SIZE_ULEB)
        value->number = mpdata_dwarf_uleb(c);
    else
        value->number = mpdata_dwarf_uint(c, (unsigned)forms[form].size);
    return c->err == MPROF_E_OK;
}

/* -- abbreviations --------------------------------------------------------- */

/* How to skip one more value of the last abbreviation. */
static bool add_step(struct mpdata_dwarf_abbrevs *abbrevs,
                     struct mpdata_dwarf_abbrev *row, uint64_t form)
{
    struct mpdata_dwarf_step *step = NULL;

    if (row->step_count != 0)
        step = (struct mpdata_dwarf_step *)abbrevs->steps.data +
               (abbrevs->steps.count - 1);
    if (step == NULL || step->size != 0) {
        step = (struct mpdata_dwarf_step *)mpdata_vec_push(&abbrevs->steps);
        if (step == NULL)
            return false;
        row->step_count++;
    }
    if (forms[form].size < 0)
        step->size = forms[form].size;
    else
        step->bytes += (uint16_t)forms[form].size;
    return true;
}

/* The attributes of one abbreviation. */
static bool read_attributes(struct mprof_cursor *c,
                            struct mpdata_dwarf_abbrevs *abbrevs,
                            struct mpdata_dwarf_abbrev *row)
{
    row->first = abbrevs->attributes.count;
    row->first_step = abbrevs->steps.count;
    for (;;) {
        const uint64_t name = mpdata_dwarf_uleb(c);
        const uint64_t form = mpdata_dwarf_uleb(c);
        struct mpdata_dwarf_attribute *attribute;

        if (c->err != MPROF_E_OK)
            return false;
        if (name == 0 && form == 0)
            return true;
        if (name == 0 || name > UINT16_MAX || !is_known(form) ||
            row->count == ATTRIBUTES_MAX)
            return false;
        attribute = (struct mpdata_dwarf_attribute *)mpdata_vec_push(
            &abbrevs->attributes);
        if (attribute == NULL)
            return false;
        attribute->name = (uint16_t)name;
        attribute->form = (uint8_t)form;
        if (form == DW_FORM_implicit_const)
            attribute->constant = mpdata_dwarf_sleb(c);
        row->count++;
        if (!add_step(abbrevs, row, form))
            return false;
    }
}

/* The row of a code; rows of codes that never come stay without a tag. A gap
 * costs memory, so only small ones are taken. */
static struct mpdata_dwarf_abbrev *
add_abbrev(struct mpdata_dwarf_abbrevs *abbrevs, uint64_t code)
{
    struct mpdata_dwarf_abbrev *rows;

    if (code > CODE_MAX || code > (uint64_t)abbrevs->rows.count + 64)
        return NULL;
    while (abbrevs->rows.count < code) {
        if (mpdata_vec_push(&abbrevs->rows) == NULL)
            return NULL;
    }
    rows = (struct mpdata_dwarf_abbrev *)abbrevs->rows.data;
    return rows[code - 1].tag == 0 ? &rows[code - 1] : NULL;
}

/* All of a unit's table, or up to the row of the code `last` (not 0). */
static bool read_abbrevs(struct mpdata_dwarf_abbrevs *abbrevs,
                         const struct mpdata_elf_bytes *section, uint64_t off,
                         uint64_t last, uint64_t *work)
{
    struct mprof_cursor c =
        mprof_cursor_over(section->data, section->size, 0, "abbreviations");

    mprof_cursor_seek(&c, off);
    for (;;) {
        const uint64_t code = mpdata_dwarf_uleb(&c);
        const uint32_t known = abbrevs->rows.count;
        struct mpdata_dwarf_abbrev *row;
        uint64_t tag;
        uint64_t children;

        if (c.err != MPROF_E_OK)
            return false;
        if (code == 0)
            return true;
        row = add_abbrev(abbrevs, code);
        tag = mpdata_dwarf_uleb(&c);
        children = mpdata_dwarf_uint(&c, 1);
        if (row == NULL || tag == 0 || tag > UINT16_MAX || children > 1)
            return false;
        row->tag = (uint32_t)tag;
        row->has_children = children != 0;
        if (!read_attributes(&c, abbrevs, row) ||
            !mpdata_dwarf_spend(work, abbrevs->rows.count - known + row->count))
            return false;
        if (code == last)
            return true;
    }
}

/* -- entries --------------------------------------------------------------- */

struct mprof_cursor mpdata_dwarf_die_cu_at(const struct mpdata_dwarf_cu *cu,
                                           uint64_t off)
{
    struct mprof_cursor c = mprof_cursor_over(
        cu->dwarf->sections->info.data, cu->unit->end, 0, "debug information");

    if (off < cu->unit->die_off)
        mprof_cursor_fail(&c, MPROF_E_OFFSET);
    mprof_cursor_seek(&c, off);
    return c;
}

bool mpdata_dwarf_die_next(const struct mpdata_dwarf_cu *cu,
                           struct mprof_cursor *c,
                           const struct mpdata_dwarf_abbrev **abbrev)
{
    const struct mpdata_dwarf_abbrev *const rows =
        (const struct mpdata_dwarf_abbrev *)cu->abbrevs.rows.data;
    const uint64_t code = mpdata_dwarf_uleb(c);

    *abbrev = NULL;
    if (c->err != MPROF_E_OK || code > cu->abbrevs.rows.count)
        return false;
    if (code == 0)
        return true;
    *abbrev = &rows[code - 1];
    return rows[code - 1].tag != 0;
}

static const struct mpdata_dwarf_attribute *
attributes_of(const struct mpdata_dwarf_cu *cu,
              const struct mpdata_dwarf_abbrev *abbrev)
{
    return (const struct mpdata_dwarf_attribute *)cu->abbrevs.attributes.data +
           abbrev->first;
}

/* Skips the values of an entry, from data[pos) on; where they end. What is not
 * plain and whole is for the cursor to judge. */
static inline size_t skip_values(struct mprof_cursor *c, size_t pos,
                                 const struct mpdata_dwarf_step *step,
                                 uint32_t count)
{
    for (; count != 0; count--, step++) {
        size_t left = c->size - pos;

        if (MPROF_UNLIKELY(step->bytes >= left)) {
            c->pos = pos;
            mpdata_dwarf_skip(c, step->bytes);
            if (step->size != 0)
                skip_sized(c, step->size);
            pos = c->pos;
            continue;
        }
        pos += step->bytes;
        left -= step->bytes;
        if (step->size == 0)
            continue;
        const size_t first = c->data[pos];

        if (step->size == DW_SIZE_ULEB && first < 0x80) {
            pos++;
        } else if (step->size == DW_SIZE_ULEB && left > 1 &&
                   c->data[pos + 1] < 0x80) {
            pos += 2;
        } else if (step->size == DW_SIZE_BLOCK && first < 0x80 &&
                   first < left) {
            pos += first + 1;
        } else {
            c->pos = pos;
            skip_sized(c, step->size);
            pos = c->pos;
        }
    }
    return pos;
}

static const struct mpdata_dwarf_step *
steps_of(const struct mpdata_dwarf_cu *cu,
         const struct mpdata_dwarf_abbrev *abbrev)
{
    return (const struct mpdata_dwarf_step *)cu->abbrevs.steps.data +
           abbrev->first_step;
}

bool mpdata_dwarf_die_skip(const struct mpdata_dwarf_cu *cu,
                           struct mprof_cursor *c,
                           const struct mpdata_dwarf_abbrev *abbrev)
{
    c->pos = skip_values(c, c->pos, steps_of(cu, abbrev), abbrev->step_count);
    return c->err == MPROF_E_OK;
}

bool mpdata_dwarf_die_next_function(const struct mpdata_dwarf_cu *cu,
                                    struct mprof_cursor *c, uint32_t floor,
                                    uint32_t *depth,
                                    const struct mpdata_dwarf_abbrev **abbrev,
                                    uint64_t *off)
{
    const struct mpdata_dwarf_abbrev *const rows =
        (const struct mpdata_dwarf_abbrev *)cu->abbrevs.rows.data;
    const struct mpdata_dwarf_step *const steps =
        (const struct mpdata_dwarf_step *)cu->abbrevs.steps.data;
    const uint32_t row_count = cu->abbrevs.rows.count;
    uint32_t lists = *depth;
    size_t pos = c->pos;

    while (c->err == MPROF_E_OK) {
        const size_t start = pos;
        const struct mpdata_dwarf_abbrev *row;
        uint64_t code;

        c->pos = pos;
        code = mpdata_dwarf_uleb(c);
        pos = c->pos;
        if (code > row_count || c->err != MPROF_E_OK)
            return false;
        if (code == 0) {
            if (lists-- == 0)
                return false;
        } else {
            row = &rows[code - 1];
            if (row->tag == 0)
                return false;
            if (row->tag == DW_TAG_subprogram ||
                row->tag == DW_TAG_inlined_subroutine) {
                *abbrev = row;
                *off = start;
                *depth = lists;
                return true;
            }
            pos = skip_values(c, pos, steps + row->first_step, row->step_count);
            lists += row->has_children;
        }
        if (lists < floor) {
            c->pos = pos;
            *abbrev = NULL;
            *depth = lists;
            return c->err == MPROF_E_OK;
        }
    }
    return false;
}

/* Where the value of an attribute goes; NULL: nowhere. */
static struct mpdata_dwarf_value *member_of(struct mpdata_dwarf_die *die,
                                            uint16_t name)
{
    switch (name) {
#define MEMBER(attribute, number) \
    case DW_AT_##attribute:       \
        return &die->attribute;
        DW_ATTRIBUTES(MEMBER)
#undef MEMBER
    default:
        return NULL;
    }
}

/* Reads its values; sets all members but off. Of an attribute that is there
 * twice the first counts. */
static bool read_die(const struct mpdata_dwarf_cu *cu, struct mprof_cursor *c,
                     const struct mpdata_dwarf_abbrev *abbrev,
                     struct mpdata_dwarf_die *die)
{
    const struct mpdata_dwarf_attribute *const attributes =
        attributes_of(cu, abbrev);

    *die = (struct mpdata_dwarf_die){.tag = abbrev->tag,
                                     .has_children = abbrev->has_children};
    for (uint32_t i = 0; i < abbrev->count; i++) {
        struct mpdata_dwarf_value *const member =
            member_of(die, attributes[i].name);

        if (member == NULL || member->kind != MPDATA_DWARF_NONE)
            skip_form(c, attributes[i].form);
        else if (!mpdata_dwarf_die_value(c, attributes[i].form,
                                         attributes[i].constant, member))
            return false;
    }
    return c->err == MPROF_E_OK;
}

bool mpdata_dwarf_die_pcs(const struct mpdata_dwarf_cu *cu,
                          struct mprof_cursor *c,
                          const struct mpdata_dwarf_abbrev *abbrev,
                          struct mpdata_dwarf_die *die)
{
    const struct mpdata_dwarf_attribute *const attributes =
        attributes_of(cu, abbrev);

    die->low_pc.kind = MPDATA_DWARF_NONE;
    die->high_pc.kind = MPDATA_DWARF_NONE;
    die->ranges.kind = MPDATA_DWARF_NONE;
    for (uint32_t i = 0; i < abbrev->count; i++) {
        const uint16_t name = attributes[i].name;
        struct mpdata_dwarf_value *const member =
            name == DW_AT_low_pc    ? &die->low_pc
            : name == DW_AT_high_pc ? &die->high_pc
            : name == DW_AT_ranges  ? &die->ranges
                                    : NULL;

        if (member == NULL || member->kind != MPDATA_DWARF_NONE)
            skip_form(c, attributes[i].form);
        else if (!mpdata_dwarf_die_value(c, attributes[i].form,
                                         attributes[i].constant, member))
            return false;
    }
    return c->err == MPROF_E_OK;
}

bool mpdata_dwarf_die_at(const struct mpdata_dwarf_cu *cu, uint64_t off,
                         struct mpdata_dwarf_die *die)
{
    struct mprof_cursor c = mpdata_dwarf_die_cu_at(cu, off);
    const struct mpdata_dwarf_abbrev *abbrev;

    if (!mpdata_dwarf_die_next(cu, &c, &abbrev) || abbrev == NULL ||
        !read_die(cu, &c, abbrev, die))
        return false;
    die->off = off;
    return true;
}

/* -- values ---------------------------------------------------------------- */

const char *mpdata_dwarf_die_text_at(const struct mpdata_elf_bytes *section,
                                     uint64_t off)
{
    if (off >= section->size ||
        memchr(section->data + off, 0, section->size - off) == NULL)
        return NULL;
    return (const char *)section->data + off;
}

/* A section of texts ends with the end of one. It is not searched: many may
 * refer to a long text. */
static const char *text_in(const struct mpdata_elf_bytes *section, uint64_t off)
{
    return off < section->size && section->data[section->size - 1] == 0
               ? (const char *)section->data + off
               : NULL;
}

/* The number of `width` bytes at off; false beyond the end. */
static bool load(const struct mpdata_elf_bytes *section, uint64_t off,
                 unsigned width, uint64_t *number)
{
    if (off > section->size || width > section->size - off)
        return false;
    *number = mprof_le_load(section->data + off, width);
    return true;
}

/* The row of a table of a section by its index; `base` says where it starts. */
static bool load_row(const struct mpdata_elf_bytes *section,
                     const struct mpdata_dwarf_value *base, uint64_t index,
                     unsigned width, uint64_t *number)
{
    if (base->kind != MPDATA_DWARF_OFFSET || index > UINT32_MAX)
        return false;
    return load(section, base->number + index * width, width, number);
}

bool mpdata_dwarf_die_text(const struct mpdata_dwarf_cu *cu,
                           const struct mpdata_dwarf_value *value,
                           const char **text)
{
    const struct mpdata_elf_debug *const sections = cu->dwarf->sections;
    uint64_t off = value->number;

    *text = NULL;
    switch (value->kind) {
    case MPDATA_DWARF_NONE:
        return true;
    case MPDATA_DWARF_STRING:
        *text = mpdata_dwarf_die_text_at(&sections->info, off);
        break;
    case MPDATA_DWARF_STRING_INDEX:
        if (cu->unit->version < 5 ||
            !load_row(&sections->str_offsets, &cu->die.str_offsets_base, off,
                      DW_OFFSET_BYTES, &off))
            return false;
        *text = text_in(&sections->str, off);
        break;
    case MPDATA_DWARF_STRING_OFFSET:
        *text = text_in(&sections->str, off);
        break;
    case MPDATA_DWARF_LINE_STRING_OFFSET:
        *text = text_in(&sections->line_str, off);
        break;
    default:
        break;
    }
    return *text != NULL;
}

bool mpdata_dwarf_die_number(const struct mpdata_dwarf_value *value,
                             uint64_t *number)
{
    *number = value->kind == MPDATA_DWARF_CONSTANT ? value->number : 0;
    return value->kind == MPDATA_DWARF_CONSTANT ||
           value->kind == MPDATA_DWARF_NONE;
}

bool mpdata_dwarf_die_offset(const struct mpdata_dwarf_cu *cu,
                             const struct mpdata_dwarf_value *value,
                             uint64_t *off)
{
    *off = value->number;
    return value->kind == MPDATA_DWARF_OFFSET ||
           (value->kind == MPDATA_DWARF_CONSTANT && cu->unit->version < 4);
}

static bool read_address(const struct mpdata_dwarf_cu *cu,
                         const struct mpdata_dwarf_value *value,
                         uint64_t *address)
{
    const struct mpdata_dwarf_value *const base =
        cu->die.addr_base.kind != MPDATA_DWARF_NONE ? &cu->die.addr_base
                                                    : &cu->die.GNU_addr_base;

    *address = value->number;
    if (value->kind == MPDATA_DWARF_ADDRESS_INDEX)
        return load_row(&cu->dwarf->sections->addr, base, value->number,
                        DW_ADDRESS_BYTES, address);
    return value->kind == MPDATA_DWARF_ADDRESS;
}

/* -- ranges ---------------------------------------------------------------- */

/* Empty ones say nothing; one that ends before it starts, nothing that can be
 * relied on. */
static bool push_range(struct mpdata_vec *ranges, uint64_t low, uint64_t high)
{
    struct mpdata_dwarf_range *row;

    if (low >= high)
        return low == high;
    row = (struct mpdata_dwarf_range *)mpdata_vec_push(ranges);
    if (row == NULL)
        return false;
    *row = (struct mpdata_dwarf_range){.low = low, .high = high};
    return true;
}

/* DWARF 2 to 4: pairs, of which (0, 0) ends the list and (all ones, base) sets
 * the base. */
static bool read_ranges4(const struct mpdata_dwarf_cu *cu, uint64_t off,
                         struct mpdata_vec *ranges, uint64_t *work)
{
    const struct mpdata_elf_bytes *const s = &cu->dwarf->sections->ranges;
    struct mprof_cursor c = mprof_cursor_over(s->data, s->size, 0, "ranges");
    uint64_t base = cu->base;

    mprof_cursor_seek(&c, off);
    for (;;) {
        const uint64_t low = mpdata_dwarf_uint(&c, DW_ADDRESS_BYTES);
        const uint64_t high = mpdata_dwarf_uint(&c, DW_ADDRESS_BYTES);

        if (c.err != MPROF_E_OK || !mpdata_dwarf_spend(work, 1))
            return false;
        if (low == 0 && high == 0)
            return true;
        if (low == DW_TOMBSTONE)
            base = high;
        else if (low != DW_TOMBSTONE - 1 && base != DW_TOMBSTONE - 1 &&
                 !push_range(ranges, base + low, base + high))
            return false;
    }
}

/* The address of an index into .debug_addr. */
static bool pooled(const struct mpdata_dwarf_cu *cu, struct mprof_cursor *c,
                   uint64_t *address)
{
    const struct mpdata_dwarf_value value = {.kind = MPDATA_DWARF_ADDRESS_INDEX,
                                             .number = mpdata_dwarf_uleb(c)};

    return c->err == MPROF_E_OK && read_address(cu, &value, address);
}

/* One entry that is a range. */
static bool read_entry5(const struct mpdata_dwarf_cu *cu,
                        struct mprof_cursor *c, uint64_t kind, uint64_t base,
                        struct mpdata_vec *ranges)
{
    uint64_t low = 0;
    uint64_t high = 0;

    switch (kind) {
    case DW_RLE_startx_endx:
        if (!pooled(cu, c, &low) || !pooled(cu, c, &high))
            return false;
        break;
    case DW_RLE_startx_length:
        if (!pooled(cu, c, &low))
            return false;
        high = low + mpdata_dwarf_uleb(c);
        break;
    case DW_RLE_offset_pair:
        low = mpdata_dwarf_uleb(c);
        high = mpdata_dwarf_uleb(c);
        if (low == DW_TOMBSTONE || base == DW_TOMBSTONE)
            return c->err == MPROF_E_OK;
        low += base;
        high += base;
        break;
    case DW_RLE_start_end:
        low = mpdata_dwarf_uint(c, DW_ADDRESS_BYTES);
        high = mpdata_dwarf_uint(c, DW_ADDRESS_BYTES);
        break;
    case DW_RLE_start_length:
        low = mpdata_dwarf_uint(c, DW_ADDRESS_BYTES);
        high = low + mpdata_dwarf_uleb(c);
        break;
    default:
        return false;
    }
    return c->err == MPROF_E_OK &&
           (low == DW_TOMBSTONE || push_range(ranges, low, high));
}

static bool read_ranges5(const struct mpdata_dwarf_cu *cu, uint64_t off,
                         struct mpdata_vec *ranges, uint64_t *work)
{
    const struct mpdata_elf_bytes *const s = &cu->dwarf->sections->rnglists;
    struct mprof_cursor c = mprof_cursor_over(s->data, s->size, 0, "ranges");
    uint64_t base = cu->base;

    mprof_cursor_seek(&c, off);
    for (;;) {
        const uint64_t kind = mpdata_dwarf_uint(&c, 1);

        if (c.err != MPROF_E_OK || !mpdata_dwarf_spend(work, 1))
            return false;
        if (kind == DW_RLE_end_of_list)
            return true;
        if (kind == DW_RLE_base_addressx) {
            if (!pooled(cu, &c, &base))
                return false;
        } else if (kind == DW_RLE_base_address) {
            base = mpdata_dwarf_uint(&c, DW_ADDRESS_BYTES);
        } else if (!read_entry5(cu, &c, kind, base, ranges)) {
            return false;
        }
    }
}

/* The list that an entry refers to. */
static bool read_list(const struct mpdata_dwarf_cu *cu,
                      const struct mpdata_dwarf_value *value,
                      struct mpdata_vec *ranges, uint64_t *work)
{
    static const struct mpdata_dwarf_value first = {
        .kind = MPDATA_DWARF_OFFSET, .number = DW_RNGLISTS_HEADER_BYTES};
    const struct mpdata_dwarf_value *base = &cu->die.rnglists_base;
    uint64_t off;

    if (base->kind == MPDATA_DWARF_NONE)
        base = &first;
    if (value->kind == MPDATA_DWARF_RANGES_INDEX) {
        if (cu->unit->version < 5 ||
            !load_row(&cu->dwarf->sections->rnglists, base, value->number,
                      DW_OFFSET_BYTES, &off))
            return false;
        return read_ranges5(cu, base->number + off, ranges, work);
    }
    if (!mpdata_dwarf_die_offset(cu, value, &off))
        return false;
    if (cu->unit->version >= 5)
        return read_ranges5(cu, off, ranges, work);
    return cu->die.rnglists_base.kind == MPDATA_DWARF_NONE &&
           read_ranges4(cu, off, ranges, work);
}

bool mpdata_dwarf_die_ranges(const struct mpdata_dwarf_cu *cu,
                             const struct mpdata_dwarf_die *die,
                             struct mpdata_vec *ranges, uint64_t *work)
{
    uint64_t low;
    uint64_t high;

    if (die->low_pc.kind != MPDATA_DWARF_NONE) {
        if (!read_address(cu, &die->low_pc, &low))
            return false;
        if (die->high_pc.kind != MPDATA_DWARF_NONE && low != DW_TOMBSTONE) {
            if (die->high_pc.kind == MPDATA_DWARF_CONSTANT)
                high = low + die->high_pc.number;
            else if (!read_address(cu, &die->high_pc, &high))
                return false;
            return push_range(ranges, low, high);
        }
    }
    return die->ranges.kind == MPDATA_DWARF_NONE ||
           read_list(cu, &die->ranges, ranges, work);
}

/* -- units ----------------------------------------------------------------- */

/* The contribution of the unit to .debug_str_offsets has a header before it. */
static bool check_str_offsets(const struct mpdata_dwarf_cu *cu)
{
    const struct mpdata_elf_bytes *const s = &cu->dwarf->sections->str_offsets;
    const struct mpdata_dwarf_value *const base = &cu->die.str_offsets_base;
    uint64_t length;

    if (base->kind == MPDATA_DWARF_NONE)
        return true;
    return cu->unit->version >= 5 && base->kind == MPDATA_DWARF_OFFSET &&
           base->number >= DW_STR_OFFSETS_HEADER_BYTES &&
           load(s, base->number - DW_STR_OFFSETS_HEADER_BYTES, 4, &length) &&
           length < DW_LENGTH_RESERVED && length >= 4 &&
           base->number <= s->size && length - 4 <= s->size - base->number;
}

bool mpdata_dwarf_die_cu_open(struct mpdata_dwarf_cu *cu,
                              const struct mpdata_dwarf *dwarf,
                              const struct mpdata_dwarf_unit *unit,
                              bool is_whole, uint64_t *work)
{
    const struct mpdata_dwarf_value *start;
    struct mprof_cursor c;

    *cu = (struct mpdata_dwarf_cu){.dwarf = dwarf, .unit = unit};
    cu->abbrevs.rows.elem_bytes = sizeof(struct mpdata_dwarf_abbrev);
    cu->abbrevs.attributes.elem_bytes = sizeof(struct mpdata_dwarf_attribute);
    cu->abbrevs.steps.elem_bytes = sizeof(struct mpdata_dwarf_step);
    c = mpdata_dwarf_die_cu_at(cu, unit->die_off);
    if (!read_abbrevs(&cu->abbrevs, &dwarf->sections->abbrev, unit->abbrev_off,
                      is_whole ? 0 : mpdata_dwarf_uleb(&c), work) ||
        !mpdata_dwarf_die_at(cu, unit->die_off, &cu->die) ||
        !check_str_offsets(cu) ||
        (is_whole &&
         !mpdata_dwarf_die_text(cu, &cu->die.comp_dir, &cu->directory)))
        return false;
    cu->is_split = cu->die.dwo_name.kind != MPDATA_DWARF_NONE ||
                   cu->die.GNU_dwo_name.kind != MPDATA_DWARF_NONE ||
                   cu->die.GNU_dwo_id.kind != MPDATA_DWARF_NONE ||
                   (unit->type != DW_UT_compile && unit->type != DW_UT_partial);
    start = cu->die.low_pc.kind != MPDATA_DWARF_NONE ? &cu->die.low_pc
                                                     : &cu->die.entry_pc;
    cu->has_base = start->kind != MPDATA_DWARF_NONE;
    return !cu->has_base || read_address(cu, start, &cu->base);
}

void mpdata_dwarf_die_cu_fini(struct mpdata_dwarf_cu *cu)
{
    mpdata_vec_fini(&cu->abbrevs.rows);
    mpdata_vec_fini(&cu->abbrevs.attributes);
    mpdata_vec_fini(&cu->abbrevs.steps);
}
