/* swift_names.c -- Swift's names: its own library's answer where ours has none.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/swift_names.h"
#include "profdata/symbols/swift_node.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libswiftDemangle.so"
#define ENTRY "swift_demangle_getDemangledName"

/* Longer answers are refused: of Swift's library, and of ours. */
#define ANSWER_BYTES 16384u

/* Bytes of the prefix of a name that ours can read, or 0. */
static size_t prefix_size(const char *name)
{
    const size_t underscore = name[0] == '_';

    name += underscore;
    return name[0] == '$' && (name[1] == 's' || name[1] == 'S') ? underscore + 2
                                                                : 0;
}

bool mpdata_swift_is_mangled(const char *name)
{
    return prefix_size(name) != 0 || strncmp(name, "_T0", 3) == 0 ||
           strncmp(name, "@__swiftmacro_", 14) == 0;
}

char *mpdata_swift_demangle(const char *name)
{
    const size_t start = prefix_size(name);
    struct swift_name *const s =
        start != 0 ? (struct swift_name *)malloc(sizeof(*s)) : NULL;
    char *const out = s != NULL ? (char *)malloc(ANSWER_BYTES) : NULL;
    char *result = NULL;

    if (out != NULL && mpdata_swift_read(s, name + start) &&
        mpdata_swift_print(s, out, ANSWER_BYTES))
        result = strdup(out);
    free(out);
    free(s);
    return result;
}

/* dlsym() gives an object pointer; POSIX says that it holds a function's. */
static void load(struct mpdata_swift_library *library)
{
    void *symbol;

    library->is_sought = true;
    library->handle = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    symbol = library->handle != NULL ? dlsym(library->handle, ENTRY) : NULL;
    memcpy(&library->demangle, &symbol, sizeof(symbol));
}

char *mpdata_swift_ask(struct mpdata_swift_library *library, const char *name)
{
    char *out;
    size_t size;

    if (!library->is_sought)
        load(library);
    if (library->demangle == NULL || strlen(name) > SWIFT_NAME_BYTES)
        return NULL;
    out = (char *)calloc(1, ANSWER_BYTES);
    if (out == NULL)
        return NULL;
    size = library->demangle(name, out, ANSWER_BYTES - 1);
    if (size == 0 || size >= ANSWER_BYTES - 1 || out[0] == '\0' ||
        memchr(out, '\0', ANSWER_BYTES) == NULL) {
        free(out);
        return NULL;
    }
    return out;
}

void mpdata_swift_library_fini(struct mpdata_swift_library *library)
{
    if (library->handle != NULL)
        dlclose(library->handle);
    *library = (struct mpdata_swift_library){.handle = NULL};
}
