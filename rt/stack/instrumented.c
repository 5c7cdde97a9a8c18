/* instrumented.c -- finds out which binaries contain instrumented code that
 * counts accesses.
 *
 * Searches the relocations for names. Unlike a symbol table, they have a known
 * length at run time, and `strip` keeps them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/instrumented.h"
#include "rt/base/libc.h"
#include "rt/base/options.h"
#include "shared/abi.h"
#include "shared/raw_format.h"

#include <elf.h>

/* For the binary that holds the runtime: the number of instrumented object
 * files, and of those among them that count nothing. */
static _Atomic uint32_t own_objects;
static _Atomic uint32_t own_uncounted;

/* -- by name --------------------------------------------------------------- */

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

/* Names that a binary refers to, as bits. */
enum { REFERS_INIT = 1, REFERS_COUNTING = 2, REFERS_UNCOUNTED = 4 };

static const struct {
    const char *name;
    size_t bytes;
    unsigned refers;
} names[] = {
    {MPROF_SYM_INIT, sizeof(MPROF_SYM_INIT), REFERS_INIT},
    {MPROF_SYM_MODE, sizeof(MPROF_SYM_MODE), REFERS_COUNTING},
    {MPROF_SYM_SHADOW_BASE, sizeof(MPROF_SYM_SHADOW_BASE), REFERS_COUNTING},
    {MPROF_SYM_UNCOUNTED, sizeof(MPROF_SYM_UNCOUNTED), REFERS_UNCOUNTED},
};

/* Which of the names a relocation refers to, if another binary defines it. */
static unsigned refers_to(const struct image *image,
                          const struct dynamic *dynamic, const char *strings,
                          const ElfW(Rela) * relocation)
{
    const uint64_t symbol = ELF64_R_SYM(relocation->r_info);
    const ElfW(Sym) * found;

    if (symbol == 0)
        return 0;
    found = (const ElfW(Sym) *)find(
        image, dynamic->symbols + symbol * sizeof(*found), sizeof(*found));
    if (found == NULL || found->st_shndx != SHN_UNDEF ||
        found->st_name > dynamic->strings_bytes)
        return 0;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(names); i++) {
        if (names[i].bytes <= dynamic->strings_bytes - found->st_name &&
            mprt_libc_memcmp(strings + found->st_name, names[i].name,
                             names[i].bytes) == 0)
            return names[i].refers;
    }
    return 0;
}

static unsigned refer_to(const struct image *image,
                         const struct dynamic *dynamic, const char *strings,
                         uint64_t address, uint64_t bytes, uint64_t first)
{
    const ElfW(Rela) *const relocations =
        (const ElfW(Rela) *)find(image, address, bytes);
    const uint64_t count = bytes / sizeof(*relocations);
    unsigned refers = 0;

    for (uint64_t i = first; relocations != NULL && i < count; i++)
        refers |= refers_to(image, dynamic, strings, &relocations[i]);
    return refers;
}

/* Whether the names say that the binary counts. An object of our pass that
 * counts nothing refers to __memprof_uncounted_v1(); LLVM's pass has no such
 * mode. */
static bool is_by_name(const struct image *image)
{
    struct dynamic dynamic = {.strings = 0};
    const char *strings;
    unsigned refers;

    read_dynamic(image, &dynamic);
    strings = (const char *)find(image, dynamic.strings, dynamic.strings_bytes);
    if (strings == NULL)
        return false;
    refers = refer_to(image, &dynamic, strings, dynamic.calls,
                      dynamic.calls_bytes, 0) |
             refer_to(image, &dynamic, strings, dynamic.others,
                      dynamic.others_bytes, dynamic.others_relative);
    return (refers & REFERS_INIT) != 0 &&
           (refers & (REFERS_COUNTING | REFERS_UNCOUNTED)) != REFERS_UNCOUNTED;
}

/* -- by the call ----------------------------------------------------------- */

static bool is_between(uintptr_t address, uintptr_t start, uintptr_t end)
{
    return address >= start && address < end;
}

/* Whether pc is in the binary that holds the runtime. */
static bool is_own(uintptr_t pc)
{
    const uintptr_t own = (uintptr_t)&mprt_instrumented_note_call;
    struct mprt_object object;

    return mprt_object_find(pc, &object) &&
           is_between(own, object.start, object.end);
}

void mprt_instrumented_note_call(uintptr_t pc)
{
    if (is_own(pc))
        atomic_fetch_add_explicit(&own_objects, 1, memory_order_relaxed);
}

void mprt_instrumented_note_uncounted(uintptr_t pc)
{
    if (is_own(pc))
        atomic_fetch_add_explicit(&own_uncounted, 1, memory_order_relaxed);
}

static bool is_noted(const struct mprt_module *module)
{
    const uintptr_t own = (uintptr_t)&mprt_instrumented_note_call;

    for (uint32_t i = 0; i < module->segment_count; i++) {
        if (is_between(own, module->segments[i].start, module->segments[i].end))
            return atomic_load_explicit(&own_objects, memory_order_relaxed) >
                   atomic_load_explicit(&own_uncounted, memory_order_relaxed);
    }
    return false;
}

void mprt_instrumented_describe(struct mprt_module *module,
                                const ElfW(Phdr) * headers, uint32_t count)
{
    const struct image image = {module->bias, headers, count};

    module->flags |=
        !mprt_options_counts_never() && (is_noted(module) || is_by_name(&image))
            ? MPROF_RAW_MODULE_FL_INSTRUMENTED
            : MPROF_RAW_MODULE_FL_NOT_INSTRUMENTED;
}
