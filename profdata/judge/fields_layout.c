/* fields_layout.c -- sums up histograms by the members of types.
 *
 * The borders of members divide the cells of an object into spans; all cells of
 * a span have the same members. So memory depends on the number of members, not
 * on the size of objects, which a damaged file may forge.
 *
 * If cells have 4 bytes, an access counts at its first byte and goes on in the
 * cells behind. So the accesses to a range of cells are those that begin there,
 * and those that go on in its first cell. Reads and writes have counters of
 * their own.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/fields.h"
#include "profdata/base/vec.h"
#include "shared/type_format.h"

#include <stdlib.h>

/* Reads all members of a type; rows may be NULL. Returns their number; 0: there
 * are none, or the list is malformed. */
uint32_t mpdata_fields_layout_members(const char *text, uint64_t bytes,
                                      struct mpdata_fields_row *rows)
{
    struct mpdata_member member;
    uint32_t count = 0;

    while (mpdata_members_next(&text, &member)) {
        if (member.from >= member.to || member.to > bytes ||
            count == MPROF_TYPE_FIELDS_MAX)
            return 0;
        if (rows != NULL)
            rows[count].member = member;
        count++;
    }
    return *text == '\0' ? count : 0;
}

/* Cells [first, end) with the same members. */
struct span {
    uint64_t first;
    uint64_t end;
    struct mpdata_fields_count begun;
    struct mpdata_fields_count before; /* of accesses that began before */
    uint32_t members;                  /* number */
};

struct spans {
    struct span *rows;
    uint32_t count;
    uint32_t cell_bytes;
    unsigned unit_cells; /* as in mpdata_view */
};

static uint64_t cells_of(const struct spans *spans, uint64_t bytes)
{
    return bytes / spans->cell_bytes + (bytes % spans->cell_bytes != 0);
}

static int compare_rows(const void *left, const void *right)
{
    const struct mpdata_member *const a =
        &((const struct mpdata_fields_row *)left)->member;
    const struct mpdata_member *const b =
        &((const struct mpdata_fields_row *)right)->member;

    if (a->from != b->from)
        return mprof_compare_u64(a->from, b->from);
    return a->to != b->to ? mprof_compare_u64(a->to, b->to)
                          : mprof_compare_u64((uintptr_t)a->name.bytes,
                                              (uintptr_t)b->name.bytes);
}

MPROF_COMPARATOR(compare_spans, struct span, MPROF_UP(first))

/* Returns the span of a cell, the last one for a cell behind the object. */
static uint32_t find_span(const struct spans *spans, uint64_t cell)
{
    const size_t next =
        mpdata_vec_first(spans->rows, spans->count, sizeof(*spans->rows),
                         offsetof(struct span, first), cell + 1);

    return (uint32_t)next - 1;
}

/* Divides the object at the borders of its members. Returns false when out of
 * memory. */
static bool make_spans(struct spans *spans,
                       const struct mpdata_fields_row *members, uint32_t count,
                       uint64_t bytes)
{
    uint32_t kept = 1;
    uint32_t k = 1; /* rows[0] begins with the object */

    spans->rows = mpdata_vec_array(2 * (size_t)count + 1, sizeof(struct span));
    if (spans->rows == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        spans->rows[k++].first = members[i].member.from / spans->cell_bytes;
        spans->rows[k++].first = cells_of(spans, members[i].member.to);
    }
    qsort(spans->rows, k, sizeof(*spans->rows), compare_spans);
    for (uint32_t i = 1; i < k; i++) {
        if (spans->rows[i].first != spans->rows[kept - 1].first &&
            spans->rows[i].first < cells_of(spans, bytes))
            spans->rows[kept++].first = spans->rows[i].first;
    }
    spans->count = kept;
    for (uint32_t i = 0; i < kept; i++)
        spans->rows[i].end =
            i + 1 < kept ? spans->rows[i + 1].first : cells_of(spans, bytes);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t s =
                 find_span(spans, members[i].member.from / spans->cell_bytes);
             s < kept &&
             spans->rows[s].first < cells_of(spans, members[i].member.to);
             s++)
            spans->rows[s].members++;
    }
    return true;
}

static void add_count(struct mpdata_fields_count *sum,
                      struct mpdata_fields_count count)
{
    sum->accesses = mprof_add_sat_u64(sum->accesses, count.accesses);
    sum->writes = mprof_add_sat_u64(sum->writes, count.writes);
}

/* Adds the accesses of a cell that begin there, or before. */
static void add_cell(struct spans *spans, uint64_t cell,
                     struct mpdata_fields_count count, bool is_before)
{
    struct span *const span = &spans->rows[find_span(spans, cell)];

    if (!is_before)
        add_count(&span->begun, count);
    else if (cell == span->first)
        add_count(&span->before, count);
}

/* The four cells for 4 bytes are of reads and of writes (raw_format.h). behind:
 * for accesses behind the object, or NULL if another object follows it. */
static void add_cells(struct spans *spans, struct mpdata_cells cells,
                      uint64_t bytes, struct mpdata_fields_count *behind)
{
    const unsigned n = spans->unit_cells;
    struct mpdata_cells_cursor c = {.rest = cells};

    while (mpdata_cells_next(&c)) {
        const uint64_t cell = n != 0 ? c.cell / n : c.cell;
        const struct mpdata_fields_count count = {
            .accesses = c.count,
            .writes = n != 0 && c.cell % n >= 2 ? c.count : 0};
        const bool is_before = n != 0 && c.cell % 2 != 0;

        if (behind == NULL || cell < cells_of(spans, bytes))
            add_cell(spans,
                     bytes % spans->cell_bytes == 0
                         ? cell % (bytes / spans->cell_bytes)
                         : mprof_min_u64(cell, bytes),
                     count, is_before);
        else if (!is_before || cell == cells_of(spans, bytes))
            add_count(behind, count);
    }
}

/* Sums up the spans in [first, end) with at most `members_max` members. If
 * is_part, accesses that begin before `first` are counted elsewhere. */
static struct mpdata_fields_count sum(const struct spans *spans, uint64_t first,
                                      uint64_t end, uint32_t members_max,
                                      bool is_part, uint64_t *cells)
{
    struct mpdata_fields_count all = {.accesses = 0};

    *cells = 0;
    for (uint32_t s = first < end ? find_span(spans, first) : spans->count;
         s < spans->count && spans->rows[s].first < end; s++) {
        const struct span *const span = &spans->rows[s];

        if (span->members > members_max) {
            is_part = false;
            continue;
        }
        add_count(&all, span->begun);
        if (!is_part)
            add_count(&all, span->before);
        is_part = true; /* the next span continues this one */
        *cells += span->end - span->first;
    }
    return all;
}

static void add_hole(struct mpdata_fields_layout *l, const struct spans *spans,
                     uint64_t from, uint64_t to)
{
    struct mpdata_fields_row *const row = &l->rows[l->row_count];
    uint64_t cells;

    if (from >= to)
        return;
    l->row_count++;
    *row = (struct mpdata_fields_row){.member = {.from = from, .to = to},
                                      .is_hole = true};
    row->own = sum(spans, from / spans->cell_bytes, cells_of(spans, to), 0,
                   false, &cells);
    row->own_bytes = cells * spans->cell_bytes;
}

static void add_member(struct mpdata_fields_layout *l,
                       const struct spans *spans,
                       const struct mpdata_member *member, uint64_t group_end)
{
    struct mpdata_fields_row *const row = &l->rows[l->row_count];
    const bool is_new =
        l->group_count == 0 || member->from / spans->cell_bytes >= group_end;
    struct mpdata_fields_group *group;
    uint64_t cells;

    *row = (struct mpdata_fields_row){.member = *member};
    row->own = sum(spans, member->from / spans->cell_bytes,
                   cells_of(spans, member->to), 1, false, &cells);
    row->own_bytes = cells * spans->cell_bytes;
    if (is_new)
        l->groups[l->group_count++] =
            (struct mpdata_fields_group){.first = l->row_count};
    group = &l->groups[l->group_count - 1];
    group->count++;
    group->last = l->row_count;
    add_count(&group->all,
              sum(spans,
                  mprof_max_u64(member->from / spans->cell_bytes, group_end),
                  cells_of(spans, member->to), UINT32_MAX, !is_new, &cells));
    row->group = l->group_count - 1;
    l->row_count++;
}

static void add_rows(struct mpdata_fields_layout *l, const struct spans *spans,
                     const struct mpdata_fields_row *members, uint32_t count,
                     uint64_t bytes)
{
    uint64_t end = 0; /* of the members so far */

    for (uint32_t i = 0; i < count; i++) {
        const struct mpdata_member *const m = &members[i].member;

        add_hole(l, spans, end, m->from);
        add_member(l, spans, m, cells_of(spans, end));
        end = mprof_max_u64(end, m->to);
    }
    add_hole(l, spans, end, bytes);
}

enum mprof_err mpdata_fields_layout_make(struct mpdata_fields_layout *layout,
                                         const struct mpdata_fields *fields,
                                         uint32_t type,
                                         const struct mpdata_profile *profile)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    const struct mpdata_fields_type *const t = &fields->types[type];
    const uint32_t count =
        mpdata_fields_layout_members(t->text, t->bytes, NULL);
    struct mpdata_fields_row *const members =
        mpdata_vec_array(count, sizeof(*members));
    struct spans spans = {.cell_bytes = fields->cell_bytes,
                          .unit_cells = view.unit_cells};
    enum mprof_err err = MPROF_E_NOMEM;

    *layout = (struct mpdata_fields_layout){
        .rows = mpdata_vec_array(2 * (size_t)count + 1, sizeof(*layout->rows)),
        .groups = mpdata_vec_array(count, sizeof(*layout->groups))};
    if (members != NULL && layout->rows != NULL && layout->groups != NULL) {
        (void)mpdata_fields_layout_members(t->text, t->bytes, members);
        qsort(members, count, sizeof(*members), compare_rows);
        if (make_spans(&spans, members, count, t->bytes))
            err = MPROF_E_OK;
    }
    if (err == MPROF_E_OK) {
        for (uint32_t i = 0; i < t->count; i++)
            add_cells(&spans,
                      view.contexts[fields->contexts[t->first + i]].cells,
                      t->bytes, t->is_open ? &layout->behind : NULL);
        add_rows(layout, &spans, members, count, t->bytes);
    }
    free(spans.rows);
    free(members);
    return err;
}

void mpdata_fields_layout_fini(struct mpdata_fields_layout *layout)
{
    free(layout->rows);
    free(layout->groups);
    *layout = (struct mpdata_fields_layout){.rows = NULL};
}

/* Whether the group's last counter also has accesses to what is behind. */
static bool is_shared_end(const struct mpdata_fields *fields,
                          const struct mpdata_fields_type *type,
                          const struct mpdata_fields_layout *layout,
                          const struct mpdata_fields_group *group)
{
    const uint64_t shared = type->bytes % fields->cell_bytes;

    return type->is_open && shared != 0 &&
           layout->rows[group->last].member.to > type->bytes - shared;
}

/* Whether a name of the group contains one that C++ reserves for its library,
 * whose compiled part accesses such members without counting. */
static bool is_library(const struct mpdata_fields_layout *layout,
                       const struct mpdata_fields_group *group)
{
    bool is_reserved = false;

    for (uint32_t i = group->first; i <= group->last; i++) {
        const struct mpdata_str name = layout->rows[i].member.name;

        for (size_t at = 0; at + 1 < name.size; at++)
            is_reserved |=
                name.bytes[at] == '_' &&
                (at == 0 || strchr("[.:|", name.bytes[at - 1]) != NULL) &&
                (name.bytes[at + 1] == '_' ||
                 (name.bytes[at + 1] >= 'A' && name.bytes[at + 1] <= 'Z'));
    }
    return is_reserved;
}

const char *mpdata_fields_layout_use(const struct mpdata_fields *fields,
                                     const struct mpdata_fields_type *type,
                                     const struct mpdata_fields_layout *layout,
                                     const struct mpdata_fields_group *group)
{
    const struct mpdata_fields_count *const all = &group->all;

    if (!fields->has_rw || fields->is_doubtful || type->is_at_least ||
        type->is_doubtful || all->accesses == 0 || is_library(layout, group) ||
        is_shared_end(fields, type, layout, group))
        return NULL;
    if (all->writes == all->accesses)
        return "never read";
    if (all->writes == 0)
        return "never written";
    return group->count == 1 && all->writes <= type->objects &&
                   all->writes >= type->objects - type->objects / 2
               ? "written about once"
               : NULL;
}
