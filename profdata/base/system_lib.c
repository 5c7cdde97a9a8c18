/* system_lib.c -- tells system libraries from other binaries.
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

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* The last two components of the path. */
static const char *folder_of(const char *path)
{
    const char *at = file_of(path);

    if (at != path)
        at--;
    while (at != path && at[-1] != '/')
        at--;
    return at;
}

static bool is_digit(char c)
{
    return isdigit((unsigned char)c) != 0;
}

/* System libraries have versions; a bare libutil.so is somebody's own. */
static bool has_version(const char *rest)
{
    return (strncmp(rest, ".so.", 4) == 0 && is_digit(rest[4])) ||
           (rest[0] == '-' && is_digit(rest[1]));
}

static bool is_named(const char *path, const char *name)
{
    const size_t size = strlen(name) - (name[strlen(name) - 1] == '*');
    const char *const file =
        strchr(name, '/') != NULL ? folder_of(path) : file_of(path);

    return strncmp(file, name, size) == 0 &&
           (name[size] == '*' || has_version(file + size));
}

bool mpdata_system_lib_is(const char *path)
{
    bool is = file_of(path)[0] == '\0';

    for (size_t i = 0; i < MPROF_ARRAY_LEN(names) && !is; i++)
        is = is_named(path, names[i]);
    return is;
}

bool mpdata_system_lib_is_cxx(const char *path)
{
    bool is = false;

    for (size_t i = 0; i < MPROF_ARRAY_LEN(cxx_names) && !is; i++)
        is = is_named(path, cxx_names[i]);
    return is;
}
