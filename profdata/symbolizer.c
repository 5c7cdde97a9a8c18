/* symbolizer.c -- loading the bridge to LLVM, and which of its names to take.
 *
 * The bridge stands at a fixed place from the executable, or from the shared
 * library that this is in: in ../lib/memprof/ when installed, in
 * ../llvm-VERSION/ in a build tree. It is never searched for in the library
 * path, so no other version's can be met by chance.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbolizer.h"
#include "profdata/diag.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BRIDGE_NAME "memprofdata-symbolizer.so"
#define LLVM_VERSION_MAX 40
#define LLVM_VERSION_MIN 14
#define NAME_BYTES_MAX 4096

/* The directory of the running executable, without a slash at the end. */
static bool find_own_directory(char out[PATH_MAX])
{
    const ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);
    char *slash;

    if (n <= 0)
        return false;
    out[n] = '\0';
    slash = strrchr(out, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    return true;
}

/* The directory of the file that holds this code, where it is known. */
static bool find_library_directory(char out[PATH_MAX])
{
    /* Any object of this file. */
    static const char here;
    Dl_info info;
    const char *slash;

    if (dladdr(&here, &info) == 0 || info.dli_fname == NULL)
        return false;
    slash = strrchr(info.dli_fname, '/');
    return slash != NULL &&
           snprintf(out, PATH_MAX, "%.*s", (int)(slash - info.dli_fname),
                    info.dli_fname) < PATH_MAX;
}

/* `installed`: where from the directory the bridge lies once installed;
 * `built`: where the directories of LLVM's versions lie in a build tree. */
static bool find_bridge_from(const char *dir, const char *installed,
                             const char *built, char out[PATH_MAX])
{
    if (snprintf(out, PATH_MAX, "%s/%s/" BRIDGE_NAME, dir, installed) <
            PATH_MAX &&
        access(out, R_OK) == 0)
        return true;
    for (int version = LLVM_VERSION_MAX; version >= LLVM_VERSION_MIN;
         version--) {
        if (snprintf(out, PATH_MAX, "%s/%sllvm-%d/" BRIDGE_NAME, dir, built,
                     version) < PATH_MAX &&
            access(out, R_OK) == 0)
            return true;
    }
    return false;
}

static bool find_bridge(char out[PATH_MAX])
{
    char dir[PATH_MAX];

    if (find_library_directory(dir) &&
        find_bridge_from(dir, "memprof", "", out))
        return true;
    return find_own_directory(dir) &&
           find_bridge_from(dir, "../lib/memprof", "../", out);
}

static enum mprof_err fail_load(struct mpdata_symbolizer *symbolizer,
                                struct mprof_diag *diag, const char *text)
{
    symbolizer->failed = true;
    return mpdata_fail(diag, MPROF_E_NO_SYMBOLIZER, NULL, MPROF_DIAG_NO_OFFSET,
                       "%s", text);
}

/* dlsym() gives an object pointer; POSIX says that it holds a function's. */
static mpdata_bridge_entry_fn *find_entry(void *library)
{
    mpdata_bridge_entry_fn *entry = NULL;
    void *const symbol = dlsym(library, MPDATA_BRIDGE_ENTRY);

    _Static_assert(sizeof(entry) == sizeof(symbol), "POSIX");
    memcpy(&entry, &symbol, sizeof(entry));
    return entry;
}

enum mprof_err mpdata_symbolizer_load(struct mpdata_symbolizer *symbolizer,
                                      struct mprof_diag *diag)
{
    char path[PATH_MAX];
    mpdata_bridge_entry_fn *entry;

    if (symbolizer->self != NULL)
        return MPROF_E_OK;
    if (symbolizer->failed || !find_bridge(path))
        return fail_load(symbolizer, diag,
                         BRIDGE_NAME " is neither in ../lib/memprof nor in "
                                     "../llvm-VERSION beside the program");
    symbolizer->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (symbolizer->library == NULL)
        return fail_load(symbolizer, diag, dlerror());
    entry = find_entry(symbolizer->library);
    if (entry == NULL || entry()->version != MPDATA_BRIDGE_VERSION)
        return fail_load(symbolizer, diag,
                         BRIDGE_NAME " is of another version of memprof");
    symbolizer->bridge = entry();
    symbolizer->self = symbolizer->bridge->open();
    return MPROF_E_OK;
}

void mpdata_symbolizer_fini(struct mpdata_symbolizer *symbolizer)
{
    if (symbolizer->self != NULL)
        symbolizer->bridge->close(symbolizer->self);
    /* The library stays loaded: LLVM's global state does not like to be
     * unmapped, and the command ends soon. */
    *symbolizer = (struct mpdata_symbolizer){.library = NULL};
}

/* Carries the answers of the bridge to the caller's function. */
struct question {
    mpdata_symbolizer_fn *fn;
    void *context;
    bool is_answered;
    bool is_debug; /* the innermost frame has a name in debug information */
    bool is_short; /* the outermost name may be one without its parameters */
    char outermost[NAME_BYTES_MAX]; /* that the symbol table is asked about */
};

static bool is_mangled(const char *name)
{
    return name[0] == '_' && name[1] == 'Z';
}

/* First answer: debug information. Good as it is unless a name is missing, or
 * the outermost one is not mangled: then debug information may hold only the
 * short name of a C++ function (line tables without
 * -fdebug-info-for-profiling), which the symbol table knows in full. */
static void take_debug(void *context, const struct mpdata_symbol *symbols,
                       size_t count)
{
    struct question *const q = (struct question *)context;
    const char *outermost = symbols[count - 1].function;

    q->is_debug = symbols[0].function != NULL && outermost != NULL;
    q->is_short = q->is_debug && !is_mangled(outermost);
    if (!q->is_debug || q->is_short)
        return;
    q->is_answered = true;
    q->fn(q->context, MPDATA_SYMBOL_DEBUG, symbols, count);
}

/* Second answer: the symbol table's name for the outermost frame. Kept only
 * where it is mangled and debug information's is not: other differences are
 * suffixes (.cold, .llvm.N) and aliases, where LLVM's choice is right. */
static void take_table_name(void *context, const struct mpdata_symbol *symbols,
                            size_t count)
{
    struct question *const q = (struct question *)context;
    const char *name = symbols[count - 1].function;
    const bool has_name = name != NULL && strlen(name) < sizeof(q->outermost);

    if (q->is_debug) {
        if (has_name && is_mangled(name))
            memcpy(q->outermost, name, strlen(name) + 1);
        return;
    }
    q->is_answered = true;
    q->fn(q->context, name != NULL ? MPDATA_SYMBOL_TABLE : MPDATA_SYMBOL_NONE,
          symbols, count);
}

/* Debug information again, with the better name put in. */
static void take_debug_renamed(void *context,
                               const struct mpdata_symbol *symbols,
                               size_t count)
{
    struct question *const q = (struct question *)context;
    struct mpdata_symbol *copy;

    q->is_answered = true;
    copy = (struct mpdata_symbol *)calloc(count, sizeof(*copy));
    if (copy == NULL || q->outermost[0] == '\0') {
        q->fn(q->context, MPDATA_SYMBOL_DEBUG, symbols, count);
    } else {
        memcpy(copy, symbols, count * sizeof(*copy));
        copy[count - 1].function = q->outermost;
        q->fn(q->context, MPDATA_SYMBOL_DEBUG, copy, count);
    }
    free(copy);
}

enum mprof_err mpdata_symbolizer_lookup(struct mpdata_symbolizer *symbolizer,
                                        const char *path, uint64_t address,
                                        mpdata_symbolizer_fn *fn, void *context,
                                        struct mprof_diag *diag)
{
    static const struct {
        mpdata_symbol_fn *take;
        int use_symbol_table;
    } steps[] = {
        {take_debug, 0}, {take_table_name, 1}, {take_debug_renamed, 0}};
    struct question q = {.fn = fn, .context = context};
    char error[MPROF_DIAG_TEXT_BYTES];

    for (size_t i = 0; i < MPROF_ARRAY_LEN(steps) && !q.is_answered; i++) {
        if (symbolizer->bridge->lookup(symbolizer->self, path, address,
                                       steps[i].use_symbol_table, steps[i].take,
                                       &q, error, sizeof(error)) != 0)
            return mpdata_fail(diag, MPROF_E_NO_SYMBOLS, NULL,
                               MPROF_DIAG_NO_OFFSET, "%s", error);
    }
    return MPROF_E_OK;
}

char *mpdata_symbolizer_demangle(struct mpdata_symbolizer *symbolizer,
                                 const char *name)
{
    if (!is_mangled(name) ||
        mpdata_symbolizer_load(symbolizer, NULL) != MPROF_E_OK)
        return strdup(name);
    return symbolizer->bridge->demangle(name);
}
