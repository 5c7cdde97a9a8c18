/* elf.c -- reads headers, notes and section names of an ELF file.
 *
 * memprofdata has this small reader because libelf is less robust against
 * damaged files; libelf runs only in the symbolizer's process.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/elf.h"
#include "profdata/base/diag.h"
#include "shared/code_format.h"
#include "shared/cursor.h"
#include "shared/le.h"
#include "shared/note.h"
#include "shared/type_format.h"

#include <elf.h>
#include <string.h>

/* Copies a header. Returns false if the file is too short. */
static bool read_header(struct mprof_cursor *c, uint64_t off, void *header,
                        size_t size)
{
    mprof_cursor_seek(c, off);
    const uint8_t *bytes = mprof_cursor_bytes(c, size);
    if (bytes != NULL)
        memcpy(header, bytes, size);
    return bytes != NULL;
}

static enum mprof_err read_ehdr(struct mprof_cursor *c, Elf64_Ehdr *ehdr,
                                struct mprof_diag *diag)
{
    const uint8_t *const ident = mprof_cursor_bytes(c, EI_NIDENT);

    if (ident == NULL || memcmp(ident, ELFMAG, SELFMAG) != 0)
        return mprof_err_plain(diag, MPROF_E_NOT_ELF);
    if (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB)
        return mpdata_diag_text(diag, MPROF_E_NOT_ELF,
                                "not a 64-bit little-endian one");
    if (read_header(c, 0, ehdr, sizeof(*ehdr)) && ehdr->e_phnum != 0 &&
        ehdr->e_phentsize != sizeof(Elf64_Phdr))
        mprof_cursor_fail(c, MPROF_E_VALUE);
    return mprof_cursor_status(c, diag);
}

static void read_notes(struct mpdata_elf *elf, const Elf64_Phdr *p,
                       const uint8_t *data, size_t size)
{
    size_t id_bytes;

    if (p->p_offset > size || p->p_filesz > size - p->p_offset)
        return;
    const uint8_t *id = mprof_note_build_id(
        data + p->p_offset, (size_t)p->p_filesz, p->p_align, &id_bytes);
    if (id != NULL)
        elf->build_id =
            (struct mpdata_str){.bytes = (const char *)id, .size = id_bytes};
}

/* -- sections -------------------------------------------------------------- */

/* Returns the contents of a section; empty if the file is too short. */
static struct mpdata_elf_bytes section_bytes(const Elf64_Shdr *s,
                                             const uint8_t *data, size_t size)
{
    if (s->sh_type == SHT_NOBITS || s->sh_offset > size ||
        s->sh_size > size - s->sh_offset)
        return (struct mpdata_elf_bytes){.data = NULL};
    return (struct mpdata_elf_bytes){.data = data + s->sh_offset,
                                     .size = (size_t)s->sh_size};
}

/* Returns the name of a section, or "" if it lies outside the string table. */
static const char *section_name(const struct mpdata_elf_bytes *names,
                                const Elf64_Shdr *s)
{
    return s->sh_name < names->size && memchr(names->data + s->sh_name, 0,
                                              names->size - s->sh_name) != NULL
               ? (const char *)names->data + s->sh_name
               : "";
}

/* Reads ".gnu_debuglink": a file name, zeros up to a multiple of 4, its CRC-32.
 */
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

/* Does the section hold code that is not the program's own? */
static bool is_system_text(const char *name)
{
    static const char *const prefixes[] = {".init",
                                           ".fini",
                                           ".plt",
                                           ".iplt",
                                           "__libc_",
                                           MPROF_CODE_RUNTIME_PREFIX,
                                           MPROF_CODE_SYSTEM_PREFIX};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(prefixes); i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    }
    return false;
}

static void take_code(struct mpdata_elf *elf, const char *name,
                      const Elf64_Shdr *s, const struct mpdata_elf_bytes *bytes)
{
    static const uint64_t is_code = SHF_ALLOC | SHF_EXECINSTR;
    const struct mpdata_elf_code code = {.bytes = *bytes,
                                         .address = s->sh_addr};

    if (strcmp(name, MPROF_CODE_SECTION) == 0)
        elf->code = code;
    else if (strcmp(name, MPROF_CODE_SECTION_WIDE) == 0)
        elf->wide_code = code;
    else if ((s->sh_flags & is_code) == is_code &&
             elf->text_count < MPDATA_ELF_LOADS_MAX && !is_system_text(name))
        elf->texts[elf->text_count++] =
            (struct mpdata_elf_load){.address = s->sh_addr,
                                     .bytes = s->sh_size,
                                     .file_off = s->sh_offset};
}

static void take_section(struct mpdata_elf *elf, const char *name,
                         const Elf64_Shdr *s,
                         const struct mpdata_elf_bytes *bytes)
{
    if (strcmp(name, ".debug_line") == 0 || strcmp(name, ".zdebug_line") == 0)
        elf->has_lines = true;
    else if (strcmp(name, ".debug_info") == 0 ||
             strcmp(name, ".zdebug_info") == 0)
        elf->has_debug_info = true;
    else if (strcmp(name, MPROF_TYPE_SECTION) == 0 &&
             (s->sh_flags & SHF_COMPRESSED) == 0)
        elf->types = *bytes;
    else if (strcmp(name, ".gnu_debuglink") == 0)
        read_debuglink(elf, bytes);
}

/* Reads the section headers. They are optional; if they are damaged, the file
 * counts as having no sections. */
static void read_sections(struct mpdata_elf *elf, const Elf64_Ehdr *ehdr,
                          const uint8_t *data, size_t size)
{
    struct mprof_cursor c =
        mprof_cursor_over(data, size, 0, "ELF section headers");
    Elf64_Shdr s;

    elf->is_cut =
        ehdr->e_shoff > size ||
        (uint64_t)ehdr->e_shnum * ehdr->e_shentsize > size - ehdr->e_shoff;
    if (ehdr->e_shentsize != sizeof(s) || elf->is_cut ||
        ehdr->e_shstrndx >= ehdr->e_shnum ||
        !read_header(&c, ehdr->e_shoff + ehdr->e_shstrndx * sizeof(s), &s,
                     sizeof(s)))
        return;
    struct mpdata_elf_bytes names = section_bytes(&s, data, size);
    for (uint32_t i = 0; i < ehdr->e_shnum; i++) {
        Elf64_Shdr strings;

        if (!read_header(&c, ehdr->e_shoff + i * sizeof(s), &s, sizeof(s)))
            return;
        struct mpdata_elf_bytes bytes = section_bytes(&s, data, size);
        if (bytes.size == 0)
            continue;
        take_section(elf, section_name(&names, &s), &s, &bytes);
        take_code(elf, section_name(&names, &s), &s, &bytes);
        if ((s.sh_type != SHT_DYNAMIC && s.sh_type != SHT_SYMTAB) ||
            s.sh_link >= ehdr->e_shnum ||
            !read_header(&c, ehdr->e_shoff + s.sh_link * sizeof(s), &strings,
                         sizeof(strings)))
            continue;
        if (s.sh_type == SHT_DYNAMIC) {
            elf->dynamic = bytes;
            elf->dynamic_names = section_bytes(&strings, data, size);
        } else {
            elf->symbols = bytes;
            elf->symbol_names = section_bytes(&strings, data, size);
        }
    }
}

/* -- the file -------------------------------------------------------------- */

enum mprof_err mpdata_elf_read(struct mpdata_elf *elf, const uint8_t *data,
                               size_t size, struct mprof_diag *diag)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, "ELF header");
    Elf64_Ehdr ehdr;
    enum mprof_err err = read_ehdr(&c, &ehdr, diag);

    if (err != MPROF_E_OK)
        return err;
    *elf = (struct mpdata_elf){.build_id = {.bytes = "", .size = 0}};
    elf->entry = ehdr.e_entry;
    read_sections(elf, &ehdr, data, size);
    c.section = "ELF program headers";
    for (uint32_t i = 0; i < ehdr.e_phnum; i++) {
        Elf64_Phdr p;

        if (!read_header(&c, ehdr.e_phoff + i * sizeof(p), &p, sizeof(p)))
            return mprof_cursor_status(&c, diag);
        if (p.p_type == PT_NOTE && elf->build_id.size == 0)
            read_notes(elf, &p, data, size);
        if (p.p_type != PT_LOAD || (p.p_flags & PF_X) == 0)
            continue;
        if (elf->load_count == MPDATA_ELF_LOADS_MAX)
            return mprof_err_fail(diag, MPROF_E_LIMIT, c.section, c.pos);
        elf->loads[elf->load_count++] = (struct mpdata_elf_load){
            .address = p.p_vaddr, .bytes = p.p_memsz, .file_off = p.p_offset};
    }
    return MPROF_E_OK;
}
