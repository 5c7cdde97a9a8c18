/* type_format.h -- the section of an object, program or library that says what
 * type the calls in it allocate. The plugin writes it, the linker drops what is
 * double, `memprofdata` reads it; it is no part of what runs.
 *
 *   each record   function TAB line TAB column TAB type [TAB bytes] NUL
 *
 * Function: the linkage name, without the numbers that lambdas and types
 * without a name have in it ("$_4"): LLVM counts them as it makes code, which
 * is later than where types are known. Line and column, decimal: where the
 * call's line table says that it is. Type: as the language writes it. Bytes:
 * what sizeof says of it, decimal; not where it is not known. Two records of
 * one place that say different types say nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_TYPE_FORMAT_H
#define MPROF_TYPE_FORMAT_H

#include <stddef.h>

#define MPROF_TYPE_SECTION ".memprof_types"
#define MPROF_TYPE_SEPARATOR '\t'

/* How a module's assembly opens it: strings, each once. */
#define MPROF_TYPE_SECTION_FLAGS "\"MS\",@progbits,1"

/* In a linkage name: here a number was. */
#define MPROF_TYPE_UNNAMED "$_"

/* Makes of a linkage name a record's function; returns its length. */
static inline size_t mprof_type_function(char *name)
{
    size_t n = 0;

    for (const char *at = name; *at != '\0';) {
        name[n++] = *at++;
        if (n < 2 || name[n - 2] != MPROF_TYPE_UNNAMED[0] ||
            name[n - 1] != MPROF_TYPE_UNNAMED[1])
            continue;
        while (*at >= '0' && *at <= '9')
            at++;
    }
    name[n] = '\0';
    return n;
}

#endif
