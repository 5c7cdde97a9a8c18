/* symbol_pick.c -- debug information's name or the symbol table's.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/symbol_pick.h"

#include <stdlib.h>
#include <string.h>

/* As the Itanium ABI writes names, and Rust's two ways. */
bool mpdata_symbol_pick_is_mangled(const char *name)
{
    return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

void mpdata_symbol_pick_name(struct mpdata_symbol_pick *pick, const char *name)
{
    const size_t size = name != NULL ? strnlen(name, sizeof(pick->own)) : 0;
    const char *const at =
        size != 0 ? (const char *)memchr(name, '@', size) : NULL;

    pick->name = name;
    if (at == NULL || at == name)
        return;
    memcpy(pick->own, name, (size_t)(at - name));
    pick->own[at - name] = '\0';
    pick->name = pick->own;
}

/* Without a name in debug information for the innermost and the outermost
 * frame, the symbol table names the outermost. */
static void take_table(const struct mpdata_symbol_pick *c,
                       const struct mpdata_symbol *symbols, size_t count)
{
    struct mpdata_symbol *const copy =
        (struct mpdata_symbol *)calloc(count, sizeof(*copy));

    if (copy == NULL) {
        c->symbols->failed = true;
        return;
    }
    memcpy(copy, symbols, count * sizeof(*copy));
    if (c->name != NULL)
        copy[count - 1].function = c->name;
    if (copy[count - 1].file == NULL)
        copy[count - 1].file = c->file;
    mpdata_symbols_add(c->symbols, c->address,
                       copy[count - 1].function != NULL ? MPDATA_SYMBOL_TABLE
                                                        : MPDATA_SYMBOL_NONE,
                       copy, count);
    free(copy);
}

/* Debug information is good as it is, unless the outermost name is not mangled:
 * it may then be only the short name of a C++ function (line tables without
 * -fdebug-info-for-profiling), which the symbol table knows in full. Other
 * differences are suffixes (.cold, .llvm.N) and aliases, where debug
 * information is right. */
static void take_debug(const struct mpdata_symbol_pick *c,
                       const struct mpdata_symbol *symbols, size_t count)
{
    const bool is_better =
        c->name != NULL && mpdata_symbol_pick_is_mangled(c->name) &&
        !mpdata_symbol_pick_is_mangled(symbols[count - 1].function);
    struct mpdata_symbol *copy;

    if (!is_better) {
        mpdata_symbols_add(c->symbols, c->address, MPDATA_SYMBOL_DEBUG, symbols,
                           count);
        return;
    }
    copy = (struct mpdata_symbol *)calloc(count, sizeof(*copy));
    if (copy == NULL) {
        c->symbols->failed = true;
        return;
    }
    memcpy(copy, symbols, count * sizeof(*copy));
    copy[count - 1].function = c->name;
    mpdata_symbols_add(c->symbols, c->address, MPDATA_SYMBOL_DEBUG, copy,
                       count);
    free(copy);
}

void mpdata_symbol_pick_take(void *context, const struct mpdata_symbol *symbols,
                             size_t count)
{
    const struct mpdata_symbol_pick *const c =
        (const struct mpdata_symbol_pick *)context;

    if (symbols[0].function != NULL && symbols[count - 1].function != NULL)
        take_debug(c, symbols, count);
    else
        take_table(c, symbols, count);
}
