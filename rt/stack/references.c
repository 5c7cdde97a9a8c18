/* references.c -- searches the relocations of a binary for names. Unlike a
 * symbol table, they have a known length at run time, and `strip` keeps them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/references.h"
#include "rt/base/libc.h"

#include <elf.h>

struct image {
    uintptr_t bias;
    const ElfW(Phdr) * headers;
    uint32_t count;
};

struct dynamic {
    uint64_t strings;
    uint64_t strings_bytes;
    uint64_t symbols;
    uint64_t calls; /* relocations of the procedure linkage table */
    uint64_t calls_bytes;
    uint64_t others;
    uint64_t others_bytes;
    uint64_t others_relative; /* number of relative relocations, which come
                               * first and have no names */
};

static bool is_mapped(const struct image *image, uint64_t address,
                      uint64_t bytes)
{
    for (uint32_t i = 0; i < image->count; i++) {
        const ElfW(Phdr) *const phdr = &image->headers[i];
        const uint64_t off = address - image->bias - phdr->p_vaddr;

        if (phdr->p_type == PT_LOAD && (phdr->p_flags & PF_R) != 0 &&
            bytes <= phdr->p_memsz && off <= phdr->p_memsz - bytes)
            return true;
    }
    return false;
}

/* Returns the memory of a value of the dynamic section, or NULL. The dynamic
 * linker has replaced most of these addresses by run-time addresses, but not
 * all. */
static const void *find(const struct image *image, uint64_t address,
                        uint64_t bytes)
{
    if (!is_mapped(image, address, bytes))
        address += image->bias;
    return is_mapped(image, address, bytes) ? (const void *)address : NULL;
}

static void take(struct dynamic *dynamic, const ElfW(Dyn) * entry)
{
    const uint64_t value = entry->d_un.d_val;

    switch (entry->d_tag) {
    case DT_STRTAB:
        dynamic->strings = value;
        break;
    case DT_STRSZ:
        dynamic->strings_bytes = value;
        break;
    case DT_SYMTAB:
        dynamic->symbols = value;
        break;
    case DT_JMPREL:
        dynamic->calls = value;
        break;
    case DT_PLTRELSZ:
        dynamic->calls_bytes = value;
        break;
    case DT_RELA:
        dynamic->others = value;
        break;
    case DT_RELASZ:
        dynamic->others_bytes = value;
        break;
    case DT_RELACOUNT:
        dynamic->others_relative = value;
        break;
    default:
        break;
    }
}

static void read_dynamic(const struct image *image, struct dynamic *dynamic)
{
    for (uint32_t i = 0; i < image->count; i++) {
        const ElfW(Phdr) *const phdr = &image->headers[i];
        const uintptr_t start = image->bias + phdr->p_vaddr;

        if (phdr->p_type != PT_DYNAMIC ||
            !is_mapped(image, start, phdr->p_memsz))
            continue;
        const ElfW(Dyn) *const entries = (const ElfW(Dyn) *)start;
        const size_t count = phdr->p_memsz / sizeof(*entries);

        for (size_t k = 0; k < count && entries[k].d_tag != DT_NULL; k++)
            take(dynamic, &entries[k]);
    }
}

struct search {
    const struct image *image;
    const struct dynamic *dynamic;
    const char *strings;
    const struct mprt_reference *names;
    size_t count;
};

/* The bit of the name that a relocation refers to, if another binary defines
 * it. */
static unsigned refers_to(const struct search *s, const ElfW(Rela) * relocation)
{
    const uint64_t symbol = ELF64_R_SYM(relocation->r_info);
    const ElfW(Sym) * found;

    if (symbol == 0)
        return 0;
    found = (const ElfW(Sym) *)find(
        s->image, s->dynamic->symbols + symbol * sizeof(*found),
        sizeof(*found));
    if (found == NULL || found->st_shndx != SHN_UNDEF ||
        found->st_name > s->dynamic->strings_bytes)
        return 0;
    for (size_t i = 0; i < s->count; i++) {
        const size_t bytes = mprt_libc_strlen(s->names[i].name) + 1;
        if (bytes <= s->dynamic->strings_bytes - found->st_name &&
            mprt_libc_memcmp(s->strings + found->st_name, s->names[i].name,
                             bytes) == 0)
            return s->names[i].bit;
    }
    return 0;
}

static unsigned refer_to(const struct search *s, uint64_t address,
                         uint64_t bytes, uint64_t first)
{
    const ElfW(Rela) *const relocations =
        (const ElfW(Rela) *)find(s->image, address, bytes);
    const uint64_t count = bytes / sizeof(*relocations);
    unsigned refers = 0;

    for (uint64_t i = first; relocations != NULL && i < count; i++)
        refers |= refers_to(s, &relocations[i]);
    return refers;
}

unsigned mprt_references_find(uintptr_t bias, const ElfW(Phdr) * headers,
                              uint32_t count,
                              const struct mprt_reference *names,
                              size_t names_count)
{
    const struct image image = {bias, headers, count};
    struct dynamic dynamic = {.strings = 0};
    struct search s = {&image, &dynamic, NULL, names, names_count};

    read_dynamic(&image, &dynamic);
    s.strings =
        (const char *)find(&image, dynamic.strings, dynamic.strings_bytes);
    if (s.strings == NULL)
        return 0;
    return refer_to(&s, dynamic.calls, dynamic.calls_bytes, 0) |
           refer_to(&s, dynamic.others, dynamic.others_bytes,
                    dynamic.others_relative);
}
