/* system_lib.c -- is a file a library of the system?
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/system_lib.h"

#include <ctype.h>
#include <string.h>

static const char *const names[] = {
#define MPROF_SYSTEM_LIB(name, of) name,
#include "shared/system_libs.inc"
};

static const char *const cxx_names[] = {
#define MPROF_SYSTEM_CXX_LIB(name, of) name,
#include "shared/system_libs.inc"
};

static bool is_named(const char *file, const char *name)
{
    const size_t size = strlen(name) - (name[strlen(name) - 1] == '*');
    const char *rest = file + size;

    if (strncmp(file, name, size) != 0)
        return false;
    return name[size] == '*' || strncmp(rest, ".so", 3) == 0 ||
           (rest[0] == '-' && isdigit((unsigned char)rest[1]));
}

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

bool mpdata_system_lib_is(const char *path)
{
    const char *file = file_of(path);
    bool is = file[0] == '\0';

    for (size_t i = 0; i < MPROF_ARRAY_LEN(names) && !is; i++)
        is = is_named(file, names[i]);
    return is;
}

bool mpdata_system_lib_is_cxx(const char *path)
{
    const char *file = file_of(path);
    bool is = false;

    for (size_t i = 0; i < MPROF_ARRAY_LEN(cxx_names) && !is; i++)
        is = is_named(file, cxx_names[i]);
    return is;
}
