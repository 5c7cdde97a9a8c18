/* bridge.c -- finds the bridge to LLVM and demangles names with it.
 *
 * The bridge is the program memprofdata-symbolizer. It has a fixed location
 * relative to the executable, or to the shared library that contains this code:
 * ../lib/memprof/ when installed, ../llvm-VERSION/ in a build tree. PATH is not
 * searched, because it could contain the bridge of another version.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/symbolizer.h"
#include "profdata/symbols/debugfile.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BRIDGE_NAME "memprofdata-symbolizer"
#define FAILURES_MAX 20u
#define LLVM_VERSION_MAX 40
#define LLVM_VERSION_MIN 14

/* Finds the directory of the running executable, without a trailing slash. */
static bool find_own_directory(char out[PATH_MAX])
{
    const ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);

    if (n <= 0)
        return false;
    out[n] = '\0';
    char *slash = strrchr(out, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    return true;
}

/* Finds the file that contains this code, if it is a shared library. */
static bool find_own_file(const char **path)
{
    /* Any object defined in this file. */
    static const char here;
    Dl_info info;

    if (dladdr(&here, &info) == 0 || info.dli_fname == NULL ||
        strchr(info.dli_fname, '/') == NULL)
        return false;
    *path = info.dli_fname;
    return true;
}

/* Searches from directory `dir`. `installed` is the relative path of the
 * program's directory once installed; `built` that of the directories of LLVM's
 * versions in a build tree. */
static bool find_from(const char *dir, size_t dir_size, const char *installed,
                      const char *built, const char *name, char out[PATH_MAX])
{
    if (snprintf(out, PATH_MAX, "%.*s/%s/%s", (int)dir_size, dir, installed,
                 name) < PATH_MAX &&
        access(out, X_OK) == 0)
        return true;
    for (int version = LLVM_VERSION_MAX; version >= LLVM_VERSION_MIN;
         version--) {
        if (snprintf(out, PATH_MAX, "%.*s/%sllvm-%d/%s", (int)dir_size, dir,
                     built, version, name) < PATH_MAX &&
            access(out, X_OK) == 0)
            return true;
    }
    return false;
}

bool mpdata_bridge_find(const char *name, char out[PATH_MAX])
{
    char dir[PATH_MAX];
    const char *own;

    if (find_own_file(&own)) {
        const size_t size = (size_t)(strrchr(own, '/') - own);

        /* The library is in lib, or in lib/ARCHITECTURE. */
        if (find_from(own, size, "memprof", "", name, out) ||
            find_from(own, size, "../memprof", "", name, out))
            return true;
    }
    return find_own_directory(dir) &&
           find_from(dir, strlen(dir), "../lib/memprof", "../", name, out);
}

/* Looks for the bridge once: it looks in some 80 places. */
static void seek(struct mpdata_symbolizer *symbolizer)
{
    char path[PATH_MAX];

    if (symbolizer->is_sought)
        return;
    symbolizer->is_sought = true;
    if (mpdata_bridge_find(BRIDGE_NAME, path))
        symbolizer->helper = strdup(path);
}

uint64_t mpdata_bridge_identity(struct mpdata_symbolizer *symbolizer)
{
    const char *own = "/proc/self/exe";

    seek(symbolizer);
    if (symbolizer->identity == 0 && symbolizer->helper != NULL) {
        find_own_file(&own);
        symbolizer->identity = mpdata_debugfile_stamp(symbolizer->helper) ^
                               mpdata_debugfile_stamp(own) << 1;
    }
    return symbolizer->identity;
}

enum mprof_err mpdata_bridge_load(struct mpdata_symbolizer *symbolizer,
                                  struct mprof_diag *diag)
{
    seek(symbolizer);
    if (symbolizer->helper != NULL)
        return MPROF_E_OK;
    return mpdata_diag_text(diag, MPROF_E_NO_SYMBOLIZER,
                            BRIDGE_NAME " is neither in ../lib/memprof nor in "
                                        "../llvm-VERSION beside the program");
}

/* Demangles in the bridge. A name that crashes LLVM's demangler stays mangled;
 * the next name gets a new process, a limited number of times. */
static char *ask(struct mpdata_symbolizer *symbolizer, const char *name)
{
    char *result = NULL;

    if (symbolizer->demangler == NULL)
        symbolizer->demangler = mpdata_remote_open(symbolizer->helper, NULL);
    if (symbolizer->demangler != NULL)
        result = mpdata_remote_demangle(symbolizer->demangler, name);
    if (result == NULL) {
        mpdata_remote_close(symbolizer->demangler);
        symbolizer->demangler = NULL;
        symbolizer->failures++;
    }
    return result;
}

char *mpdata_bridge_demangle(struct mpdata_symbolizer *symbolizer,
                             const char *name)
{
    char *result = NULL;

    if (mpdata_symbols_is_mangled(name) &&
        symbolizer->failures < FAILURES_MAX &&
        mpdata_bridge_load(symbolizer, NULL) == MPROF_E_OK)
        result = ask(symbolizer, name);
    return result != NULL ? result : strdup(name);
}
