/* elf_symbols.c -- names by a symbol table, which is neither sorted nor copied:
 * each symbol is a candidate for the first wanted address that follows it, and
 * an address without a candidate of its own takes over that of the one before.
 *
 * The symbol of an address is the last that starts at or before it. Of several
 * that start at one place the largest counts, of those of one size a global
 * one, and of these the last in the table.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/elf_symbols.h"
#include "profdata/base/vec.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct candidate {
    Elf64_Sym symbol;
    uint32_t file; /* of a local one; 0: none */
    bool is_set;
};

/* A table of strings ends with a NUL, so each of them does. */
static const char *text_at(const struct mpdata_elf_bytes *strings, uint32_t off)
{
    if (off >= strings->size || strings->data[strings->size - 1] != 0)
        return NULL;
    return (const char *)strings->data + off;
}

static bool is_wanted(const Elf64_Sym *s)
{
    const unsigned type = ELF64_ST_TYPE(s->st_info);

    return s->st_shndx != SHN_UNDEF && s->st_shndx < SHN_LORESERVE &&
           (type == STT_NOTYPE || type == STT_FUNC || type == STT_OBJECT ||
            type == STT_GNU_IFUNC);
}

static bool is_local(const Elf64_Sym *s)
{
    return ELF64_ST_BIND(s->st_info) == STB_LOCAL;
}

static bool is_better(const struct candidate *old, const Elf64_Sym *s)
{
    if (!old->is_set || s->st_value != old->symbol.st_value)
        return !old->is_set || s->st_value > old->symbol.st_value;
    if (s->st_size != old->symbol.st_size)
        return s->st_size > old->symbol.st_size;
    return !is_local(s) || is_local(&old->symbol);
}

static void collect(const struct mpdata_elf_bytes *table,
                    const struct mpdata_elf_name *rows, size_t count,
                    struct candidate *candidates)
{
    const size_t symbols = table->size / sizeof(Elf64_Sym);
    uint32_t file = 0;

    for (size_t i = 1; i < symbols; i++) {
        Elf64_Sym s;
        size_t row;

        memcpy(&s, table->data + i * sizeof(s), sizeof(s));
        if (ELF64_ST_TYPE(s.st_info) == STT_FILE)
            file = s.st_name;
        if (!is_wanted(&s))
            continue;
        row = mpdata_vec_first(rows, count, sizeof(*rows),
                               offsetof(struct mpdata_elf_name, address),
                               s.st_value);
        if (row < count && is_better(&candidates[row], &s))
            candidates[row] = (struct candidate){
                .symbol = s, .file = is_local(&s) ? file : 0, .is_set = true};
    }
}

bool mpdata_elf_symbols_find(const struct mpdata_elf_bytes *table,
                             const struct mpdata_elf_bytes *strings,
                             struct mpdata_elf_name *rows, size_t count)
{
    struct candidate *const candidates =
        (struct candidate *)mpdata_vec_array(count, sizeof(*candidates));

    if (candidates == NULL)
        return false;
    collect(table, rows, count, candidates);
    for (size_t i = 0; i < count; i++) {
        const Elf64_Sym *const s = &candidates[i].symbol;

        if (!candidates[i].is_set && i != 0)
            candidates[i] = candidates[i - 1];
        if (!candidates[i].is_set ||
            (s->st_size != 0 && rows[i].address - s->st_value >= s->st_size))
            continue;
        rows[i].name = text_at(strings, s->st_name);
        if (candidates[i].file != 0)
            rows[i].file = text_at(strings, candidates[i].file);
    }
    free(candidates);
    return true;
}
