/* code.c -- the records of counted code, and the functions outside all records.
 *
 * Function names distinguish the program's functions from those that compilers
 * link into each program. The name of a local function says nothing: it counts
 * as system code if a neighbouring function is system code.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/code.h"
#include "profdata/base/vec.h"
#include "shared/abi.h"
#include "shared/code_format.h"
#include "shared/cursor.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* Shorter gaps between records may be padding and the compiler's constructors.
 */
#define UNNAMED_BYTES_MIN 64
/* Size limit for the code of crt1.o and similar startup files. */
#define START_BYTES_MAX 320
#define NAME_BYTES_MAX 4096

void mpdata_code_fini(struct mpdata_code *code)
{
    free(code->counted);
    free(code->texts);
    free(code->other);
    *code = (struct mpdata_code){.counted = NULL};
}

/* -- ranges ---------------------------------------------------------------- */

MPROF_COMPARATOR(compare_ranges, struct mpdata_code_range, MPROF_UP(start))

/* Sorts ranges and joins adjacent ones. Returns the remaining number. */
static size_t join(struct mpdata_code_range *ranges, size_t count)
{
    size_t kept = 0;

    if (count != 0)
        qsort(ranges, count, sizeof(*ranges), compare_ranges);
    for (size_t i = 0; i < count; i++) {
        if (kept != 0 && ranges[i].start <= ranges[kept - 1].end)
            ranges[kept - 1].end =
                mprof_max_u64(ranges[kept - 1].end, ranges[i].end);
        else
            ranges[kept++] = ranges[i];
    }
    return kept;
}

static const struct mpdata_code_range *
find_range(const struct mpdata_code_range *ranges, size_t count,
           uint64_t address)
{
    size_t low = 0;
    size_t high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && ranges[low].start <= address ? &ranges[low] : NULL;
}

static bool is_counted(const struct mpdata_code *code, uint64_t address)
{
    return find_range(code->counted, code->counted_count, address) != NULL;
}

static bool is_in_text(const struct mpdata_code *code, uint64_t address)
{
    return find_range(code->texts, code->text_count, address) != NULL;
}

/* Reads records up to the first damaged one. A function without instructions
 * (__builtin_unreachable) gets a byte, so that its symbol counts as recorded.
 * Returns false when out of memory. */
static bool read_records(struct mpdata_vec *ranges,
                         const struct mpdata_elf_code *section, bool is_wide)
{
    struct mprof_cursor c = mprof_cursor_over(
        section->bytes.data, section->bytes.size, 0, MPROF_CODE_SECTION);

    while (c.err == MPROF_E_OK && mprof_cursor_left(&c) != 0) {
        const uint64_t at = section->address + c.pos;
        const uint64_t start =
            at + (is_wide ? mprof_cursor_u64(&c)
                          : (uint64_t)(int32_t)mprof_cursor_u32(&c));
        const uint64_t bytes = mprof_max_u64(mprof_cursor_uleb(&c), 1);

        if (c.err != MPROF_E_OK || bytes > UINT64_MAX - start)
            break;
        if (!mpdata_vec_add(ranges, &(struct mpdata_code_range){
                                        .start = start, .end = start + bytes}))
            return false;
    }
    return true;
}

static bool read_counted(struct mpdata_code *code, const struct mpdata_elf *elf)
{
    struct mpdata_vec ranges = {.elem_bytes = sizeof(struct mpdata_code_range)};

    if (!read_records(&ranges, &elf->code, false) ||
        !read_records(&ranges, &elf->wide_code, true)) {
        mpdata_vec_fini(&ranges);
        return false;
    }
    code->counted = ranges.data;
    code->counted_count = join(code->counted, ranges.count);
    return true;
}

static bool read_texts(struct mpdata_code *code, const struct mpdata_elf *elf)
{
    code->texts = mpdata_vec_array(elf->text_count, sizeof(*code->texts));
    if (code->texts == NULL)
        return false;
    for (uint32_t i = 0; i < elf->text_count; i++) {
        const struct mpdata_elf_load *const text = &elf->texts[i];

        code->texts[i] = (struct mpdata_code_range){
            .start = text->address,
            .end = mprof_add_sat_u64(text->address, text->bytes)};
    }
    code->text_count = (uint32_t)join(code->texts, elf->text_count);
    return true;
}

/* -- names ----------------------------------------------------------------- */

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Is it a function of crt1.o and similar startup files, or made by the compiler
 * (a constructor, or a jump to a method for -fwhole-program-vtables and
 * -fsanitize=cfi), or a bound that the linker defines? The program's own
 * functions lie between these and other system code. */
static bool is_start_name(const char *name)
{
    static const char *const names[] = {"_start",
                                        "_init",
                                        "_fini",
                                        "_dl_relocate_static_pie",
                                        "frame_dummy",
                                        "register_tm_clones",
                                        "deregister_tm_clones",
                                        "__do_global_dtors_aux",
                                        "__do_global_ctors_aux",
                                        "atexit",
                                        "at_quick_exit",
                                        "pthread_atfork",
                                        "__pthread_atfork",
                                        "set_fast_math",
                                        "__do_init",
                                        "__do_fini",
                                        "etext",
                                        "_etext",
                                        "__etext"};
    static const char *const made[] = {"_GLOBAL_", MPROF_CODE_CTOR_PREFIX,
                                       "sancov.",  "__typeid_",
                                       "__cfi_",   "__start_",
                                       "__stop_"};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(names); i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    for (size_t i = 0; i < MPROF_ARRAY_LEN(made); i++) {
        if (starts_with(name, made[i]))
            return true;
    }
    return false;
}

/* Recognizes arithmetic of libgcc and compiler-rt: "__udivti3", "__truncdfhf2".
 */
static bool is_arithmetic(const char *name)
{
    static const char modes[] = "si di ti sf df tf xf hf bf sc dc tc xc hc";
    const size_t n = strlen(name);
    const size_t end = n != 0 && name[n - 1] >= '2' && name[n - 1] <= '4';
    char mode[3] = "";

    if (n < 6 + end || strchr(name + 2, '_') != NULL)
        return false;
    memcpy(mode, name + n - end - 2, 2);
    return strstr(modes, mode) != NULL;
}

/* set_cpu_feature() and the two after it are static functions of libgcc, which
 * need not lie next to its other functions. */
static bool is_system_c_name(const char *name)
{
    static const char *const prefixes[] = {
        "_Unwind_",        "__cxa_",
        "__gxx_",          "__gnu_",
        "__gcc",           "__cpu_",
        "__register_",     "__deregister_",
        "__libc_",         "__stack_chk",
        "__emutls",        "__tls_",
        "__atomic_",       "__sync_",
        "__sanitizer_",    MPROF_SYM_PREFIX,
        "__ubsan_",        "__interceptor_",
        "__interception",  "__llvm_",
        "__clang_",        "__xray_",
        "__aarch64_",      "__sancov_",
        "__dynamic_cast",  "__once_proxy",
        "___interceptor_", "__frame_state_for",
        "lprof",           "set_cpu_feature",
        "has_cpu_feature", "get_available_features",
        "__safestack_",    "__get_unsafe_",
        "__morestack",     "__generic_more",
        "__splitstack_",   "__stack_split_",
        "__gcov_",         "__gmon_start__",
        "llvm_gcda_",      "llvm_gcov_",
        "llvm_reset_",     "llvm_writeout_",
        "llvm_delete_",    "llvm_register_",
        "getValueProf",    "getFirstValue",
        "InstProf",        "InstrProf",
        "initBuffer",      "serializeValue"};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(prefixes); i++) {
        if (starts_with(name, prefixes[i]))
            return true;
    }
    return starts_with(name, "__") && is_arithmetic(name);
}

/* Recognizes functions of std and of namespaces with a reserved name, operators
 * new and delete, and transactional clones. */
static bool is_system_cxx_name(const char *name)
{
    static const char *const starts[] = {"St", "Sa", "Sb", "Ss", "Si", "So",
                                         "Sd", "nw", "na", "dl", "da"};
    const char *at = name + 2;

    if (starts_with(at, "GT"))
        return true;
    if (*at == 'T' && at[1] != '\0' && strchr("hvc", at[1]) != NULL)
        at += strspn(at, "Thvcn0123456789_");
    else if ((*at == 'T' || *at == 'G') && at[1] != '\0')
        at += 2;
    at += strspn(at, "ZN");
    at += strspn(at, "rVKRO");
    for (size_t i = 0; i < MPROF_ARRAY_LEN(starts); i++) {
        if (starts_with(at, starts[i]))
            return true;
    }
    at += strspn(at, "0123456789");
    return starts_with(at, "__") || starts_with(at, "_txnal_");
}

static bool is_system_name(const char *name)
{
    return starts_with(name, "_Z") ? is_system_cxx_name(name)
                                   : is_system_c_name(name);
}

/* Is it a part of a function that LLVM's code generator split off? Its accesses
 * count. */
static bool is_part(const char *name)
{
    return strstr(name, ".__part.") != NULL || strstr(name, ".cold") != NULL ||
           starts_with(name, "OUTLINED_FUNCTION_");
}

/* -- functions outside the records ----------------------------------------- */

struct function {
    uint64_t address;
    const char *name;
    bool is_local;
    bool is_beside_system;
};

MPROF_COMPARATOR(compare_functions, struct function,
                 MPROF_UP(address) ?: MPROF_UP(is_local))

/* Returns the name of a symbol, or "" if it is unterminated or too long. */
static const char *symbol_name(const struct mpdata_elf *elf, uint32_t name)
{
    const struct mpdata_elf_bytes *const names = &elf->symbol_names;

    return name < names->size && memchr(names->data + name, '\0',
                                        mprof_min_u64(names->size - name,
                                                      NAME_BYTES_MAX)) != NULL
               ? (const char *)names->data + name
               : "";
}

/* Is it a function, if it lies in a text section? Assembly need not tell types,
 * and nasm's "global NAME:function" gives no sizes; labels inside its functions
 * are local. Machine code may be written as an array of bytes. */
static bool is_function(const Elf64_Sym *symbol)
{
    switch (ELF64_ST_TYPE(symbol->st_info)) {
    case STT_NOTYPE:
        return ELF64_ST_BIND(symbol->st_info) != STB_LOCAL;
    case STT_FUNC:
    case STT_GNU_IFUNC:
        return true;
    case STT_OBJECT:
        return symbol->st_size != 0;
    default:
        return false;
    }
}

/* Lists the functions in the program's text sections, ordered by address. */
static bool list_functions(const struct mpdata_code *code,
                           const struct mpdata_elf *elf,
                           struct mpdata_vec *functions)
{
    const size_t count = elf->symbols.size / sizeof(Elf64_Sym);

    for (size_t i = 0; i < count; i++) {
        Elf64_Sym symbol;

        memcpy(&symbol, elf->symbols.data + i * sizeof(symbol), sizeof(symbol));
        if (symbol.st_shndx == SHN_UNDEF || !is_function(&symbol) ||
            !is_in_text(code, symbol.st_value))
            continue;
        const struct function function = {
            .address = symbol.st_value,
            .name = symbol_name(elf, symbol.st_name),
            .is_local = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL};
        if (!mpdata_vec_add(functions, &function))
            return false;
    }
    if (functions->count != 0)
        qsort(functions->data, functions->count, sizeof(struct function),
              compare_functions);
    return true;
}

/* Marks local functions next to a system function, starting at function `i`, in
 * steps of +1 or -1. */
static void mark_beside(const struct mpdata_code *code,
                        struct function *functions, size_t count, size_t i,
                        size_t step)
{
    bool is_system = false;

    for (; i < count; i += step) {
        struct function *const f = &functions[i];

        if (is_counted(code, f->address))
            is_system = false;
        else if (f->is_local && !is_system_name(f->name))
            f->is_beside_system |= is_system;
        else if (!is_start_name(f->name))
            is_system = is_system_name(f->name);
    }
}

static bool is_other(const struct mpdata_code *code, const struct function *f)
{
    return !is_counted(code, f->address) && !is_start_name(f->name) &&
           !is_system_name(f->name) && !is_part(f->name) &&
           !f->is_beside_system;
}

/* Is the C library among the program's functions? So in a static program whose
 * linker script does not give it a section of its own. */
static bool has_libc(const struct function *functions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(functions[i].name, "__libc_start_main") == 0)
            return true;
    }
    return false;
}

static bool find_others(struct mpdata_code *code, const struct mpdata_elf *elf)
{
    struct mpdata_vec list = {.elem_bytes = sizeof(struct function)};
    bool has_memory = list_functions(code, elf, &list);
    struct function *const functions = list.data;

    code->is_static = has_libc(functions, list.count);
    mark_beside(code, functions, list.count, 0, 1);
    mark_beside(code, functions, list.count, (size_t)list.count - 1,
                (size_t)-1);
    for (size_t i = 0; has_memory && !code->is_static && i < list.count; i++) {
        if ((i != 0 && functions[i].address == functions[i - 1].address) ||
            !is_other(code, &functions[i]))
            continue;
        if (code->others++ == 0) {
            code->other = strdup(functions[i].name);
            has_memory = code->other != NULL;
        }
    }
    mpdata_vec_fini(&list);
    return has_memory;
}

/* -- a stripped binary ----------------------------------------------------- */

/* Is the gap [start, end) too large for startup code or padding? Startup code
 * lies at the entry point, or first in a file without an entry point. */
static bool is_unnamed(const struct mpdata_elf *elf, uint64_t start,
                       uint64_t end, bool is_first)
{
    const bool is_start =
        elf->entry != 0 ? elf->entry >= start && elf->entry < end : is_first;

    return end - start >= (is_start ? START_BYTES_MAX : UNNAMED_BYTES_MIN);
}

static bool has_unnamed(const struct mpdata_code *code,
                        const struct mpdata_elf *elf)
{
    size_t k = 0;

    for (uint32_t i = 0; i < code->text_count; i++) {
        uint64_t at = code->texts[i].start;
        bool is_first = true;

        while (k < code->counted_count && code->counted[k].end <= at)
            k++;
        for (; k < code->counted_count &&
               code->counted[k].start < code->texts[i].end;
             k++) {
            if (code->counted[k].start > at &&
                is_unnamed(elf, at, code->counted[k].start, is_first))
                return true;
            at = code->counted[k].end;
            is_first = false;
        }
        if (at < code->texts[i].end &&
            is_unnamed(elf, at, code->texts[i].end, is_first))
            return true;
    }
    return false;
}

/* -- the whole binary ------------------------------------------------------ */

bool mpdata_code_read(struct mpdata_code *code, const struct mpdata_elf *elf)
{
    *code = (struct mpdata_code){.counted = NULL};
    if (elf->code.bytes.size == 0 && elf->wide_code.bytes.size == 0)
        return true;
    if (!read_counted(code, elf) || !read_texts(code, elf)) {
        mpdata_code_fini(code);
        return false;
    }
    if (elf->symbols.size == 0)
        code->is_stripped = has_unnamed(code, elf);
    else if (!find_others(code, elf)) {
        mpdata_code_fini(code);
        return false;
    }
    return true;
}

enum mpdata_code_kind mpdata_code_find(const struct mpdata_code *code,
                                       uint64_t address, const char *function)
{
    if (code->counted == NULL)
        return MPDATA_CODE_UNKNOWN;
    if (is_counted(code, address) || (function != NULL && is_part(function)))
        return MPDATA_CODE_COUNTED;
    return !is_in_text(code, address) ||
                   (function != NULL &&
                    (is_start_name(function) || is_system_name(function)))
               ? MPDATA_CODE_SYSTEM
               : MPDATA_CODE_OTHER;
}

bool mpdata_code_is_partly(const struct mpdata_code *code)
{
    return code->others != 0 || code->is_stripped || code->is_static;
}
