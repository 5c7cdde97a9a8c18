/* instrumented.c -- which modules hold instrumented code.
 *
 * Names are looked for in the relocations: unlike symbol tables these have a
 * length at run time, and `strip` leaves them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/instrumented.h"
#include "rt/base/libc.h"
#include "shared/abi.h"
#include "shared/raw_format.h"

#include <elf.h>

/* The module that holds the runtime is instrumented. */
static _Atomic bool is_own;

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
    uint64_t others_relative; /* so many of them come first, without names */
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

/* The loader turns most addresses into those of the run. */
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

/* Whether a relocation is to the function, of another module. */
static bool is_to_init(const struct image *image, const struct dynamic *dynamic,
                       const char *strings, const ElfW(Rela) * relocation)
{
    const uint64_t symbol = ELF64_R_SYM(relocation->r_info);
    const ElfW(Sym) * found;

    if (symbol == 0)
        return false;
    found = (const ElfW(Sym) *)find(
        image, dynamic->symbols + symbol * sizeof(*found), sizeof(*found));
    return found != NULL && found->st_shndx == SHN_UNDEF &&
           found->st_name <= dynamic->strings_bytes - sizeof(MPROF_SYM_INIT) &&
           mprt_libc_memcmp(strings + found->st_name, MPROF_SYM_INIT,
                            sizeof(MPROF_SYM_INIT)) == 0;
}

static bool has_init(const struct image *image, const struct dynamic *dynamic,
                     const char *strings, uint64_t address, uint64_t bytes,
                     uint64_t first)
{
    const ElfW(Rela) *const relocations =
        (const ElfW(Rela) *)find(image, address, bytes);
    const uint64_t count = bytes / sizeof(*relocations);

    for (uint64_t i = first; relocations != NULL && i < count; i++) {
        if (is_to_init(image, dynamic, strings, &relocations[i]))
            return true;
    }
    return false;
}

static bool refers_to_init(const struct image *image)
{
    struct dynamic dynamic = {.strings = 0};
    const char *strings;

    read_dynamic(image, &dynamic);
    strings = (const char *)find(image, dynamic.strings, dynamic.strings_bytes);
    return strings != NULL && dynamic.strings_bytes >= sizeof(MPROF_SYM_INIT) &&
           (has_init(image, &dynamic, strings, dynamic.calls,
                     dynamic.calls_bytes, 0) ||
            has_init(image, &dynamic, strings, dynamic.others,
                     dynamic.others_bytes, dynamic.others_relative));
}

/* -- by the call ----------------------------------------------------------- */

static bool is_between(uintptr_t address, uintptr_t start, uintptr_t end)
{
    return address >= start && address < end;
}

void mprt_instrumented_note_call(uintptr_t pc)
{
    const uintptr_t own = (uintptr_t)&mprt_instrumented_note_call;
    struct mprt_object object;

    if (mprt_object_find(pc, &object) &&
        is_between(own, object.start, object.end))
        atomic_store_explicit(&is_own, true, memory_order_relaxed);
}

static bool is_noted(const struct mprt_module *module)
{
    const uintptr_t own = (uintptr_t)&mprt_instrumented_note_call;

    for (uint32_t i = 0; i < module->segment_count; i++) {
        if (is_between(own, module->segments[i].start, module->segments[i].end))
            return atomic_load_explicit(&is_own, memory_order_relaxed);
    }
    return false;
}

void mprt_instrumented_describe(struct mprt_module *module,
                                const ElfW(Phdr) * headers, uint32_t count)
{
    const struct image image = {module->bias, headers, count};

    module->flags |= is_noted(module) || refers_to_init(&image)
                         ? MPROF_RAW_MODULE_FL_INSTRUMENTED
                         : MPROF_RAW_MODULE_FL_NOT_INSTRUMENTED;
}
