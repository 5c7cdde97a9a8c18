/* elf.c -- what we need of an ELF file.
 *
 * This much is ours, so that a binary is checked, a profile refused, and a
 * function without debug information named, without loading LLVM.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/elf.h"
#include "profdata/base/diag.h"
#include "shared/cursor.h"
#include "shared/le.h"
#include "shared/note.h"
#include "shared/type_format.h"

#include <elf.h>
#include <string.h>

struct phdr {
    uint32_t type;
    uint32_t flags;
    uint64_t offset;
    uint64_t vaddr;
    uint64_t filesz;
    uint64_t memsz;
    uint64_t align;
};

struct ehdr {
    uint32_t type;
    uint64_t phoff;
    uint64_t shoff;
    uint32_t phentsize;
    uint32_t phnum;
    uint32_t shentsize;
    uint32_t shnum;
    uint32_t shstrndx;
};

static enum mprof_err read_ehdr(struct mprof_cursor *c, struct ehdr *ehdr,
                                struct mprof_diag *diag)
{
    const uint8_t *ident = mprof_cursor_bytes(c, EI_NIDENT);

    if (ident == NULL || memcmp(ident, ELFMAG, SELFMAG) != 0)
        return mprof_err_fail(diag, MPROF_E_NOT_ELF, NULL,
                              MPROF_DIAG_NO_OFFSET);
    if (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB)
        return mpdata_diag_fail(diag, MPROF_E_NOT_ELF, NULL,
                                MPROF_DIAG_NO_OFFSET,
                                "not a 64-bit little-endian one");
    mprof_cursor_seek(c, offsetof(Elf64_Ehdr, e_type));
    ehdr->type = mprof_cursor_u16(c);
    mprof_cursor_seek(c, offsetof(Elf64_Ehdr, e_phoff));
    ehdr->phoff = mprof_cursor_u64(c);
    ehdr->shoff = mprof_cursor_u64(c);
    mprof_cursor_seek(c, offsetof(Elf64_Ehdr, e_phentsize));
    ehdr->phentsize = mprof_cursor_u16(c);
    ehdr->phnum = mprof_cursor_u16(c);
    ehdr->shentsize = mprof_cursor_u16(c);
    ehdr->shnum = mprof_cursor_u16(c);
    ehdr->shstrndx = mprof_cursor_u16(c);
    if (ehdr->phnum != 0 && ehdr->phentsize != sizeof(Elf64_Phdr))
        mprof_cursor_fail(c, MPROF_E_VALUE);
    return mprof_cursor_status(c, diag);
}

static struct phdr read_phdr(struct mprof_cursor *c)
{
    struct phdr p;

    p.type = mprof_cursor_u32(c);
    p.flags = mprof_cursor_u32(c);
    p.offset = mprof_cursor_u64(c);
    p.vaddr = mprof_cursor_u64(c);
    (void)mprof_cursor_u64(c); /* p_paddr */
    p.filesz = mprof_cursor_u64(c);
    p.memsz = mprof_cursor_u64(c);
    p.align = mprof_cursor_u64(c);
    return p;
}

static void read_notes(struct mpdata_elf *elf, const struct phdr *p,
                       const uint8_t *data, size_t size)
{
    const uint8_t *id;
    size_t id_bytes;

    if (p->offset > size || p->filesz > size - p->offset)
        return;
    id = mprof_note_build_id(data + p->offset, (size_t)p->filesz, p->align,
                             &id_bytes);
    if (id != NULL)
        elf->build_id =
            (struct mpdata_str){.bytes = (const char *)id, .size = id_bytes};
}

/* What we use of a section header. */
struct shdr {
    uint32_t name;
    uint32_t type;
    uint64_t flags;
    uint64_t off;
    uint64_t size;
    uint32_t link;
};

static bool read_shdr(struct mprof_cursor *c, const struct ehdr *ehdr,
                      uint32_t index, struct shdr *s)
{
    const uint64_t at = ehdr->shoff + (uint64_t)index * sizeof(Elf64_Shdr);

    mprof_cursor_seek(c, at);
    s->name = mprof_cursor_u32(c);
    s->type = mprof_cursor_u32(c);
    s->flags = mprof_cursor_u64(c);
    mprof_cursor_seek(c, at + offsetof(Elf64_Shdr, sh_offset));
    s->off = mprof_cursor_u64(c);
    s->size = mprof_cursor_u64(c);
    s->link = mprof_cursor_u32(c);
    return c->err == MPROF_E_OK;
}

/* The contents; empty where the file does not have them all. */
static struct mpdata_elf_bytes section_bytes(const struct shdr *s,
                                             const uint8_t *data, size_t size)
{
    if (s->type == SHT_NOBITS || s->off > size || s->size > size - s->off)
        return (struct mpdata_elf_bytes){.data = NULL};
    return (struct mpdata_elf_bytes){.data = data + s->off,
                                     .size = (size_t)s->size};
}

static bool is_named(const struct mpdata_elf_bytes *names, uint32_t name,
                     const char *wanted)
{
    const size_t n = strlen(wanted) + 1;

    return name < names->size && n <= names->size - name &&
           memcmp(names->data + name, wanted, n) == 0;
}

static bool starts_with(const struct mpdata_elf_bytes *names, uint32_t name,
                        const char *start)
{
    const size_t n = strlen(start);

    return name < names->size && n <= names->size - name &&
           memcmp(names->data + name, start, n) == 0;
}

static void take_debug(struct mpdata_elf_debug *debug,
                       const struct mpdata_elf_bytes *names,
                       const struct shdr *s,
                       const struct mpdata_elf_bytes *bytes)
{
    struct mpdata_elf_bytes *row = NULL;

    if (starts_with(names, s->name, ".zdebug_") ||
        starts_with(names, s->name, ".rela.debug_") ||
        starts_with(names, s->name, ".rel.debug_"))
        debug->is_indirect = true;
#define TAKE(section)                                 \
    if (is_named(names, s->name, ".debug_" #section)) \
        row = &debug->section;
    MPDATA_ELF_DEBUG(TAKE)
#undef TAKE
    if (row == NULL)
        return;
    if (row->data != NULL || (s->flags & SHF_COMPRESSED) != 0)
        debug->is_indirect = true;
    *row = *bytes;
}

/* ".gnu_debuglink": a file name, zeros up to a multiple of 4, its CRC-32. */
static void read_debuglink(struct mpdata_elf *elf,
                           const struct mpdata_elf_bytes *section)
{
    const void *const end =
        section->size > 4 ? memchr(section->data, 0, section->size - 4) : NULL;

    if (end == NULL || end == section->data)
        return;
    elf->link = (const char *)section->data;
    elf->link_crc =
        (uint32_t)mprof_le_load(section->data + section->size - 4, 4);
}

static void take_section(struct mpdata_elf *elf, const struct ehdr *ehdr,
                         const struct mpdata_elf_bytes *names,
                         struct mprof_cursor *c, const struct shdr *s,
                         const uint8_t *data, size_t size)
{
    const struct mpdata_elf_bytes bytes = section_bytes(s, data, size);
    struct mpdata_elf_bytes *table = NULL;
    struct mpdata_elf_bytes *strings = NULL;
    struct shdr other;

    if (bytes.size == 0)
        return;
    take_debug(&elf->debug, names, s, &bytes);
    if (is_named(names, s->name, ".debug_line") ||
        is_named(names, s->name, ".zdebug_line"))
        elf->has_lines = true;
    if (is_named(names, s->name, ".debug_info") ||
        is_named(names, s->name, ".zdebug_info"))
        elf->has_debug_info = true;
    if (is_named(names, s->name, MPROF_TYPE_SECTION) &&
        (s->flags & SHF_COMPRESSED) == 0)
        elf->types = bytes;
    if (is_named(names, s->name, ".gnu_debuglink"))
        read_debuglink(elf, &bytes);
    if (s->type == SHT_SYMTAB) {
        table = &elf->symbols;
        strings = &elf->symbol_names;
    } else if (s->type == SHT_DYNSYM) {
        table = &elf->dynamic_symbols;
        strings = &elf->dynamic_names;
    } else if (s->type == SHT_DYNAMIC) {
        table = &elf->dynamic;
        strings = &elf->dynamic_names;
    }
    if (table == NULL)
        return;
    *table = bytes;
    if (strings != NULL && s->link < ehdr->shnum &&
        read_shdr(c, ehdr, s->link, &other))
        *strings = section_bytes(&other, data, size);
}

/* Section headers are optional, and damaged ones no reason to refuse a file: it
 * then lacks what they would tell of. */
static void read_sections(struct mpdata_elf *elf, const struct ehdr *ehdr,
                          const uint8_t *data, size_t size)
{
    struct mprof_cursor c =
        mprof_cursor_over(data, size, 0, "ELF section headers");
    struct mpdata_elf_bytes names;
    struct shdr s;

    if (ehdr->shentsize != sizeof(Elf64_Shdr) || ehdr->shoff > size ||
        ehdr->shstrndx >= ehdr->shnum ||
        !read_shdr(&c, ehdr, ehdr->shstrndx, &s))
        return;
    names = section_bytes(&s, data, size);
    for (uint32_t i = 0; i < ehdr->shnum; i++) {
        if (!read_shdr(&c, ehdr, i, &s))
            return;
        take_section(elf, ehdr, &names, &c, &s, data, size);
    }
}

enum mprof_err mpdata_elf_read(struct mpdata_elf *elf, const uint8_t *data,
                               size_t size, struct mprof_diag *diag)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, "ELF header");
    struct ehdr ehdr = {.phoff = 0};
    enum mprof_err err = read_ehdr(&c, &ehdr, diag);

    if (err != MPROF_E_OK)
        return err;
    *elf = (struct mpdata_elf){.build_id = {.bytes = "", .size = 0}};
    elf->debug.is_indirect = ehdr.type == ET_REL;
    read_sections(elf, &ehdr, data, size);
    c.section = "ELF program headers";
    mprof_cursor_seek(&c, ehdr.phoff);
    for (uint32_t i = 0; i < ehdr.phnum; i++) {
        const struct phdr p = read_phdr(&c);

        if (c.err != MPROF_E_OK)
            return mprof_cursor_status(&c, diag);
        if (p.type == PT_NOTE && elf->build_id.size == 0)
            read_notes(elf, &p, data, size);
        if (p.type != PT_LOAD || (p.flags & PF_X) == 0)
            continue;
        if (elf->load_count == MPDATA_ELF_LOADS_MAX)
            return mprof_err_fail(diag, MPROF_E_LIMIT, c.section, c.pos);
        elf->loads[elf->load_count++] = (struct mpdata_elf_load){
            .address = p.vaddr, .bytes = p.memsz, .file_off = p.offset};
    }
    return MPROF_E_OK;
}
