/* dwarf_unit.c -- the addresses of one unit: which functions, inlined into
 * which, and the lines of their calls.
 *
 * LLVM keeps a map from addresses to entries, into which it puts the ranges of
 * all functions in the order of the entries; inner ones are cut out of outer
 * ones. Here each address keeps the one row of that map that it would find: the
 * start of the row and its entry. That is exact as long as ranges lie inside of
 * each other or apart. Where they do not, the unit is left to LLVM, since its
 * answer depends on rows that are not kept.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/dwarf_die.h"
#include "profdata/symbols/dwarf_line.h"

#include <stdlib.h>
#include <string.h>

/* Units that entries of this one refer to; read once while they stay. */
#define OTHERS_MAX 8u
/* Entries that say what another entry is about. Three is usual. */
#define ORIGINS_MAX 16u
/* How deep functions are inlined. */
#define FRAMES_MAX 4096u

/* An entry that an address lies in: a function, or a function inlined into the
 * parent. */
struct node {
    uint64_t off;
    uint32_t parent; /* index + 1; 0: none */
    bool is_resolved;
    struct mpdata_symbol symbol; /* function, start_file, start_line */
    /* Of the place that it is inlined at. */
    const char *call_file;
    uint32_t call_line;
    uint32_t call_column;
    uint32_t call_discriminator;
};

/* A function that the walk is in. */
struct open {
    uint64_t off;
    uint32_t depth; /* of its children */
    uint32_t node;  /* index + 1; 0: no address was found in it */
    uint32_t outer; /* index + 1 of the entry that holds it in this stack */
    /* Of the function that all this is inlined into. */
    uint32_t first_range;
    uint32_t range_count;
    bool has_wanted;
};

/* An address on its way through the entries. */
struct spot {
    uint64_t low;  /* where the row of LLVM's map would start */
    uint32_t node; /* index + 1; 0: none */
};

/* A range of a function that is not inlined. */
struct top {
    uint64_t low;
    uint64_t high;
    bool has_wanted;
};

struct reader {
    struct mpdata_dwarf_cu cu;
    const struct mpdata_wanted *wanted;
    size_t count;
    struct spot *spots;
    struct mpdata_dwarf_hit *hits;
    struct mpdata_vec nodes;
    struct mpdata_vec opens;
    struct mpdata_vec ranges; /* of functions that are open */
    struct mpdata_vec found;  /* of the entry that is looked at */
    struct mpdata_vec tops;
    struct mpdata_vec references; /* offsets, uint64_t */
    struct mpdata_vec functions;  /* that were visited: offsets, in order */
    struct mpdata_arena arena;
    struct mpdata_dwarf_cu *others[OTHERS_MAX];
    uint64_t uses;
    uint64_t work; /* steps that are left, so that no file takes long */
    struct mpdata_symbol *frames;
    uint32_t frame_room;
};

/* False where a file makes more work than one of its size should. */
static bool spend(struct reader *r, uint64_t steps)
{
    return mpdata_dwarf_spend(&r->work, steps);
}

/* -- the walk -------------------------------------------------------------- */

static struct open *open_rows(const struct reader *r)
{
    return (struct open *)r->opens.data;
}

static struct node *node_rows(const struct reader *r)
{
    return (struct node *)r->nodes.data;
}

/* The node of an open function, made when the first address is found in it. */
static uint32_t node_of(struct reader *r, uint32_t index)
{
    uint32_t inner = 0; /* index + 1 of the node whose parent is sought */
    uint32_t result = 0;

    for (uint32_t i = index + 1; i != 0; i = open_rows(r)[i - 1].outer) {
        struct open *const o = &open_rows(r)[i - 1];
        const bool is_new = o->node == 0;

        if (is_new) {
            struct node *const node = (struct node *)mpdata_vec_push(&r->nodes);

            if (node == NULL)
                return 0;
            node->off = o->off;
            o->node = r->nodes.count;
        }
        if (inner != 0)
            node_rows(r)[inner - 1].parent = o->node;
        inner = o->node;
        if (result == 0)
            result = o->node;
        if (!is_new)
            break;
    }
    return result;
}

static bool push_top(struct reader *r, const struct mpdata_dwarf_range *range,
                     bool has_wanted)
{
    struct top *const top = (struct top *)mpdata_vec_push(&r->tops);

    if (top == NULL)
        return false;
    *top = (struct top){
        .low = range->low, .high = range->high, .has_wanted = has_wanted};
    return true;
}

/* The addresses of a function that is not inlined are in it until a function is
 * found that is. */
static bool take_function(struct reader *r, uint32_t index)
{
    struct open *const o = &open_rows(r)[index];
    const struct mpdata_dwarf_range *const found =
        (const struct mpdata_dwarf_range *)r->found.data;

    o->outer = 0;
    o->first_range = r->ranges.count;
    o->range_count = r->found.count;
    for (uint32_t k = 0; k < r->found.count; k++) {
        struct mpdata_dwarf_range *const row =
            (struct mpdata_dwarf_range *)mpdata_vec_push(&r->ranges);
        size_t i = mpdata_dwarf_first(r->wanted, r->count, found[k].low);
        const bool has_wanted =
            i < r->count && r->wanted[i].address < found[k].high;

        if (row == NULL || !push_top(r, &found[k], has_wanted))
            return false;
        *row = found[k];
        o->has_wanted |= has_wanted;
        for (; i < r->count && r->wanted[i].address < found[k].high; i++) {
            r->spots[i].low = found[k].low;
            r->spots[i].node = node_of(r, index);
            if (r->spots[i].node == 0)
                return false;
        }
    }
    return true;
}

/* The range of the enclosing function that has this one; NULL: none. */
static const struct mpdata_dwarf_range *
find_outer(struct reader *r, const struct open *o,
           const struct mpdata_dwarf_range *range)
{
    const struct mpdata_dwarf_range *const rows =
        (const struct mpdata_dwarf_range *)r->ranges.data + o->first_range;

    for (uint32_t i = 0; i < o->range_count && spend(r, 1); i++) {
        if (rows[i].low <= range->low && range->high <= rows[i].high)
            return &rows[i];
    }
    return NULL;
}

/* Puts a range into LLVM's map, as far as the addresses of the function see. */
static bool put(struct reader *r, uint32_t index,
                const struct mpdata_dwarf_range *range, uint64_t end)
{
    for (size_t i = mpdata_dwarf_first(r->wanted, r->count, range->low);
         i < r->count && r->wanted[i].address < end; i++) {
        struct spot *const spot = &r->spots[i];

        if (!spend(r, 1))
            return false;
        if (spot->low > range->low) {
            if (spot->low < range->high)
                return false; /* the row of the map is older, and stays */
            break;
        }
        if (range->high <= r->wanted[i].address) {
            spot->low = range->high;
            continue;
        }
        spot->low = range->low;
        spot->node = node_of(r, index);
        if (spot->node == 0)
            return false;
    }
    return true;
}

/* One that lies outside of its function must not meet another. */
static bool take_stray(struct reader *r, const struct mpdata_dwarf_range *range)
{
    const size_t i = mpdata_dwarf_first(r->wanted, r->count, range->low);

    return !(i < r->count && r->wanted[i].address < range->high) &&
           push_top(r, range, false);
}

static bool take_inlined(struct reader *r, uint32_t index)
{
    const struct mpdata_dwarf_range *const found =
        (const struct mpdata_dwarf_range *)r->found.data;
    struct open *const o = &open_rows(r)[index];

    o->outer = index; /* the one before, if any */
    if (index != 0) {
        const struct open *const outer = &open_rows(r)[index - 1];

        o->first_range = outer->first_range;
        o->range_count = outer->range_count;
        o->has_wanted = outer->has_wanted;
    }
    for (uint32_t k = 0; k < r->found.count && r->work != 0; k++) {
        const struct mpdata_dwarf_range *const outer =
            find_outer(r, o, &found[k]);

        if (outer == NULL) {
            if (!take_stray(r, &found[k]))
                return false;
        } else if (o->has_wanted && !put(r, index, &found[k], outer->high)) {
            return false;
        }
    }
    return r->work != 0;
}

/* The ranges of a function go with it. */
static void close_functions(struct reader *r, uint32_t depth)
{
    while (r->opens.count != 0 &&
           open_rows(r)[r->opens.count - 1].depth > depth) {
        const struct open *const o = &open_rows(r)[--r->opens.count];

        if (o->outer == 0)
            r->ranges.count = o->first_range;
    }
}

/* A function, at whose values the cursor is. */
static bool visit(struct reader *r, struct mprof_cursor *c, uint64_t off,
                  const struct mpdata_dwarf_abbrev *abbrev, uint32_t depth)
{
    struct open *const o = (struct open *)mpdata_vec_push(&r->opens);
    const uint32_t index = r->opens.count - 1;
    struct mpdata_dwarf_die die;

    r->found.count = 0;
    if (o == NULL || !mpdata_dwarf_die_pcs(&r->cu, c, abbrev, &die) ||
        !mpdata_dwarf_die_ranges(&r->cu, &die, &r->found, &r->work))
        return false;
    o->off = off;
    o->depth = depth + 1;
    if (!(abbrev->tag == DW_TAG_subprogram ? take_function(r, index)
                                           : take_inlined(r, index)))
        return false;
    if (!abbrev->has_children)
        close_functions(r, depth);
    return true;
}

static bool note(struct mpdata_vec *offsets, uint64_t off)
{
    uint64_t *const row = (uint64_t *)mpdata_vec_push(offsets);

    if (row == NULL)
        return false;
    *row = off;
    return true;
}

/* Visits all functions of the unit. */
static bool walk(struct reader *r)
{
    struct mprof_cursor c = mpdata_dwarf_die_cu_at(&r->cu, r->cu.unit->die_off);
    uint32_t depth = 0;

    do {
        const uint32_t floor =
            r->opens.count != 0 ? open_rows(r)[r->opens.count - 1].depth : 1;
        const struct mpdata_dwarf_abbrev *abbrev;
        uint64_t off;

        if (!mpdata_dwarf_die_next_function(&r->cu, &c, floor, &depth, &abbrev,
                                            &off))
            return false;
        if (abbrev == NULL) {
            close_functions(r, depth);
            continue;
        }
        if (!visit(r, &c, off, abbrev, depth) ||
            (abbrev->tag == DW_TAG_subprogram && !note(&r->functions, off)))
            return false;
        depth += abbrev->has_children;
    } while (depth != 0);
    return true;
}

static int compare_tops(const void *left, const void *right)
{
    const struct top *const a = (const struct top *)left;
    const struct top *const b = (const struct top *)right;

    return a->low < b->low ? -1 : a->low > b->low;
}

/* A function with an address that is asked for shares nothing with another. */
static bool are_apart(const struct reader *r)
{
    struct top *const tops = (struct top *)r->tops.data;
    uint64_t high = 0;
    uint64_t wanted_high = 0;

    if (r->tops.count != 0)
        qsort(tops, r->tops.count, sizeof(*tops), compare_tops);
    for (uint32_t i = 0; i < r->tops.count; i++) {
        if (tops[i].low < (tops[i].has_wanted ? high : wanted_high))
            return false;
        high = mprof_max_u64(high, tops[i].high);
        if (tops[i].has_wanted)
            wanted_high = mprof_max_u64(wanted_high, tops[i].high);
    }
    return true;
}

/* -- what an entry is about ------------------------------------------------ */

/* The unit that an entry lies in. */
static struct mpdata_dwarf_cu *unit_at(struct reader *r, uint64_t off)
{
    const uint32_t number = mpdata_dwarf_unit_of(r->cu.dwarf, off);
    const struct mpdata_dwarf_unit *const unit =
        (const struct mpdata_dwarf_unit *)r->cu.dwarf->units.data + number - 1;
    struct mpdata_dwarf_cu **slot = &r->others[0];

    if (number == 0)
        return NULL;
    if (unit == r->cu.unit)
        return &r->cu;
    for (uint32_t i = 0; i < OTHERS_MAX; i++) {
        if (r->others[i] != NULL && r->others[i]->unit == unit) {
            r->others[i]->used = ++r->uses;
            return r->others[i];
        }
        if (*slot != NULL &&
            (r->others[i] == NULL || r->others[i]->used < (*slot)->used))
            slot = &r->others[i];
    }
    if (*slot != NULL)
        mpdata_dwarf_die_cu_fini(*slot);
    else
        *slot = (struct mpdata_dwarf_cu *)malloc(sizeof(**slot));
    if (*slot == NULL)
        return NULL;
    if (!mpdata_dwarf_die_cu_open(*slot, r->cu.dwarf, unit, true, &r->work) ||
        (*slot)->is_split) {
        mpdata_dwarf_die_cu_fini(*slot);
        free(*slot);
        *slot = NULL;
        return NULL;
    }
    (*slot)->used = ++r->uses;
    return *slot;
}

/* The entry that an attribute refers to; 0: none. */
static bool read_reference(const struct mpdata_dwarf_cu *cu,
                           const struct mpdata_dwarf_value *value,
                           uint64_t *off)
{
    *off = 0;
    if (value->kind == MPDATA_DWARF_UNIT_REF &&
        value->number < cu->unit->end - cu->unit->off)
        *off = cu->unit->off + value->number;
    else if (value->kind == MPDATA_DWARF_REF && cu->unit->version > 2)
        *off = value->number;
    return *off != 0 || value->kind == MPDATA_DWARF_NONE;
}

/* What is found on the way from an entry to its origins. */
struct origin {
    const char *linkage_name;
    const char *name;
    const char *file;
    uint64_t line;
    bool has_file;
    bool has_line;
};

static bool take_origin(struct reader *r, struct mpdata_dwarf_cu *cu,
                        const struct mpdata_dwarf_die *die,
                        struct origin *origin)
{
    const struct mpdata_dwarf_value *const linkage =
        die->MIPS_linkage_name.kind != MPDATA_DWARF_NONE
            ? &die->MIPS_linkage_name
            : &die->linkage_name;
    uint64_t number;

    if (origin->linkage_name == NULL &&
        !mpdata_dwarf_die_text(cu, linkage, &origin->linkage_name))
        return false;
    if (origin->name == NULL &&
        !mpdata_dwarf_die_text(cu, &die->name, &origin->name))
        return false;
    if (!origin->has_line && die->decl_line.kind != MPDATA_DWARF_NONE) {
        origin->has_line = true;
        if (!mpdata_dwarf_die_number(&die->decl_line, &origin->line))
            return false;
    }
    if (!origin->has_file && die->decl_file.kind != MPDATA_DWARF_NONE) {
        origin->has_file = true;
        /* LLVM finds no unit for a number that abbreviations share. */
        if (!die->decl_file.is_implicit &&
            (!mpdata_dwarf_die_number(&die->decl_file, &number) ||
             !mpdata_dwarf_line_open(cu, &r->arena, &r->work) ||
             !mpdata_dwarf_line_path(cu, number, &r->arena, &origin->file)))
            return false;
    }
    return true;
}

static int compare_offsets(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

/* Does an entry start at each of these offsets, which are in order, of a unit?
 * *count becomes how many are before its end. */
static bool are_entries(struct reader *r, const struct mpdata_dwarf_cu *cu,
                        const uint64_t *offsets, uint32_t *count)
{
    struct mprof_cursor c = mpdata_dwarf_die_cu_at(cu, cu->unit->die_off);
    const uint32_t all = *count;
    uint32_t depth = 0;
    uint32_t i = 0;

    do {
        const uint64_t off = c.pos;
        const struct mpdata_dwarf_abbrev *abbrev;

        if (!mpdata_dwarf_die_next(cu, &c, &abbrev))
            return false;
        while (abbrev != NULL && i < all && offsets[i] == off)
            i++;
        if (abbrev == NULL) {
            if (depth-- == 0)
                return false;
            continue;
        }
        if (!mpdata_dwarf_die_skip(cu, &c, abbrev) || !spend(r, 1))
            return false;
        depth += abbrev->has_children;
    } while (depth != 0 && i < all && offsets[i] < cu->unit->end &&
             offsets[i] >= c.pos);
    *count = i;
    return i == all || offsets[i] >= cu->unit->end;
}

/* Keeps the references that no visited function answers; how many. */
static uint32_t keep_unvisited(struct reader *r)
{
    uint64_t *const offsets = (uint64_t *)r->references.data;
    const uint64_t *const functions = (const uint64_t *)r->functions.data;
    uint32_t next = 0;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < r->references.count; i++) {
        while (next < r->functions.count && functions[next] < offsets[i])
            next++;
        if (next == r->functions.count || functions[next] != offsets[i])
            offsets[kept++] = offsets[i];
    }
    return kept;
}

/* What was followed must be entries: to LLVM, a place between two is none. */
static bool check_references(struct reader *r)
{
    uint64_t *const offsets = (uint64_t *)r->references.data;
    uint32_t count = r->references.count;

    if (count != 0)
        qsort(offsets, count, sizeof(*offsets), compare_offsets);
    count = keep_unvisited(r);
    for (uint32_t i = 0, part; i < count; i += part) {
        const struct mpdata_dwarf_cu *const cu = unit_at(r, offsets[i]);

        part = count - i;
        if (cu == NULL || !are_entries(r, cu, offsets + i, &part))
            return false;
    }
    return true;
}

/* Follows an entry to what it repeats. One with two origins, or that is found
 * by a signature, is left to LLVM. */
static bool read_origins(struct reader *r, const struct mpdata_dwarf_die *die,
                         struct origin *origin)
{
    struct mpdata_dwarf_cu *cu = &r->cu;
    struct mpdata_dwarf_die other = *die;

    for (uint32_t i = 0; i < ORIGINS_MAX; i++) {
        const bool is_abstract =
            other.abstract_origin.kind != MPDATA_DWARF_NONE;
        uint64_t off;

        if ((is_abstract && other.specification.kind != MPDATA_DWARF_NONE) ||
            other.signature.kind != MPDATA_DWARF_NONE ||
            !take_origin(r, cu, &other, origin) ||
            !read_reference(
                cu, is_abstract ? &other.abstract_origin : &other.specification,
                &off))
            return false;
        if (off == 0)
            return true;
        if (!note(&r->references, off))
            return false;
        cu = unit_at(r, off);
        if (cu == NULL || !mpdata_dwarf_die_at(cu, off, &other))
            return false;
    }
    return false;
}

static const char *known(const char *text)
{
    return text != NULL && text[0] != '\0' ? text : NULL;
}

/* The call is in the unit's own files. */
static bool read_call(struct reader *r, const struct mpdata_dwarf_die *die,
                      struct node *node)
{
    uint64_t file;
    uint64_t line;
    uint64_t column;
    uint64_t discriminator;

    if (!mpdata_dwarf_die_number(&die->call_file, &file) ||
        !mpdata_dwarf_die_number(&die->call_line, &line) ||
        !mpdata_dwarf_die_number(&die->call_column, &column) ||
        !mpdata_dwarf_die_number(&die->GNU_discriminator, &discriminator) ||
        file > UINT32_MAX ||
        !mpdata_dwarf_line_path(&r->cu, file, &r->arena, &node->call_file))
        return false;
    node->call_file = known(node->call_file);
    node->call_line = (uint32_t)line;
    node->call_column = (uint32_t)column;
    node->call_discriminator = (uint32_t)discriminator;
    return true;
}

static bool resolve(struct reader *r, struct node *node)
{
    struct mpdata_dwarf_die die;
    struct origin origin = {.name = NULL};

    if (node->is_resolved)
        return true;
    if (!mpdata_dwarf_die_at(&r->cu, node->off, &die) ||
        !read_origins(r, &die, &origin) || !read_call(r, &die, node))
        return false;
    node->symbol = (struct mpdata_symbol){
        .function = known(origin.linkage_name != NULL ? origin.linkage_name
                                                      : origin.name),
        .start_file = known(origin.file),
        .start_line = (uint32_t)origin.line};
    node->is_resolved = true;
    return true;
}

/* -- answers --------------------------------------------------------------- */

/* Resolves the functions that an address lies in; *count: how many. */
static bool resolve_chain(struct reader *r, uint32_t node, uint32_t *count)
{
    *count = 0;
    for (; node != 0; node = node_rows(r)[node - 1].parent) {
        if (++*count > FRAMES_MAX || !spend(r, 1) ||
            !resolve(r, &node_rows(r)[node - 1]))
            return false;
    }
    if (*count > r->frame_room)
        r->frame_room = *count;
    return true;
}

/* All that may fail, for all addresses. */
static bool prepare(struct reader *r)
{
    const char *path;
    uint32_t count;

    r->frame_room = 1;
    for (size_t i = 0; i < r->count; i++) {
        if (r->hits[i].has_row &&
            !mpdata_dwarf_line_path(&r->cu, r->hits[i].row.file, &r->arena,
                                    &path))
            return false;
        if (!resolve_chain(r, r->spots[i].node, &count))
            return false;
    }
    r->frames = (struct mpdata_symbol *)mpdata_vec_array(r->frame_room,
                                                         sizeof(*r->frames));
    return r->frames != NULL && check_references(r);
}

/* The row of the innermost frame; a row of no file says nothing. */
static void set_row(struct reader *r, const struct mpdata_dwarf_hit *hit,
                    struct mpdata_symbol *symbol)
{
    const char *path;

    if (!hit->has_row ||
        !mpdata_dwarf_line_path(&r->cu, hit->row.file, &r->arena, &path) ||
        path == NULL)
        return;
    symbol->file = known(path);
    symbol->line = hit->row.line;
    symbol->column = hit->row.column;
    symbol->discriminator = hit->row.discriminator;
}

static uint32_t make_frames(struct reader *r, size_t i)
{
    const struct node *inner = NULL;
    uint32_t count = 0;

    r->frames[0] = (struct mpdata_symbol){.function = NULL};
    for (uint32_t n = r->spots[i].node; n != 0;
         n = node_rows(r)[n - 1].parent) {
        const struct node *const node = &node_rows(r)[n - 1];
        struct mpdata_symbol *const frame = &r->frames[count++];

        *frame = node->symbol;
        if (inner != NULL) {
            frame->file = inner->call_file;
            frame->line = inner->call_line;
            frame->column = inner->call_column;
            frame->discriminator = inner->call_discriminator;
        }
        inner = node;
    }
    set_row(r, &r->hits[i], &r->frames[0]);
    return count != 0 ? count : 1;
}

static bool read_unit(struct reader *r, const struct mpdata_dwarf *dwarf)
{
    const struct mpdata_dwarf_unit *const unit =
        (const struct mpdata_dwarf_unit *)dwarf->units.data +
        r->wanted[0].unit - 1;

    r->work =
        dwarf->unit_steps + mpdata_dwarf_steps(unit->end - unit->off, r->count);
    r->spots = (struct spot *)mpdata_vec_array(r->count, sizeof(struct spot));
    r->hits = (struct mpdata_dwarf_hit *)mpdata_vec_array(
        r->count, sizeof(struct mpdata_dwarf_hit));
    return r->spots != NULL && r->hits != NULL &&
           mpdata_dwarf_die_cu_open(&r->cu, dwarf, unit, true, &r->work) &&
           !r->cu.is_split &&
           mpdata_dwarf_line_open(&r->cu, &r->arena, &r->work) && walk(r) &&
           are_apart(r) &&
           (r->cu.lines == NULL ||
            mpdata_dwarf_line_run(&r->cu, r->wanted, r->count, r->hits,
                                  &r->work)) &&
           prepare(r);
}

static void free_reader(struct reader *r)
{
    mpdata_dwarf_die_cu_fini(&r->cu);
    for (uint32_t i = 0; i < OTHERS_MAX; i++) {
        if (r->others[i] != NULL)
            mpdata_dwarf_die_cu_fini(r->others[i]);
        free(r->others[i]);
    }
    mpdata_vec_fini(&r->nodes);
    mpdata_vec_fini(&r->opens);
    mpdata_vec_fini(&r->ranges);
    mpdata_vec_fini(&r->found);
    mpdata_vec_fini(&r->tops);
    mpdata_vec_fini(&r->references);
    mpdata_vec_fini(&r->functions);
    mpdata_arena_fini(&r->arena);
    free(r->frames);
    free(r->spots);
    free(r->hits);
}

bool mpdata_dwarf_unit_find(const struct mpdata_dwarf *dwarf,
                            const struct mpdata_wanted *wanted, size_t count,
                            mpdata_dwarf_fn *fn, void *context)
{
    static const struct mpdata_symbol unknown;
    struct reader r = {
        .wanted = wanted,
        .count = count,
        .nodes = {.elem_bytes = sizeof(struct node)},
        .opens = {.elem_bytes = sizeof(struct open)},
        .ranges = {.elem_bytes = sizeof(struct mpdata_dwarf_range)},
        .found = {.elem_bytes = sizeof(struct mpdata_dwarf_range)},
        .tops = {.elem_bytes = sizeof(struct top)},
        .references = {.elem_bytes = sizeof(uint64_t)},
        .functions = {.elem_bytes = sizeof(uint64_t)}};
    bool is_read = wanted[0].unit != MPDATA_DWARF_LEFT;

    if (wanted[0].unit == MPDATA_DWARF_NO_UNIT) {
        for (size_t i = 0; i < count; i++)
            fn(context, &wanted[i], &unknown, 1);
        return true;
    }
    is_read = is_read && read_unit(&r, dwarf);
    for (size_t i = 0; is_read && i < count; i++)
        fn(context, &wanted[i], r.frames, make_frames(&r, i));
    free_reader(&r);
    return is_read;
}
