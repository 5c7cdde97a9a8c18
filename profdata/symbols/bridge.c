/* bridge.c -- finding the bridge to LLVM, and names for people from it.
 *
 * The bridge is a program that stands at a fixed place from the executable, or
 * from the shared library that this is in: in ../lib/memprof/ when installed,
 * in
 * ../llvm-VERSION/ in a build tree. It is never searched for in PATH, so no
 * other version's can be met by chance.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/bridge.h"
#include "profdata/symbols/debugfile.h"
#include "profdata/symbols/remote.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BRIDGE_NAME "memprofdata-symbolizer"
#define FAILURES_MAX 20u
#define LLVM_VERSION_MAX 40
#define LLVM_VERSION_MIN 14

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

/* The file that holds this code, where it is known: a shared library. */
static bool find_own_file(const char **path)
{
    /* Any object of this file. */
    static const char here;
    Dl_info info;

    if (dladdr(&here, &info) == 0 || info.dli_fname == NULL ||
        strchr(info.dli_fname, '/') == NULL)
        return false;
    *path = info.dli_fname;
    return true;
}

/* `installed`: where from the directory the bridge lies once installed;
 * `built`: where the directories of LLVM's versions lie in a build tree. */
static bool find_bridge_from(const char *dir, size_t dir_size,
                             const char *installed, const char *built,
                             char out[PATH_MAX])
{
    if (snprintf(out, PATH_MAX, "%.*s/%s/" BRIDGE_NAME, (int)dir_size, dir,
                 installed) < PATH_MAX &&
        access(out, X_OK) == 0)
        return true;
    for (int version = LLVM_VERSION_MAX; version >= LLVM_VERSION_MIN;
         version--) {
        if (snprintf(out, PATH_MAX, "%.*s/%sllvm-%d/" BRIDGE_NAME,
                     (int)dir_size, dir, built, version) < PATH_MAX &&
            access(out, X_OK) == 0)
            return true;
    }
    return false;
}

static bool find_bridge(char out[PATH_MAX])
{
    char dir[PATH_MAX];
    const char *own;

    if (find_own_file(&own)) {
        const size_t size = (size_t)(strrchr(own, '/') - own);

        /* In lib, or in lib/ARCHITECTURE. */
        if (find_bridge_from(own, size, "memprof", "", out) ||
            find_bridge_from(own, size, "../memprof", "", out))
            return true;
    }
    return find_own_directory(dir) &&
           find_bridge_from(dir, strlen(dir), "../lib/memprof", "../", out);
}

uint64_t mpdata_bridge_identity(struct mpdata_symbolizer *symbolizer)
{
    char path[PATH_MAX];
    const char *own = "/proc/self/exe";

    if (!symbolizer->is_sought && find_bridge(path)) {
        find_own_file(&own);
        symbolizer->identity =
            mpdata_debugfile_stamp(path) ^ mpdata_debugfile_stamp(own) << 1;
    }
    symbolizer->is_sought = true;
    return symbolizer->identity;
}

enum mprof_err mpdata_bridge_load(struct mpdata_symbolizer *symbolizer,
                                  struct mprof_diag *diag)
{
    char path[PATH_MAX];

    if (symbolizer->helper == NULL && find_bridge(path))
        symbolizer->helper = strdup(path);
    if (symbolizer->helper != NULL)
        return MPROF_E_OK;
    return mpdata_diag_fail(diag, MPROF_E_NO_SYMBOLIZER, NULL,
                            MPROF_DIAG_NO_OFFSET,
                            BRIDGE_NAME " is neither in ../lib/memprof nor in "
                                        "../llvm-VERSION beside the program");
}

/* A name that ends LLVM's demangler stays as it is; the next one gets a new
 * process, a few times. */
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
