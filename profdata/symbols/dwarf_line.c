/* dwarf_line.c -- line tables.
 *
 * The row of an address is the last one at or before it, of the sequence that
 * ends first after it (of several that end there, the first in the table). So a
 * run needs two rows an address: that of the best sequence yet, and that of the
 * sequence which is being read, whose end is not known.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/dwarf_line.h"
#include "profdata/symbols/dwarf_cursor.h"

#include <limits.h>
#include <string.h>

/* -- headers --------------------------------------------------------------- */

/* Names one after the other up to an empty one: counts them, or notes them. */
static uint64_t read_names(struct mprof_cursor *c, const char **names)
{
    uint64_t count = 0;

    for (;;) {
        const uint8_t *const end =
            mprof_cursor_left(c) != 0
                ? (const uint8_t *)memchr(c->data + c->pos, 0, c->size - c->pos)
                : NULL;
        const char *const name = (const char *)c->data + c->pos;

        if (end == NULL) {
            mprof_cursor_fail(c, MPROF_E_TRUNCATED);
            return 0;
        }
        c->pos = (size_t)(end - c->data) + 1;
        if (name[0] == '\0')
            return count;
        if (names != NULL)
            names[count] = name;
        count++;
    }
}

/* A file of DWARF 2 to 4; false at the end of the list. */
static bool read_file4(struct mprof_cursor *c, struct mpdata_dwarf_file *file)
{
    const size_t start = c->pos;
    size_t size;

    if (mprof_cursor_left(c) == 0) {
        mprof_cursor_fail(c, MPROF_E_TRUNCATED);
        return false;
    }
    size = strnlen((const char *)c->data + start, c->size - start);
    mpdata_dwarf_skip(c, size + 1);
    if (size == 0)
        return false;
    *file = (struct mpdata_dwarf_file){.name = (const char *)c->data + start,
                                       .directory = mpdata_dwarf_uleb(c)};
    (void)mpdata_dwarf_uleb(c); /* time */
    (void)mpdata_dwarf_uleb(c); /* length */
    return c->err == MPROF_E_OK;
}

static bool read_tables4(struct mprof_cursor *c,
                         struct mpdata_dwarf_lines *lines,
                         struct mpdata_arena *arena)
{
    struct mprof_cursor first = *c;
    struct mpdata_dwarf_file file;

    lines->directory_count = read_names(&first, NULL);
    while (read_file4(&first, &file))
        lines->file_count++;
    if (first.err != MPROF_E_OK)
        return false;
    lines->directories = (const char **)mpdata_arena_alloc(
        arena, lines->directory_count * sizeof(const char *));
    lines->files = (struct mpdata_dwarf_file *)mpdata_arena_alloc(
        arena, lines->file_count * sizeof(*lines->files));
    if (lines->directories == NULL || lines->files == NULL)
        return false;
    (void)read_names(c, lines->directories);
    for (uint64_t i = 0; i < lines->file_count; i++)
        (void)read_file4(c, &lines->files[i]);
    c->pos = first.pos; /* after the end of the list */
    return true;
}

#define FORMATS_MAX 16

/* What the entries of a list hold. */
struct formats {
    uint64_t count;
    struct {
        uint64_t content;
        uint64_t form;
    } rows[FORMATS_MAX];
};

/* One path an entry is the rule. */
static bool read_formats(struct mprof_cursor *c, struct formats *formats)
{
    uint32_t paths = 0;

    formats->count = mpdata_dwarf_uint(c, 1);
    if (formats->count > FORMATS_MAX)
        return false;
    for (uint64_t i = 0; i < formats->count; i++) {
        formats->rows[i].content = mpdata_dwarf_uleb(c);
        formats->rows[i].form = mpdata_dwarf_uleb(c);
        paths += formats->rows[i].content == DW_LNCT_path;
    }
    return c->err == MPROF_E_OK && paths == 1;
}

/* A text of the header; strings in place lie in .debug_line. */
static bool read_text(const struct mpdata_dwarf_cu *cu,
                      const struct mpdata_dwarf_value *value, const char **text)
{
    if (value->kind == MPDATA_DWARF_STRING) {
        *text =
            mpdata_dwarf_die_text_at(&cu->dwarf->sections->line, value->number);
        return *text != NULL;
    }
    return value->kind != MPDATA_DWARF_NONE &&
           mpdata_dwarf_die_text(cu, value, text);
}

static bool read_entry(struct mprof_cursor *c, const struct mpdata_dwarf_cu *cu,
                       const struct formats *formats,
                       struct mpdata_dwarf_file *file)
{
    *file = (struct mpdata_dwarf_file){.name = NULL};
    for (uint64_t i = 0; i < formats->count; i++) {
        struct mpdata_dwarf_value value;

        if (!mpdata_dwarf_die_value(c, formats->rows[i].form, 0, &value))
            return false;
        if (formats->rows[i].content == DW_LNCT_path &&
            !read_text(cu, &value, &file->name))
            return false;
        if (formats->rows[i].content != DW_LNCT_directory_index)
            continue;
        if (value.kind != MPDATA_DWARF_CONSTANT)
            return false;
        file->directory = value.number;
    }
    return true;
}

static bool read_tables5(struct mprof_cursor *c,
                         const struct mpdata_dwarf_cu *cu,
                         struct mpdata_dwarf_lines *lines,
                         struct mpdata_arena *arena)
{
    struct mpdata_dwarf_file directory;
    struct formats formats;

    if (!read_formats(c, &formats))
        return false;
    lines->directory_count = mpdata_dwarf_uleb(c);
    if (!mprof_cursor_can_hold(c, lines->directory_count, 1))
        return false;
    lines->directories = (const char **)mpdata_arena_alloc(
        arena, lines->directory_count * sizeof(const char *));
    for (uint64_t i = 0;
         lines->directories != NULL && i < lines->directory_count; i++) {
        if (!read_entry(c, cu, &formats, &directory))
            return false;
        lines->directories[i] = directory.name;
    }
    if (!read_formats(c, &formats))
        return false;
    lines->file_count = mpdata_dwarf_uleb(c);
    if (!mprof_cursor_can_hold(c, lines->file_count, 1))
        return false;
    lines->files = (struct mpdata_dwarf_file *)mpdata_arena_alloc(
        arena, lines->file_count * sizeof(*lines->files));
    for (uint64_t i = 0; lines->files != NULL && i < lines->file_count; i++) {
        if (!read_entry(c, cu, &formats, &lines->files[i]))
            return false;
    }
    return lines->directories != NULL && lines->files != NULL;
}

/* The fields before the tables. `c` then ends where the tables do. */
static bool read_header(struct mprof_cursor *c,
                        struct mpdata_dwarf_lines *lines)
{
    uint64_t length = mpdata_dwarf_uint(c, 4);

    if (length >= DW_LENGTH_RESERVED || length > mprof_cursor_left(c))
        return false;
    lines->program_end = c->pos + (size_t)length;
    c->size = lines->program_end;
    lines->version = (uint32_t)mpdata_dwarf_uint(c, 2);
    if (lines->version < DW_VERSION_MIN || lines->version > DW_VERSION_MAX)
        return false;
    if (lines->version >= 5 && (mpdata_dwarf_uint(c, 1) != DW_ADDRESS_BYTES ||
                                mpdata_dwarf_uint(c, 1) != 0))
        return false;
    length = mpdata_dwarf_uint(c, 4);
    if (length > mprof_cursor_left(c))
        return false;
    lines->program_off = c->pos + (size_t)length;
    c->size = lines->program_off;
    lines->min_bytes = (uint32_t)mpdata_dwarf_uint(c, 1);
    if (lines->version >= 4 && mpdata_dwarf_uint(c, 1) != 1)
        return false;
    (void)mpdata_dwarf_uint(c, 1); /* default_is_stmt */
    lines->line_base = (int8_t)mpdata_dwarf_uint(c, 1);
    lines->line_range = (uint32_t)mpdata_dwarf_uint(c, 1);
    lines->opcode_base = (uint32_t)mpdata_dwarf_uint(c, 1);
    if (lines->line_range == 0 || lines->opcode_base == 0)
        return false;
    lines->lengths = mprof_cursor_bytes(c, lines->opcode_base - 1);
    return c->err == MPROF_E_OK && lines->min_bytes != 0;
}

bool mpdata_dwarf_line_open(struct mpdata_dwarf_cu *cu,
                            struct mpdata_arena *arena, uint64_t *work)
{
    const struct mpdata_elf_bytes *const section = &cu->dwarf->sections->line;
    struct mprof_cursor c =
        mprof_cursor_over(section->data, section->size, 0, "line table");
    struct mpdata_dwarf_lines *lines;
    uint64_t off;

    if (cu->lines != NULL || cu->die.stmt_list.kind == MPDATA_DWARF_NONE)
        return true;
    lines =
        (struct mpdata_dwarf_lines *)mpdata_arena_alloc(arena, sizeof(*lines));
    if (lines == NULL || !mpdata_dwarf_die_offset(cu, &cu->die.stmt_list, &off))
        return false;
    *lines = (struct mpdata_dwarf_lines){.version = 0};
    mprof_cursor_seek(&c, off);
    if (!read_header(&c, lines) ||
        !mpdata_dwarf_spend(work, lines->program_off - c.pos) ||
        !(lines->version >= 5 ? read_tables5(&c, cu, lines, arena)
                              : read_tables4(&c, lines, arena)) ||
        c.err != MPROF_E_OK || c.pos != lines->program_off)
        return false;
    cu->lines = lines;
    return true;
}

/* -- paths ----------------------------------------------------------------- */

/* Paths of other systems, and those whose first part is a network's name, mean
 * something else to LLVM. */
static bool is_plain(const char *path)
{
    return path[0] != '\\' && !(path[0] == '/' && path[1] == '/') &&
           !(path[0] != '\0' && path[1] == ':');
}

/* Adds a part to a path; one slash between them, also before nothing. */
static char *append(char *end, const char *start, const char *part)
{
    if (end != start && end[-1] == '/') {
        while (*part == '/')
            part++;
    } else if (end != start && part[0] != '/') {
        *end++ = '/';
    }
    return stpcpy(end, part);
}

/* NULL for more than a path can be, which many files might have in common. */
static const char *join(struct mpdata_arena *arena, const char *const *parts,
                        size_t count)
{
    size_t size = 1;
    char *path;
    char *end;

    for (size_t i = 0; i < count; i++)
        size += strnlen(parts[i], PATH_MAX) + 1;
    if (size > PATH_MAX)
        return NULL;
    path = (char *)mpdata_arena_alloc(arena, size);
    if (path == NULL)
        return NULL;
    end = path;
    for (size_t i = 0; i < count; i++)
        end = append(end, path, parts[i]);
    *end = '\0';
    return path;
}

/* The directory of compilation stands before all but absolute paths, and but
 * directory 0 of DWARF 5, which is that very directory. */
static bool make_path(const struct mpdata_dwarf_cu *cu,
                      struct mpdata_dwarf_file *file,
                      struct mpdata_arena *arena)
{
    const struct mpdata_dwarf_lines *const lines = cu->lines;
    const bool is_5 = lines->version >= 5;
    const uint64_t row = is_5 ? file->directory : file->directory - 1;
    const char *parts[3] = {"", "", file->name};

    if (!is_plain(file->name))
        return false;
    if (file->name[0] == '/') {
        file->path = file->name;
        return true;
    }
    if (row < lines->directory_count)
        parts[1] = lines->directories[row];
    if (cu->directory != NULL && !(is_5 && file->directory == 0) &&
        parts[1][0] != '/')
        parts[0] = cu->directory;
    if (!is_plain(parts[0]) || !is_plain(parts[1]))
        return false;
    file->path = join(arena, parts, MPROF_ARRAY_LEN(parts));
    return file->path != NULL;
}

bool mpdata_dwarf_line_path(struct mpdata_dwarf_cu *cu, uint64_t number,
                            struct mpdata_arena *arena, const char **path)
{
    struct mpdata_dwarf_file *file;
    uint64_t row;

    *path = NULL;
    if (cu->lines == NULL)
        return true;
    row = cu->lines->version >= 5 ? number : number - 1;
    if (row >= cu->lines->file_count)
        return true;
    file = &cu->lines->files[row];
    if (file->path == NULL && !make_path(cu, file, arena))
        return false;
    *path = file->path;
    return true;
}

/* -- programs -------------------------------------------------------------- */

struct run {
    const struct mpdata_wanted *wanted;
    size_t count;
    struct mpdata_dwarf_hit *hits;
    /* The sequence that is being read. */
    uint64_t low;
    uint64_t last;         /* address of the row before */
    size_t next;           /* the first address at or after it */
    uint64_t next_address; /* UINT64_MAX: none */
    bool is_open;
    bool is_backward;
    /* The registers. */
    uint64_t address;
    struct mpdata_dwarf_row now;
    struct mpdata_dwarf_row before;
    bool is_dead;
    bool is_odd;   /* LLVM would cut a number, or does something else */
    uint64_t work; /* steps that are left; without any the run ends */
};

static void set_next(struct run *run, size_t next)
{
    run->next = next;
    run->next_address =
        next < run->count ? run->wanted[next].address : UINT64_MAX;
}

/* The addresses before this one have the row before. */
static void pass(struct run *run)
{
    size_t i = run->next;

    for (; i < run->count && run->wanted[i].address < run->address; i++)
        run->hits[i].next = run->before;
    (void)mpdata_dwarf_spend(&run->work, i - run->next);
    set_next(run, i);
}

static void emit(struct run *run)
{
    if (MPROF_UNLIKELY(run->is_dead))
        return;
    if (MPROF_UNLIKELY(!run->is_open)) {
        run->is_open = true;
        run->is_backward = false;
        run->low = run->address;
        set_next(run,
                 mpdata_dwarf_first(run->wanted, run->count, run->address));
    } else if (MPROF_UNLIKELY(run->address < run->last)) {
        run->is_backward = true;
    } else if (MPROF_UNLIKELY(run->next_address < run->address)) {
        pass(run);
    }
    run->last = run->address;
    run->before = run->now;
    run->now.discriminator = 0;
}

/* Ends are found for higher addresses no sooner than for lower ones, so where
 * an address keeps its end those before it do. */
static void take_sequence(struct run *run)
{
    const uint64_t high = run->address;
    size_t i = mpdata_dwarf_first(run->wanted, run->count, high);

    if (run->low >= high)
        return;
    while (i-- != 0 && run->hits[i].end > high && run->work != 0) {
        struct mpdata_dwarf_hit *const hit = &run->hits[i];

        hit->end = high;
        hit->has_row = run->wanted[i].address >= run->low;
        hit->is_doubtful = hit->has_row && run->is_backward;
        hit->row = hit->next;
        (void)mpdata_dwarf_spend(&run->work, 1);
    }
}

static void reset(struct run *run)
{
    run->is_open = false;
    run->address = 0;
    run->now = (struct mpdata_dwarf_row){.file = 1, .line = 1};
}

static bool run_extended(struct run *run, struct mprof_cursor *c)
{
    const uint64_t length = mpdata_dwarf_uleb(c);
    const size_t start = c->pos;

    if (length == 0 || length > mprof_cursor_left(c))
        return false;
    switch (mpdata_dwarf_uint(c, 1)) {
    case DW_LNE_end_sequence:
        emit(run);
        if (run->is_open && !run->is_dead)
            take_sequence(run);
        reset(run);
        break;
    case DW_LNE_set_address:
        run->address = mpdata_dwarf_uint(c, DW_ADDRESS_BYTES);
        run->is_dead = run->address == DW_TOMBSTONE;
        break;
    case DW_LNE_define_file:
        return false;
    case DW_LNE_set_discriminator: {
        const uint64_t number = mpdata_dwarf_uleb(c);

        run->now.discriminator = (uint32_t)number;
        run->is_odd |= number > UINT32_MAX;
        break;
    }
    default:
        mpdata_dwarf_skip(c, length - 1);
        break;
    }
    return c->err == MPROF_E_OK && c->pos == start + length;
}

/* Files and columns have 16 bits in LLVM. */
static uint32_t read_short(struct run *run, struct mprof_cursor *c)
{
    const uint64_t number = mpdata_dwarf_uleb(c);

    run->is_odd |= number > UINT16_MAX;
    return (uint32_t)number;
}

static bool run_standard(struct run *run, struct mprof_cursor *c,
                         const struct mpdata_dwarf_lines *lines,
                         uint64_t opcode)
{
    switch (opcode) {
    case DW_LNS_extended:
        return run_extended(run, c);
    case DW_LNS_copy:
        emit(run);
        break;
    case DW_LNS_advance_pc:
        run->address += mpdata_dwarf_uleb(c) * lines->min_bytes;
        break;
    case DW_LNS_advance_line:
        run->now.line += (uint32_t)mpdata_dwarf_sleb(c);
        break;
    case DW_LNS_set_file:
        run->now.file = read_short(run, c);
        break;
    case DW_LNS_set_column:
        run->now.column = read_short(run, c);
        break;
    case DW_LNS_const_add_pc:
        run->address +=
            (uint64_t)((255 - lines->opcode_base) / lines->line_range) *
            lines->min_bytes;
        break;
    case DW_LNS_fixed_advance_pc:
        run->address += mpdata_dwarf_uint(c, 2);
        break;
    case DW_LNS_negate_stmt:
    case DW_LNS_set_basic_block:
    case DW_LNS_set_prologue_end:
    case DW_LNS_set_epilogue_begin:
        break;
    case DW_LNS_set_isa:
        (void)mpdata_dwarf_uleb(c);
        break;
    default:
        for (uint8_t i = 0; i < lines->lengths[opcode - 1]; i++)
            (void)mpdata_dwarf_uleb(c);
        break;
    }
    return c->err == MPROF_E_OK;
}

/* What the special opcodes do. */
struct step {
    uint16_t bytes;
    int16_t lines;
};

static void make_steps(const struct mpdata_dwarf_lines *lines,
                       struct step steps[256])
{
    for (uint32_t opcode = lines->opcode_base; opcode < 256; opcode++) {
        const uint32_t adjusted = opcode - lines->opcode_base;

        steps[opcode] = (struct step){
            .bytes =
                (uint16_t)(adjusted / lines->line_range * lines->min_bytes),
            .lines = (int16_t)(lines->line_base +
                               (int32_t)(adjusted % lines->line_range))};
    }
}

bool mpdata_dwarf_line_run(const struct mpdata_dwarf_cu *cu,
                           const struct mpdata_wanted *wanted, size_t count,
                           struct mpdata_dwarf_hit *hits, uint64_t *work)
{
    const struct mpdata_dwarf_lines *const lines = cu->lines;
    struct mprof_cursor c = mprof_cursor_over(
        cu->dwarf->sections->line.data, lines->program_end, 0, "line table");
    struct run run = {
        .wanted = wanted, .count = count, .hits = hits, .work = *work};
    struct step steps[256];
    bool doubt = false;

    if (!mpdata_dwarf_spend(&run.work, c.size - lines->program_off))
        return false;
    make_steps(lines, steps);
    for (size_t i = 0; i < count; i++)
        hits[i].end = UINT64_MAX;
    reset(&run);
    mprof_cursor_seek(&c, lines->program_off);
    while (c.err == MPROF_E_OK && c.pos < c.size && run.work != 0) {
        const uint8_t opcode = c.data[c.pos++];

        if (opcode >= lines->opcode_base) {
            run.address += steps[opcode].bytes;
            run.now.line += (uint32_t)(int32_t)steps[opcode].lines;
            emit(&run);
        } else if (!run_standard(&run, &c, lines, opcode)) {
            return false;
        }
    }
    for (size_t i = 0; i < count; i++)
        doubt |= hits[i].is_doubtful;
    *work = run.work;
    return c.err == MPROF_E_OK && run.work != 0 && !run.is_open &&
           !run.is_odd && !doubt;
}
