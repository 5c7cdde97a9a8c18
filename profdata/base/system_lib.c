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

static bool is_named(const char *file, const char *name)
{
    const size_t size = strlen(name) - (name[strlen(name) - 1] == '*');
    const char *rest = file + size;

    if (strncmp(file, name, size) != 0)
        return false;
    return name[size] == '*' || strncmp(rest, ".so", 3) == 0 ||
           (rest[0] == '-' && isdigit((unsigned char)rest[1]));
}

bool mpdata_system_lib_is(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash != NULL ? slash + 1 : path;
    bool is = file[0] == '\0';

    for (size_t i = 0; i < MPROF_ARRAY_LEN(names) && !is; i++)
        is = is_named(file, names[i]);
    return is;
}
