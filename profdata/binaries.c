/* binaries.c -- what we need of an ELF file: build id and executable segments.
 *
 * Everything else of a binary (symbols, line tables) is read by LLVM behind the
 * symbolizer; this much is ours, so that a binary is checked, and a profile
 * refused, without loading LLVM.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/binaries.h"
#include "profdata/diag.h"
#include "profdata/file.h"
#include "shared/cursor.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
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
        return mprof_fail(diag, MPROF_E_NOT_ELF, NULL, MPROF_DIAG_NO_OFFSET);
    if (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB)
        return mpdata_fail(diag, MPROF_E_NOT_ELF, NULL, MPROF_DIAG_NO_OFFSET,
                           "not a 64-bit little-endian one");
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

static void skip_to_multiple(struct mprof_cursor *c, uint64_t align)
{
    mprof_cursor_bytes(c, (align - c->pos % align) % align);
}

/* A damaged note ends the search: the binary then has no build id. */
static void read_notes(struct mpdata_elf *elf, const struct phdr *p,
                       const uint8_t *data, size_t size)
{
    struct mprof_cursor c;
    const uint64_t align = p->align == 8 ? 8 : 4;

    if (p->offset > size || p->filesz > size - p->offset)
        return;
    c = mprof_cursor_over(data + p->offset, (size_t)p->filesz, p->offset,
                          "ELF notes");
    while (mprof_cursor_left(&c) >= sizeof(Elf64_Nhdr)) {
        const uint32_t name_size = mprof_cursor_u32(&c);
        const uint32_t desc_size = mprof_cursor_u32(&c);
        const uint32_t type = mprof_cursor_u32(&c);
        const uint8_t *name = mprof_cursor_bytes(&c, name_size);
        const uint8_t *desc;

        skip_to_multiple(&c, align);
        desc = mprof_cursor_bytes(&c, desc_size);
        if (desc == NULL)
            return;
        if (type == NT_GNU_BUILD_ID && name_size == sizeof(ELF_NOTE_GNU) &&
            memcmp(name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0) {
            elf->build_id = (struct mpdata_str){.bytes = (const char *)desc,
                                                .size = desc_size};
            return;
        }
        skip_to_multiple(&c, align);
    }
}

/* The name's offset, and the offset and size of a section's contents. */
static bool read_shdr(struct mprof_cursor *c, const struct ehdr *ehdr,
                      uint32_t index, uint32_t *name, uint64_t *off,
                      uint64_t *size)
{
    const uint64_t at = ehdr->shoff + (uint64_t)index * sizeof(Elf64_Shdr);

    mprof_cursor_seek(c, at);
    *name = mprof_cursor_u32(c);
    mprof_cursor_seek(c, at + offsetof(Elf64_Shdr, sh_offset));
    *off = mprof_cursor_u64(c);
    *size = mprof_cursor_u64(c);
    return c->err == MPROF_E_OK;
}

static bool is_line_section(const char *names, uint64_t size, uint32_t name)
{
    static const char *const wanted[] = {".debug_line", ".zdebug_line"};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(wanted); i++) {
        const size_t n = strlen(wanted[i]) + 1;

        if (name < size && n <= size - name &&
            memcmp(names + name, wanted[i], n) == 0)
            return true;
    }
    return false;
}

/* Section headers are optional, and damaged ones no reason to refuse a file: it
 * then has no line tables. */
static bool find_lines(const struct ehdr *ehdr, const uint8_t *data,
                       size_t size)
{
    struct mprof_cursor c =
        mprof_cursor_over(data, size, 0, "ELF section headers");
    uint32_t name;
    uint64_t off;
    uint64_t names_off;
    uint64_t names_size;

    if (ehdr->shentsize != sizeof(Elf64_Shdr) || ehdr->shoff > size ||
        ehdr->shstrndx >= ehdr->shnum ||
        !read_shdr(&c, ehdr, ehdr->shstrndx, &name, &names_off, &names_size) ||
        names_off > size || names_size > size - names_off)
        return false;
    for (uint32_t i = 0; i < ehdr->shnum; i++) {
        uint64_t bytes;

        if (!read_shdr(&c, ehdr, i, &name, &off, &bytes))
            return false;
        if (is_line_section((const char *)data + names_off, names_size, name))
            return bytes != 0;
    }
    return false;
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
    elf->has_lines = find_lines(&ehdr, data, size);
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
            return mprof_fail(diag, MPROF_E_LIMIT, c.section, c.pos);
        elf->loads[elf->load_count++] = (struct mpdata_elf_load){
            .address = p.vaddr, .bytes = p.memsz, .file_off = p.offset};
    }
    return MPROF_E_OK;
}

static bool copy_elf(struct mpdata_binary_file *out, const char *path,
                     const struct mpdata_elf *elf)
{
    *out = (struct mpdata_binary_file){
        .path = strdup(path),
        .build_id = (char *)malloc(elf->build_id.size + 1),
        .build_id_size = elf->build_id.size,
        .load_count = elf->load_count,
        .has_lines = elf->has_lines};
    if (out->path == NULL || out->build_id == NULL) {
        free(out->path);
        free(out->build_id);
        return false;
    }
    memcpy(out->build_id, elf->build_id.bytes, elf->build_id.size);
    memcpy(out->loads, elf->loads, sizeof(out->loads));
    return true;
}

enum mprof_err mpdata_binaries_add(struct mpdata_binaries *binaries,
                                   const char *path, bool is_given,
                                   const struct mpdata_binary_file **added,
                                   struct mprof_diag *diag)
{
    struct mpdata_binary_file *files;
    struct mpdata_file file;
    struct mpdata_elf elf;
    enum mprof_err err = mpdata_file_open(&file, path, diag);

    if (err != MPROF_E_OK)
        return err;
    err = mpdata_elf_read(&elf, file.data, file.size, diag);
    if (err != MPROF_E_OK)
        goto out;
    files = (struct mpdata_binary_file *)reallocarray(
        binaries->files, binaries->count + 1, sizeof(*files));
    if (files != NULL)
        binaries->files = files;
    if (files == NULL || !copy_elf(&files[binaries->count], path, &elf)) {
        err = mprof_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
        goto out;
    }
    files[binaries->count].is_given = is_given;
    if (added != NULL)
        *added = &files[binaries->count];
    binaries->count++;
out:
    if (err != MPROF_E_OK && diag != NULL)
        diag->file = path;
    mpdata_file_close(&file);
    return err;
}

/* A callback of dl_iterate_phdr(). */
static int add_own(struct dl_phdr_info *info, size_t size, void *context)
{
    struct mpdata_binaries *const binaries = (struct mpdata_binaries *)context;
    struct mprof_diag ignored;

    (void)size;
    if (info->dlpi_name != NULL && info->dlpi_name[0] == '/')
        (void)!mpdata_binaries_add(binaries, info->dlpi_name, false, NULL,
                                   &ignored);
    return 0;
}

void mpdata_binaries_add_own(struct mpdata_binaries *binaries)
{
    if (!binaries->has_own)
        dl_iterate_phdr(add_own, binaries);
    binaries->has_own = true;
}

void mpdata_binaries_fini(struct mpdata_binaries *binaries)
{
    for (size_t i = 0; i < binaries->count; i++) {
        free(binaries->files[i].path);
        free(binaries->files[i].build_id);
    }
    free(binaries->files);
    *binaries = (struct mpdata_binaries){.files = NULL};
}

const struct mpdata_binary_file *
mpdata_binaries_find(const struct mpdata_binaries *binaries,
                     const char *build_id, size_t size)
{
    for (size_t i = 0; size != 0 && i < binaries->count; i++) {
        if (binaries->files[i].build_id_size == size &&
            memcmp(binaries->files[i].build_id, build_id, size) == 0)
            return &binaries->files[i];
    }
    return NULL;
}

const struct mpdata_binary_file *
mpdata_binaries_find_path(const struct mpdata_binaries *binaries,
                          const char *path)
{
    for (size_t i = 0; i < binaries->count; i++) {
        if (strcmp(binaries->files[i].path, path) == 0)
            return &binaries->files[i];
    }
    return NULL;
}

const char *mpdata_build_id_text(const char *build_id, size_t size,
                                 char out[MPDATA_BUILD_ID_TEXT_BYTES])
{
    static const char digits[] = "0123456789abcdef";
    size_t n = 0;

    if (size == 0)
        return "none";
    for (size_t i = 0; i < size && n + 2 < MPDATA_BUILD_ID_TEXT_BYTES; i++) {
        const unsigned char byte = (unsigned char)build_id[i];

        out[n++] = digits[byte >> 4];
        out[n++] = digits[byte & 15];
    }
    out[n] = '\0';
    return out;
}
