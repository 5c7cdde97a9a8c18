/* symbolizer_table.c -- finds names in symbol tables without sorting or copying
 * them: each symbol is a candidate for the first wanted address at or after it,
 * and an address without a candidate takes over the candidate of the previous
 * address.
 *
 * The symbol of an address is the last one that starts at or before it. Of
 * several that start at the same address, the largest wins, then a global one,
 * then the last in the table.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/symbolizer_table.h"
#include "profdata/base/vec.h"

#include <stdlib.h>
#include <string.h>

struct candidate {
    uint64_t value;
    uint64_t size;
    const char *name; /* NULL: none */
    const char *file; /* source file of a local symbol, or NULL */
    bool is_local;
};

static bool is_wanted(const GElf_Sym *s, GElf_Word section)
{
    const unsigned type = GELF_ST_TYPE(s->st_info);

    return section != SHN_UNDEF && section < SHN_LORESERVE &&
           (type == STT_NOTYPE || type == STT_FUNC || type == STT_OBJECT ||
            type == STT_GNU_IFUNC);
}

static bool is_better(const struct candidate *old, const struct candidate *new)
{
    if (old->name == NULL || new->value != old->value)
        return old->name == NULL || new->value > old->value;
    if (new->size != old->size)
        return new->size > old->size;
    return !new->is_local || old->is_local;
}

static void collect(Dwfl_Module *module,
                    const struct mpdata_symbolizer_name *rows, size_t count,
                    struct candidate *candidates)
{
    const int symbols = dwfl_module_getsymtab(module);
    const char *file = NULL;

    for (int i = 1; i < symbols; i++) {
        struct candidate c;
        GElf_Word section = SHN_UNDEF;
        GElf_Sym s;
        size_t row;

        c.name = dwfl_module_getsym_info(module, i, &s, &c.value, &section,
                                         NULL, NULL);
        if (c.name == NULL)
            continue;
        if (GELF_ST_TYPE(s.st_info) == STT_FILE)
            file = c.name;
        if (!is_wanted(&s, section))
            continue;
        c.size = s.st_size;
        c.is_local = GELF_ST_BIND(s.st_info) == STB_LOCAL;
        c.file = c.is_local ? file : NULL;
        row = mpdata_vec_first(rows, count, sizeof(*rows),
                               offsetof(struct mpdata_symbolizer_name, address),
                               c.value);
        if (row < count && is_better(&candidates[row], &c))
            candidates[row] = c;
    }
}

bool mpdata_symbolizer_table_find(Dwfl_Module *module,
                                  struct mpdata_symbolizer_name *rows,
                                  size_t count)
{
    struct candidate *const candidates =
        mpdata_vec_array(count, sizeof(*candidates));

    if (candidates == NULL)
        return false;
    collect(module, rows, count, candidates);
    for (size_t i = 0; i < count; i++) {
        const struct candidate *const c = &candidates[i];

        if (c->name == NULL && i != 0)
            candidates[i] = candidates[i - 1];
        if (c->name == NULL ||
            (c->size != 0 && rows[i].address - c->value >= c->size))
            continue;
        rows[i].name = c->name;
        rows[i].file = c->file;
    }
    free(candidates);
    return true;
}
