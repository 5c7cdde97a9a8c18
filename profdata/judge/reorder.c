/* reorder.c -- orders the members of a type by their accesses.
 *
 * An atom is what must stay together: a member of a struct's type with all its
 * members, neighbouring bit-fields, and everything up to the last member of a
 * base class. Atoms are placed by falling heat; smaller ones fill the gaps that
 * alignment leaves.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/reorder.h"
#include "profdata/base/vec.h"
#include "profdata/judge/chunk.h"
#include "profdata/query/histogram.h"
#include "shared/type_format.h"

#include <stdlib.h>
#include <string.h>

#define CELL MPDATA_HISTOGRAM_CELL_BYTES
#define START_BYTES 16u    /* malloc aligns blocks to these */
#define ALIGN_MAX 16u      /* of a member */
#define BIT_FIELD_ALIGN 4u /* of an int */
#define POINTER_BYTES 8u   /* to the cold part */
#define POINTER_ROW UINT32_MAX
#define COLD_HEAT_MAX 0.02    /* of the hottest member's */
#define FILLED_HEAT_MAX 0.05  /* if it is an access for each object or less */
#define SPLIT_BLOCKS_MIN 1000 /* for fewer, it is not worth a change */
#define HOT_BYTES_MAX 0.75    /* of the type, for a split */
#define LINES_MAX 0.95        /* of those before, for a new order */

struct atom {
    uint32_t first, count; /* rows; holes may be between them */
    uint64_t from, to;     /* offsets before */
    uint64_t at;           /* offset now */
    uint64_t align;
    double heat; /* of the hottest row */
    bool is_placed;
    bool is_cold;
};

struct work {
    const struct mpdata_fields_type *type;
    const struct mpdata_fields_layout *layout;
    double *heat; /* by row */
    struct atom *atoms;
    uint32_t count;
    uint32_t pinned; /* 1: the first atom must stay in front */
};

static double max(double a, double b)
{
    return a > b ? a : b;
}

static uint64_t lowest_bit(uint64_t number)
{
    return number & -number;
}

static uint64_t align_up(uint64_t bytes, uint64_t align)
{
    return (bytes + align - 1) / align * align;
}

/* -- heat -------------------------------------------------------------------- */

static uint64_t cells_of(const struct mpdata_member *member)
{
    return (member->to + CELL - 1) / CELL - member->from / CELL;
}

/* Started ones, if the cells have fewer bytes. */
static uint64_t own_cells(const struct mpdata_fields_row *row)
{
    return (row->own_bytes + CELL - 1) / CELL;
}

/* Accesses to a cell on average. Nothing is known of how members of a cell
 * share its accesses, so each may have all. */
static void heat_group(struct work *w, const struct mpdata_fields_group *group)
{
    const struct mpdata_fields_row *const rows = w->layout->rows;
    const uint64_t first = rows[group->first].member.from / CELL;
    uint64_t accesses = group->all.accesses;
    uint64_t cells = 0;
    double shared;

    for (uint32_t i = group->first; i <= group->last; i++)
        cells = mprof_max_u64(cells, rows[i].member.from / CELL +
                                         cells_of(&rows[i].member) - first);
    for (uint32_t i = group->first; i <= group->last; i++) {
        accesses = mprof_sub_sat_u64(accesses, rows[i].own.accesses);
        cells = mprof_sub_sat_u64(cells, own_cells(&rows[i]));
    }
    shared = (double)accesses / (double)mprof_max_u64(cells, 1);
    for (uint32_t i = group->first; i <= group->last; i++) {
        const uint64_t own = own_cells(&rows[i]);

        w->heat[i] =
            max(own != 0 ? (double)rows[i].own.accesses / (double)own : 0,
                own < cells_of(&rows[i].member) ? shared : 0);
    }
}

/* -- atoms ------------------------------------------------------------------- */

static bool is_bit_field(const struct mpdata_member *member)
{
    size_t size = member->type.size;

    while (size != 0 && member->type.bytes[size - 1] >= '0' &&
           member->type.bytes[size - 1] <= '9')
        size--;
    return size > 1 && size < member->type.size &&
           member->type.bytes[size - 1] == MPROF_TYPE_FIELD_TYPE;
}

/* Size of an array's element; the member's size for other types. */
static uint64_t element_bytes(const struct mpdata_member *member)
{
    const char *const type = member->type.bytes;
    const uint64_t bytes = member->to - member->from;
    uint64_t elements = 1;

    if (memchr(type, '(', member->type.size) != NULL)
        return bytes;
    for (size_t i = 0; i < member->type.size; i++) {
        if (type[i] == '[')
            elements =
                mprof_mul_sat_u64(elements, strtoull(type + i + 1, NULL, 10));
    }
    return elements != 0 && bytes % elements == 0 ? bytes / elements : bytes;
}

/* The compiler's alignment is not known; the offset and the size limit it. */
static uint64_t align_of(const struct mpdata_member *member)
{
    return is_bit_field(member)
               ? mprof_min_u64(lowest_bit(member->from | BIT_FIELD_ALIGN),
                               BIT_FIELD_ALIGN)
               : lowest_bit(member->from | element_bytes(member) | ALIGN_MAX);
}

/* Length of the name of the struct that a member is in; 0: of the type. */
static size_t outer_size(const struct mpdata_str *name)
{
    const char *const dot = memchr(name->bytes, '.', name->size);

    return dot != NULL ? (size_t)(dot - name->bytes) : 0;
}

static bool is_of_base(const struct mpdata_member *member)
{
    return member->name.size != 0 &&
           member->name.bytes[0] == MPROF_TYPE_FIELD_BASE;
}

static bool stays_with(const struct work *w, const struct atom *atom,
                       uint32_t row)
{
    const struct mpdata_member *const last =
        &w->layout->rows[atom->first + atom->count - 1].member;
    const struct mpdata_member *const member = &w->layout->rows[row].member;
    const size_t outer = outer_size(&member->name);

    return member->from < atom->to ||
           (outer != 0 && outer == outer_size(&last->name) &&
            memcmp(member->name.bytes, last->name.bytes, outer) == 0) ||
           (is_bit_field(member) && is_bit_field(last));
}

static void add_row(struct work *w, uint32_t row, bool is_pinned)
{
    const struct mpdata_member *const member = &w->layout->rows[row].member;
    struct atom *atom = w->count != 0 ? &w->atoms[w->count - 1] : NULL;

    if (atom == NULL || (!is_pinned && !stays_with(w, atom, row))) {
        atom = &w->atoms[w->count++];
        *atom = (struct atom){
            .first = row, .from = is_pinned ? 0 : member->from, .align = 1};
    }
    atom->count = row - atom->first + 1;
    atom->to = mprof_max_u64(atom->to, member->to);
    atom->align = mprof_max_u64(atom->align, align_of(member));
    atom->heat = max(atom->heat, w->heat[row]);
}

static void make_atoms(struct work *w)
{
    uint32_t pinned_end = 0;

    for (uint32_t i = 0; i < w->layout->row_count; i++) {
        if (is_of_base(&w->layout->rows[i].member))
            pinned_end = i + 1;
    }
    w->pinned = pinned_end != 0;
    for (uint32_t i = 0; i < w->layout->row_count; i++) {
        const struct mpdata_fields_row *const row = &w->layout->rows[i];

        if (i == pinned_end && w->pinned != 0) /* with the padding of bases */
            w->atoms[0].to =
                mprof_max_u64(w->atoms[0].to,
                              row->is_hole ? row->member.to : row->member.from);
        if (!row->is_hole)
            add_row(w, i, i < pinned_end);
    }
}

/* -- lines ------------------------------------------------------------------- */

/* The lines that an object touches whose block begins at `start` of a line: a
 * line as often as its hottest member. */
static double lines_at(const struct mpdata_reorder *r, uint64_t start)
{
    uint64_t line = 0;
    double heat = 0; /* of the line so far */
    double sum = 0;

    for (uint32_t i = 0; i < r->count; i++) {
        const struct mpdata_reorder_row *const row = &r->rows[i];
        const uint64_t first = (row->from + start) / MPDATA_CACHE_LINE_BYTES;
        const uint64_t last = (row->to + start - 1) / MPDATA_CACHE_LINE_BYTES;

        if (first > line) {
            sum += heat;
            heat = 0;
            line = first;
        }
        heat = max(heat, row->heat);
        if (last > line) {
            sum += heat + row->heat * (double)(last - line - 1);
            heat = row->heat;
            line = last;
        }
    }
    return (sum + heat) / r->most;
}

MPROF_COMPARATOR(compare_rows, struct mpdata_reorder_row,
                 MPROF_UP(from) ?: MPROF_UP(row))

/* Makes the rows of some atoms at their offsets. Returns the mean of lines over
 * the places where malloc may put a block, or an array its elements. */
static double arrange(struct mpdata_reorder *r, const struct work *w,
                      const struct atom *atoms, uint32_t count, uint64_t bytes)
{
    const uint64_t step =
        w->type->has_arrays ? lowest_bit(bytes | START_BYTES) : START_BYTES;
    double sum = 0;

    r->count = 0;
    for (uint32_t a = 0; a < count; a++) {
        const struct atom *const atom = &atoms[a];

        if (atom->first == POINTER_ROW)
            r->rows[r->count++] =
                (struct mpdata_reorder_row){.row = POINTER_ROW,
                                            .from = atom->at,
                                            .to = atom->at + POINTER_BYTES,
                                            .heat = atom->heat};
        for (uint32_t i = atom->first; i - atom->first < atom->count; i++) {
            const struct mpdata_fields_row *const row = &w->layout->rows[i];

            if (!row->is_hole)
                r->rows[r->count++] = (struct mpdata_reorder_row){
                    .row = i,
                    .from = row->member.from - atom->from + atom->at,
                    .to = row->member.to - atom->from + atom->at,
                    .heat = w->heat[i],
                    .is_cold = atom->is_cold};
        }
    }
    qsort(r->rows, r->count, sizeof(*r->rows), compare_rows);
    for (uint64_t start = 0; start < MPDATA_CACHE_LINE_BYTES; start += step)
        sum += lines_at(r, start);
    return sum * (double)step / MPDATA_CACHE_LINE_BYTES;
}

/* -- the order --------------------------------------------------------------- */

MPROF_COMPARATOR(compare_atoms, struct atom,
                 MPROF_DOWN(heat) ?: MPROF_DOWN(align) ?: MPROF_UP(from))

static uint64_t bytes_of(const struct atom *atom)
{
    return atom->to - atom->from;
}

/* Places atoms in their order, smaller ones in gaps. Returns the size of a type
 * of them. */
static uint64_t place(struct atom *atoms, uint32_t count)
{
    uint64_t end = 0;
    uint64_t align = 1;

    for (uint32_t i = 0; i < count; i++) {
        atoms[i].is_placed = false;
        align = mprof_max_u64(align, atoms[i].align);
    }
    for (uint32_t next = 0; next < count;) {
        const uint64_t at = align_up(end, atoms[next].align);
        struct atom *atom = &atoms[next];

        for (uint32_t i = next + 1; at != end && i < count; i++) {
            if (atoms[i].is_placed ||
                align_up(end, atoms[i].align) + bytes_of(&atoms[i]) > at)
                continue;
            atom = &atoms[i];
            break;
        }
        atom->at = align_up(end, atom->align);
        atom->is_placed = true;
        end = atom->at + bytes_of(atom);
        while (next < count && atoms[next].is_placed)
            next++;
    }
    return align_up(end, align);
}

/* Heat of a cold member at most. An access for each object is likely the one
 * that initializes it, which says nothing about its use. */
static double cold_heat(const struct mpdata_reorder *r,
                        const struct mpdata_fields_type *type)
{
    const double objects = (double)type->blocks;

    return !type->has_arrays && objects <= r->most * FILLED_HEAT_MAX
               ? max(objects, r->most * COLD_HEAT_MAX)
               : r->most * COLD_HEAT_MAX;
}

/* Marks the cold atoms. Returns the number of the others. */
static uint32_t mark_cold(struct work *w, double heat_max)
{
    uint32_t count = w->count;

    while (count > w->pinned + 1 && w->atoms[count - 1].heat <= heat_max)
        w->atoms[--count].is_cold = true;
    return count;
}

/* The pointer to the cold part takes the place of the first cold atom. */
static void split(struct mpdata_reorder *r, struct work *w)
{
    const uint32_t hot = mark_cold(w, cold_heat(r, w->type));
    struct atom *const cold = &w->atoms[hot];
    const uint32_t cold_count = w->count - hot;
    struct atom first;
    double lines;

    if (cold_count == 0)
        return;
    r->cold_bytes = place(cold, cold_count);
    lines = arrange(r, w, cold, cold_count, r->cold_bytes);
    first = *cold;
    *cold = (struct atom){.first = POINTER_ROW,
                          .to = POINTER_BYTES,
                          .align = POINTER_BYTES,
                          .heat = first.heat};
    r->hot_bytes = place(w->atoms, hot + 1);
    r->lines_split = lines + arrange(r, w, w->atoms, hot + 1, r->hot_bytes);
    *cold = first;
    r->has_split =
        (double)r->hot_bytes <= (double)w->type->bytes * HOT_BYTES_MAX &&
        (w->type->has_arrays || w->type->blocks >= SPLIT_BLOCKS_MIN);
}

static void weigh_peak(struct mpdata_reorder *r,
                       const struct mpdata_fields_type *type)
{
    const uint64_t objects = type->peak_bytes / type->bytes;
    const bool is_array = type->has_arrays;

#define BYTES(size) \
    mprof_mul_sat_u64(objects, is_array ? (size) : mpdata_chunk_bytes(size))
    r->peak_before = BYTES(type->bytes);
    r->peak_after = BYTES(r->bytes);
    r->peak_split =
        mprof_add_sat_u64(BYTES(r->hot_bytes), BYTES(r->cold_bytes));
#undef BYTES
}

static void reorder(struct mpdata_reorder *r, struct work *w)
{
    for (uint32_t g = 0; g < w->layout->group_count; g++)
        heat_group(w, &w->layout->groups[g]);
    make_atoms(w);
    for (uint32_t a = 0; a < w->count; a++) {
        w->atoms[a].at = w->atoms[a].from;
        r->most = max(r->most, w->atoms[a].heat);
    }
    if (r->most == 0)
        return;
    r->lines_before = arrange(r, w, w->atoms, w->count, w->type->bytes);
    qsort(w->atoms + w->pinned, w->count - w->pinned, sizeof(*w->atoms),
          compare_atoms);
    split(r, w);
    r->bytes = place(w->atoms, w->count);
    r->lines_after = arrange(r, w, w->atoms, w->count, r->bytes);
    weigh_peak(r, w->type);
    r->is_better =
        r->bytes <= w->type->bytes &&
        (r->lines_after <= r->lines_before * LINES_MAX ||
         (r->bytes < w->type->bytes && r->lines_after <= r->lines_before));
}

enum mprof_err mpdata_reorder_make(struct mpdata_reorder *r,
                                   const struct mpdata_fields_type *type,
                                   const struct mpdata_fields_layout *layout)
{
    const size_t room = (size_t)layout->row_count + 1; /* with a pointer */
    struct work w = {
        .type = type,
        .layout = layout,
        .heat = mpdata_vec_array(room, sizeof(*w.heat)),
        .atoms = mpdata_vec_array(room, sizeof(*w.atoms)),
    };
    enum mprof_err err = MPROF_E_NOMEM;

    *r = (struct mpdata_reorder){.rows =
                                     mpdata_vec_array(room, sizeof(*r->rows))};
    if (w.heat != NULL && w.atoms != NULL && r->rows != NULL) {
        if (!type->is_open)
            reorder(r, &w);
        err = MPROF_E_OK;
    }
    free(w.heat);
    free(w.atoms);
    return err;
}

void mpdata_reorder_fini(struct mpdata_reorder *r)
{
    free(r->rows);
    *r = (struct mpdata_reorder){.rows = NULL};
}
