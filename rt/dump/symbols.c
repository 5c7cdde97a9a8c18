/* symbols.c -- names of functions, from .symtab of the mapped file or else from
 * .dynsym. The file is read, not mapped, because another process may truncate
 * it. If its build id is not the binary's, the file has been replaced and is
 * not used. Every number in it is checked before use.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/dump.h"
#include "rt/base/libc.h"
#include "rt/base/mapbuf.h"
#include "rt/base/options.h"
#include "rt/base/os.h"

#include <elf.h>

/* A larger table is not plausible. */
#define PIECE_BYTES_MAX ((uint64_t)1 << 32)

/* A part of a file, with a zero byte behind it. */
struct piece {
    void *data;
    size_t bytes;
};

struct mprt_symbol_table {
    struct piece symbols;
    struct piece names;
    /* indices of functions by address; the preferred name comes last */
    uint32_t *order;
    uint32_t count;
    uint32_t room; /* room in order */
    bool was_read;
};

static void free_piece(struct piece *piece)
{
    mprt_mapbuf_free_array(piece->data, piece->bytes + 1, 1);
    *piece = (struct piece){.data = NULL};
}

static bool read_piece(int fd, uint64_t offset, uint64_t bytes,
                       struct piece *piece)
{
    size_t used = 0;

    *piece = (struct piece){.data = NULL};
    if (bytes == 0 || bytes > PIECE_BYTES_MAX)
        return false;
    piece->bytes = (size_t)bytes;
    piece->data = mprt_mapbuf_new_array(piece->bytes + 1, 1);
    while (piece->data != NULL && used < piece->bytes) {
        const int64_t n = mprt_os_read_at(fd, (char *)piece->data + used,
                                          piece->bytes - used, offset + used);
        if (n <= 0)
            free_piece(piece);
        else
            used += (size_t)n;
    }
    return piece->data != NULL;
}

/* -- identity of the file -------------------------------------------------- */

static bool holds(const struct piece *piece, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; piece->bytes >= count && i <= piece->bytes - count;
         i++) {
        if (mprt_libc_memcmp((const char *)piece->data + i, bytes, count) == 0)
            return true;
    }
    return false;
}

/* Whether one of its notes contains the binary's build id. */
static bool has_build_id(int fd, const ElfW(Ehdr) * header,
                         const struct mprt_module *module)
{
    struct piece piece;
    struct piece note;
    bool has = module->build_id_bytes == 0;

    if (has || header->e_phentsize != sizeof(ElfW(Phdr)) ||
        !read_piece(fd, header->e_phoff, header->e_phnum * sizeof(ElfW(Phdr)),
                    &piece))
        return has;
    for (uint32_t i = 0; !has && i < header->e_phnum; i++) {
        const ElfW(Phdr) *const phdr = (const ElfW(Phdr) *)piece.data + i;

        if (phdr->p_type != PT_NOTE ||
            !read_piece(fd, phdr->p_offset, phdr->p_filesz, &note))
            continue;
        has = holds(&note, module->build_id, module->build_id_bytes);
        free_piece(&note);
    }
    free_piece(&piece);
    return has;
}

/* -- reading --------------------------------------------------------------- */

static const ElfW(Shdr) *
    find_section(const struct piece *sections, uint32_t type)
{
    const ElfW(Shdr) *const section = (const ElfW(Shdr) *)sections->data;

    for (size_t i = 0; i < sections->bytes / sizeof(*section); i++) {
        if (section[i].sh_type == type)
            return &section[i];
    }
    return NULL;
}

static bool read_section(int fd, const struct piece *sections, uint32_t type,
                         struct mprt_symbol_table *table)
{
    const ElfW(Shdr) *const all = (const ElfW(Shdr) *)sections->data;
    const ElfW(Shdr) *const section = find_section(sections, type);

    if (section == NULL || section->sh_entsize != sizeof(ElfW(Sym)) ||
        section->sh_link >= sections->bytes / sizeof(*all) ||
        !read_piece(fd, section->sh_offset, section->sh_size, &table->symbols))
        return false;
    if (read_piece(fd, all[section->sh_link].sh_offset,
                   all[section->sh_link].sh_size, &table->names))
        return true;
    free_piece(&table->symbols);
    return false;
}

static bool read_file(int fd, const struct mprt_module *module,
                      struct mprt_symbol_table *table)
{
    ElfW(Ehdr) header;
    struct piece sections;

    if (mprt_os_read_at(fd, &header, sizeof(header), 0) != sizeof(header) ||
        mprt_libc_memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_shentsize != sizeof(ElfW(Shdr)) ||
        !has_build_id(fd, &header, module) ||
        !read_piece(fd, header.e_shoff, header.e_shnum * sizeof(ElfW(Shdr)),
                    &sections))
        return false;
    const bool has_read = read_section(fd, &sections, SHT_SYMTAB, table) ||
                          read_section(fd, &sections, SHT_DYNSYM, table);
    free_piece(&sections);
    return has_read;
}

/* -- order ----------------------------------------------------------------- */

static const ElfW(Sym) *
    symbol_at(const struct mprt_symbol_table *table, uint32_t i)
{
    return (const ElfW(Sym) *)table->symbols.data + i;
}

static bool is_function(const struct mprt_symbol_table *table, uint32_t i)
{
    const ElfW(Sym) *const symbol = symbol_at(table, i);
    const unsigned type = ELF64_ST_TYPE(symbol->st_info);

    return (type == STT_FUNC || type == STT_GNU_IFUNC) &&
           symbol->st_shndx != SHN_UNDEF &&
           symbol->st_name < table->names.bytes;
}

/* Of several names for one address, prefer global ones. */
static unsigned rank(const ElfW(Sym) * symbol)
{
    switch (ELF64_ST_BIND(symbol->st_info)) {
    case STB_GLOBAL:
        return 2;
    case STB_WEAK:
        return 1;
    default:
        return 0;
    }
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
    const struct mprt_symbol_table *const table =
        (const struct mprt_symbol_table *)context;
    const ElfW(Sym) *const x = symbol_at(table, a);
    const ElfW(Sym) *const y = symbol_at(table, b);

    if (x->st_value != y->st_value)
        return x->st_value < y->st_value;
    return rank(x) < rank(y);
}

static void order(struct mprt_symbol_table *table)
{
    const uint32_t all = (uint32_t)(table->symbols.bytes / sizeof(ElfW(Sym)));
    uint32_t *const scratch =
        (uint32_t *)mprt_mapbuf_new_array(all, sizeof(*scratch));

    table->order = mprt_mapbuf_new_array(all, sizeof(*scratch));
    table->room = all;
    if (table->order != NULL && scratch != NULL) {
        for (uint32_t i = 0; i < all; i++) {
            if (is_function(table, i))
                table->order[table->count++] = i;
        }
        mprt_sort_u32(table->order, scratch, table->count, is_before, table);
    }
    mprt_mapbuf_free_array(scratch, all, sizeof(*scratch));
}

static void read_table(struct mprt_symbol_table *table,
                       const struct mprt_module *module)
{
    table->was_read = true;
    if (module->path[0] == '\0')
        return;
    const int fd = mprt_os_open_read(module->path);
    if (fd < 0)
        return;
    if (read_file(fd, module, table))
        order(table);
    mprt_os_close(fd);
}

/* -- look-up --------------------------------------------------------------- */

void mprt_symbols_init(struct mprt_symbols *symbols,
                       const struct mprt_module_list *modules)
{
    symbols->modules = modules;
    symbols->tables = mprt_options.symbolize
                          ? (struct mprt_symbol_table *)mprt_mapbuf_new_array(
                                modules->count, sizeof(*symbols->tables))
                          : NULL;
}

void mprt_symbols_free(struct mprt_symbols *symbols)
{
    const uint32_t count = symbols->modules->count;

    for (uint32_t i = 0; symbols->tables != NULL && i < count; i++) {
        struct mprt_symbol_table *const table = &symbols->tables[i];

        free_piece(&table->symbols);
        free_piece(&table->names);
        mprt_mapbuf_free_array(table->order, table->room,
                               sizeof(*table->order));
    }
    mprt_mapbuf_free_array(symbols->tables, count, sizeof(*symbols->tables));
}

/* Number of functions that begin at or below the address. */
static uint32_t count_up_to(const struct mprt_symbol_table *table,
                            uint64_t address)
{
    uint32_t low = 0;
    uint32_t high = table->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (symbol_at(table, table->order[middle])->st_value <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const char *mprt_symbols_find(struct mprt_symbols *symbols, uint32_t module,
                              uintptr_t address)
{
    const struct mprt_module *const m = &symbols->modules->modules[module];
    const ElfW(Sym) * symbol;

    if (symbols->tables == NULL)
        return NULL;
    struct mprt_symbol_table *const table = &symbols->tables[module];
    if (!table->was_read)
        read_table(table, m);
    const uint32_t n = count_up_to(table, address - m->bias);
    if (n == 0)
        return NULL;
    symbol = symbol_at(table, table->order[n - 1]);
    /* A function without a size, written in assembly, ends at the next
     * function. */
    if (symbol->st_size != 0 &&
        address - m->bias - symbol->st_value >= symbol->st_size)
        return NULL;
    return (const char *)table->names.data + symbol->st_name;
}
