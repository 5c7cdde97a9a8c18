/* symbolizer_dwarf.c -- finds frames with libdw: the compile unit of each
 * address by the units' ranges, then one walk over a unit's entries for all its
 * addresses, which descends only into functions that contain one of them.
 *
 * The other reader (LLVM's) gets an address if libdw's answer could differ from
 * LLVM's: two functions or units claim it, no function contains it, or a part
 * of the debug information is missing or unreadable.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/symbolizer_dwarf.h"
#include "profdata/base/vec.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limit of the nesting of entries and of inlined functions. */
#define DEPTH_MAX 512u
/* libdw keeps everything that it decoded, so the file is reopened after units
 * of this total size. */
#define FORGET_BYTES (UINT64_C(16) << 20)
/* LLVM writes this attribute; elfutils 0.188 does not define it. */
#ifndef DW_AT_GNU_discriminator
#define DW_AT_GNU_discriminator 0x2136
#endif

/* An address to look up. */
struct query {
    uint64_t address;
    size_t index;      /* index in the caller's addresses */
    uint32_t unit;     /* index + 1; 0: no unit contains the address */
    uint32_t node;     /* innermost function, index + 1; 0: none */
    bool is_ambiguous; /* two functions or units contain the address */
};

struct unit {
    uint64_t die_off;
    uint64_t bytes;
};

/* A function or an inlined call that contains at least one address. */
struct node {
    Dwarf_Die die;
    uint32_t parent; /* index + 1; 0: the function is not inlined */
    bool is_known;
    struct mpdata_symbol symbol; /* function, start_file, start_line */
    struct mpdata_symbol call;   /* file, line, column, discriminator */
};

/* A relative path of libdw, and the path with the compilation directory
 * prepended. */
struct joined {
    const char *relative; /* borrowed from libdw */
    char *path;           /* owned */
};

struct reader {
    struct mpdata_symbolizer_file *file;
    Dwarf *dwarf;
    struct query *queries; /* ordered by address; later by unit and address */
    size_t count;
    struct mpdata_vec units;
    struct mpdata_vec nodes;  /* of the current unit */
    struct mpdata_vec joined; /* of the current unit */
    bool is_cut;              /* the current unit is nested too deeply */
    bool is_damaged;          /* not all units could be listed */
    bool failed;              /* out of memory */
    mpdata_symbolizer_dwarf_fn *fn;
    void *context;
};

/* -- the file -------------------------------------------------------------- */

/* Callback of libdwfl: returns the debug file that the caller found, so that
 * libdwfl does not search for one. */
static int find_debuginfo(Dwfl_Module *module, void **user, const char *name,
                          Dwarf_Addr base, const char *file, const char *link,
                          GElf_Word crc, char **found)
{
    const char *const path = *(const char *const *)user;

    (void)module, (void)name, (void)base, (void)file, (void)link, (void)crc;
    if (path == NULL || path[0] == '\0')
        return -1;
    *found = strdup(path);
    return *found != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

static void close_file(struct mpdata_symbolizer_file *file)
{
    if (file->dwfl != NULL)
        dwfl_end(file->dwfl);
    file->dwfl = NULL;
    file->module = NULL;
}

bool mpdata_symbolizer_dwarf_open(struct mpdata_symbolizer_file *file)
{
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = find_debuginfo,
        .section_address = dwfl_offline_section_address,
    };
    void **user;

    file->dwfl = dwfl_begin(&callbacks);
    if (file->dwfl == NULL)
        return false;
    dwfl_report_begin(file->dwfl);
    file->module =
        dwfl_report_elf(file->dwfl, file->path, file->path, -1, 0, true);
    dwfl_report_end(file->dwfl, NULL, NULL);
    if (file->module == NULL) {
        close_file(file);
        return false;
    }
    dwfl_module_info(file->module, &user, NULL, NULL, NULL, NULL, NULL, NULL);
    *user = (void *)(uintptr_t)file->debug;
    return true;
}

static void find_dwarf(struct reader *r)
{
    Dwarf_Addr bias = 0;

    r->dwarf = r->file->module != NULL
                   ? dwfl_module_getdwarf(r->file->module, &bias)
                   : NULL;
    /* The file is opened without a bias; another value cannot be handled. */
    if (bias != 0)
        r->dwarf = NULL;
}

static void forget(struct reader *r)
{
    close_file(r->file);
    if (!mpdata_symbolizer_dwarf_open(r->file))
        r->file->module = NULL;
    find_dwarf(r);
}

/* -- units ----------------------------------------------------------------- */

static size_t first_from(const struct reader *r, size_t from, size_t to,
                         uint64_t low)
{
    return from + mpdata_vec_first(r->queries + from, to - from,
                                   sizeof(*r->queries),
                                   offsetof(struct query, address), low);
}

/* Assigns the addresses in an entry's ranges to the unit. Returns false if the
 * entry has no ranges. */
static bool assign_ranges(struct reader *r, Dwarf_Die *die, uint32_t unit)
{
    Dwarf_Addr base, low, high;
    ptrdiff_t at = 0;
    bool has_ranges = false;

    while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
        has_ranges = true;
        for (size_t i = first_from(r, 0, r->count, low);
             i < r->count && r->queries[i].address < high; i++) {
            r->queries[i].is_ambiguous |=
                r->queries[i].unit != 0 && r->queries[i].unit != unit;
            r->queries[i].unit = unit;
        }
    }
    return has_ranges;
}

/* Assigns addresses by the ranges of a unit's functions, if the unit has none.
 */
static void assign_functions(struct reader *r, Dwarf_Die *outer, uint32_t unit,
                             unsigned depth)
{
    Dwarf_Die die;

    if (depth == DEPTH_MAX || dwarf_child(outer, &die) != 0)
        return;
    do {
        const int tag = dwarf_tag(&die);

        if (tag == DW_TAG_subprogram)
            (void)assign_ranges(r, &die, unit);
        else if (tag == DW_TAG_namespace)
            assign_functions(r, &die, unit, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

MPROF_COMPARATOR(compare_queries, struct query,
                 MPROF_UP(unit) ?: MPROF_UP(address))

static void assign_units(struct reader *r)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die die;
    uint8_t type;
    int result;

    while ((result = dwarf_get_units(r->dwarf, cu, &cu, NULL, &type, &die,
                                     NULL)) == 0) {
        struct unit *const row = mpdata_vec_push(&r->units);

        if (row == NULL) {
            r->failed = true;
            return;
        }
        *row = (struct unit){.die_off = dwarf_dieoffset(&die)};
        if (r->units.count > 1)
            row[-1].bytes = row->die_off - row[-1].die_off;
        if (type != DW_UT_type && type != DW_UT_partial &&
            !assign_ranges(r, &die, r->units.count))
            assign_functions(r, &die, r->units.count, 0);
    }
    r->is_damaged = result < 0;
}

/* -- functions of a unit --------------------------------------------------- */

/* Returns the node, index + 1, of a function that contains some of the
 * addresses; 0 if it contains none. `parent` is the enclosing function. */
static uint32_t mark(struct reader *r, Dwarf_Die *die, uint32_t parent,
                     size_t from, size_t to)
{
    Dwarf_Addr base, low, high;
    ptrdiff_t at = 0;
    uint32_t number = 0;

    while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
        for (size_t i = first_from(r, from, to, low);
             i < to && r->queries[i].address < high; i++) {
            if (number == 0) {
                const struct node node = {.die = *die, .parent = parent};

                if (!mpdata_vec_add(&r->nodes, &node)) {
                    r->failed = true;
                    return 0;
                }
                number = r->nodes.count;
            }
            r->queries[i].is_ambiguous |=
                r->queries[i].node != parent && r->queries[i].node != number;
            r->queries[i].node = number;
        }
    }
    return number;
}

static void walk(struct reader *r, Dwarf_Die *outer, uint32_t parent,
                 size_t from, size_t to, unsigned depth)
{
    Dwarf_Die die;

    if (depth == DEPTH_MAX) {
        r->is_cut = true;
        return;
    }
    if (r->failed || dwarf_child(outer, &die) != 0)
        return;
    do {
        const int tag = dwarf_tag(&die);
        uint32_t node = parent;
        bool is_entered =
            tag == DW_TAG_namespace || tag == DW_TAG_lexical_block;

        if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
            node =
                mark(r, &die, tag == DW_TAG_subprogram ? 0 : parent, from, to);
            is_entered = node != 0;
        }
        if (is_entered)
            walk(r, &die, node, from, to, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static void free_joined(struct reader *r)
{
    struct joined *const rows = r->joined.data;

    for (uint32_t i = 0; i < r->joined.count; i++)
        free(rows[i].path);
    r->joined.count = 0;
}

/* Makes a path absolute as LLVM does: libdw keeps a path relative if the line
 * table's directory is relative. Valid until the next unit. */
static const char *absolute(struct reader *r, Dwarf_Die *cu, const char *path)
{
    const struct joined *const rows = r->joined.data;
    Dwarf_Attribute attribute;

    if (path == NULL || path[0] == '/')
        return path;
    for (uint32_t i = 0; i < r->joined.count; i++) {
        if (rows[i].relative == path)
            return rows[i].path;
    }
    const char *directory =
        dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attribute));
    struct joined *row = directory != NULL ? mpdata_vec_push(&r->joined) : NULL;
    if (row == NULL)
        return path;
    row->relative = path;
    if (asprintf(&row->path, "%s/%s", directory, path) < 0) {
        r->joined.count--;
        return path;
    }
    return row->path;
}

static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;

    if (dwarf_attr_integrate(die, name, &attribute) != NULL)
        dwarf_formudata(&attribute, &value);
    return (uint32_t)value;
}

/* Replaces dwarf_decl_file(): elfutils 0.188 treats file 0 as missing, but it
 * is valid in DWARF 5. */
static const char *file_of(struct reader *r, Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Files *files;
    Dwarf_Word file;
    Dwarf_Die cu;
    size_t n;

    if (dwarf_attr_integrate(die, name, &attribute) == NULL ||
        dwarf_formudata(&attribute, &file) != 0 ||
        dwarf_cu_die(attribute.cu, &cu, NULL, NULL, NULL, NULL, NULL, NULL) ==
            NULL ||
        dwarf_getsrcfiles(&cu, &files, &n) != 0)
        return NULL;
    return absolute(r, &cu, dwarf_filesrc(files, file, NULL, NULL));
}

static const char *linkage_name(Dwarf_Die *die)
{
    static const unsigned names[] = {DW_AT_linkage_name,
                                     DW_AT_MIPS_linkage_name};
    Dwarf_Attribute attribute;

    for (size_t i = 0; i < MPROF_ARRAY_LEN(names); i++) {
        const char *const name =
            dwarf_formstring(dwarf_attr_integrate(die, names[i], &attribute));

        if (name != NULL)
            return name;
    }
    return dwarf_diename(die);
}

static void resolve(struct reader *r, struct node *node)
{
    Dwarf_Die *const die = &node->die;

    if (node->is_known)
        return;
    node->is_known = true;
    node->symbol.function = linkage_name(die);
    node->symbol.start_file = file_of(r, die, DW_AT_decl_file);
    node->symbol.start_line = number_of(die, DW_AT_decl_line);
    if (node->parent == 0)
        return;
    node->call.file = file_of(r, die, DW_AT_call_file);
    node->call.line = number_of(die, DW_AT_call_line);
    node->call.column = number_of(die, DW_AT_call_column);
    node->call.discriminator = number_of(die, DW_AT_GNU_discriminator);
}

/* -- answers --------------------------------------------------------------- */

/* Lists the functions of an address, innermost first. Returns their number; 0:
 * too many. */
static size_t take_functions(struct reader *r, const struct query *query,
                             struct mpdata_symbol frames[DEPTH_MAX])
{
    const struct node *inner = NULL;
    size_t n = 0;

    for (uint32_t k = query->node; k != 0; k = inner->parent) {
        struct node *const node = (struct node *)r->nodes.data + k - 1;

        if (n == DEPTH_MAX)
            return 0;
        resolve(r, node);
        frames[n] = node->symbol;
        if (inner != NULL) {
            frames[n].file = inner->call.file;
            frames[n].line = inner->call.line;
            frames[n].column = inner->call.column;
            frames[n].discriminator = inner->call.discriminator;
        }
        n++;
        inner = node;
    }
    return n;
}

static void take_row(struct reader *r, Dwarf_Die *cu, uint64_t address,
                     struct mpdata_symbol *frame)
{
    Dwarf_Line *const row = dwarf_getsrc_die(cu, address);
    int line = 0;
    int column = 0;

    if (row == NULL)
        return;
    frame->file = absolute(r, cu, dwarf_linesrc(row, NULL, NULL));
    dwarf_lineno(row, &line);
    dwarf_linecol(row, &column);
    dwarf_linediscriminator(row, &frame->discriminator);
    frame->line = (uint32_t)line;
    frame->column = (uint32_t)column;
}

/* A unit of assembler code has lines but no functions. */
static bool is_assembler(Dwarf_Die *cu)
{
    return dwarf_srclang(cu) == DW_LANG_Mips_Assembler;
}

static bool has_lines(Dwarf_Die *cu)
{
    Dwarf_Lines *lines;
    size_t n;

    return !dwarf_hasattr(cu, DW_AT_stmt_list) ||
           dwarf_getsrclines(cu, &lines, &n) == 0;
}

/* Returns the path of a unit's file of split DWARF, malloc'd, or NULL. */
static char *split_path(Dwarf_Die *cu)
{
    Dwarf_Attribute attribute;
    const char *name =
        dwarf_formstring(dwarf_attr(cu, DW_AT_dwo_name, &attribute));
    char *path = NULL;

    if (name == NULL)
        name = dwarf_formstring(dwarf_attr(cu, DW_AT_GNU_dwo_name, &attribute));
    if (name == NULL)
        return NULL;
    const char *directory =
        dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attribute));
    if (name[0] == '/' || directory == NULL)
        return strdup(name);
    return asprintf(&path, "%s/%s", directory, name) >= 0 ? path : NULL;
}

static void answer_unknown(const struct reader *r, size_t from, size_t to,
                           const char *split)
{
    for (size_t i = from; i < to; i++)
        r->fn(r->context, r->queries[i].index, NULL, 0,
              i == from ? split : NULL);
}

/* Answers for addresses outside all units. They have no debug information,
 * unless the list of units is incomplete. */
static void answer_outside(const struct reader *r, size_t to)
{
    static const struct mpdata_symbol unknown;

    if (r->is_damaged) {
        answer_unknown(r, 0, to, NULL);
        return;
    }
    for (size_t i = 0; i < to; i++)
        r->fn(r->context, r->queries[i].index, &unknown, 1, NULL);
}

static void answer_queries(struct reader *r, Dwarf_Die *cu, size_t from,
                           size_t to, const char *split)
{
    static struct mpdata_symbol frames[DEPTH_MAX];
    const bool is_sound = !r->is_cut && has_lines(cu);

    for (size_t i = from; i < to; i++) {
        const struct query *const query = &r->queries[i];
        size_t n = 0;

        frames[0] = (struct mpdata_symbol){.function = NULL};
        if (is_sound && !query->is_ambiguous)
            n = query->node != 0 ? take_functions(r, query, frames)
                                 : is_assembler(cu);
        if (n != 0)
            take_row(r, cu, query->address, &frames[0]);
        r->fn(r->context, query->index, frames, n, i == from ? split : NULL);
    }
}

/* Answers for the addresses of one unit. With split DWARF its entries are in
 * another file, which may be missing. */
static void answer_unit(struct reader *r, const struct unit *unit, size_t from,
                        size_t to)
{
    Dwarf_Die cu, split_cu;
    uint8_t type = 0;

    if (r->dwarf == NULL ||
        dwarf_offdie(r->dwarf, unit->die_off, &cu) == NULL ||
        dwarf_cu_info(cu.cu, NULL, &type, NULL, &split_cu, NULL, NULL, NULL) !=
            0) {
        answer_unknown(r, from, to, NULL);
        return;
    }
    free_joined(r);
    r->nodes.count = 0;
    r->is_cut = false;
    char *split = type == DW_UT_skeleton ? split_path(&cu) : NULL;
    if (type != DW_UT_skeleton)
        walk(r, &cu, 0, from, to, 0);
    else if (split_cu.addr != NULL)
        walk(r, &split_cu, 0, from, to, 0);
    answer_queries(r, &cu, from, to, split);
    free(split);
}

static void answer_all(struct reader *r)
{
    const struct unit *const units = r->units.data;
    uint64_t bytes = 0;
    size_t from = 0;

    while (from < r->count && r->queries[from].unit == 0)
        from++;
    answer_outside(r, from);
    for (size_t to; from < r->count && !r->failed; from = to) {
        const struct unit *const unit = &units[r->queries[from].unit - 1];

        for (to = from + 1;
             to < r->count && r->queries[to].unit == r->queries[from].unit;)
            to++;
        if (bytes > FORGET_BYTES) {
            forget(r);
            bytes = 0;
        }
        bytes += unit->bytes;
        answer_unit(r, unit, from, to);
    }
}

bool mpdata_symbolizer_dwarf_find(struct mpdata_symbolizer_file *file,
                                  const uint64_t *addresses, size_t count,
                                  mpdata_symbolizer_dwarf_fn *fn, void *context)
{
    struct reader r = {.file = file,
                       .count = count,
                       .units = {.elem_bytes = sizeof(struct unit)},
                       .nodes = {.elem_bytes = sizeof(struct node)},
                       .joined = {.elem_bytes = sizeof(struct joined)},
                       .fn = fn,
                       .context = context};

    r.queries = calloc(count, sizeof(*r.queries));
    if (r.queries == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        r.queries[i] = (struct query){.address = addresses[i], .index = i};
    find_dwarf(&r);
    if (r.dwarf != NULL)
        assign_units(&r);
    else
        r.is_damaged = true;
    qsort(r.queries, count, sizeof(*r.queries), compare_queries);
    if (!r.failed)
        answer_all(&r);
    free(r.queries);
    mpdata_vec_fini(&r.units);
    mpdata_vec_fini(&r.nodes);
    free_joined(&r);
    mpdata_vec_fini(&r.joined);
    return !r.failed;
}
