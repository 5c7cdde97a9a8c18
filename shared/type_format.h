/* type_format.h -- the section of an object, program or library that says what
 * type the calls in it allocate. The plugin writes it, the linker drops what is
 * double, `memprofdata` reads it; it is no part of what runs.
 *
 *   each record   function TAB line TAB column TAB type [TAB bytes [TAB []]]
 * NUL or            TAB type TAB bytes TAB fields NUL or            TAB type[]
 * TAB bytes TAB []fields NUL
 *
 * Function: the linkage name, without the numbers that lambdas and types
 * without a name have in it ("$_4"): LLVM counts them as it makes code, which
 * is later than where types are known. What only its own file sees, which
 * another file may have a namesake of, is "FILE;function", FILE without
 * directories, as line tables name it at the call. Line and column, decimal:
 * where the call's line table says that it is. Type: as the language writes it.
 * Bytes: what sizeof says of it, decimal; not where it is not known; "[]"
 * behind it: the call allocates any number of them. Two records of one place
 * that say different types say nothing.
 *
 * Fields: "offset+bytes name", decimal, of each member, with ";" between them
 * and offsets ascending; members of members as "outer.inner", those of a union
 * that has no name as "one|other". Two records of one type and size that say
 * different fields say nothing: files may have types of one name.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_TYPE_FORMAT_H
#define MPROF_TYPE_FORMAT_H

#include <stddef.h>

#define MPROF_TYPE_SECTION ".memprof_types"
#define MPROF_TYPE_SEPARATOR '\t'

#define MPROF_TYPE_FILE_END ';'

/* Behind a call's bytes; in records of fields behind the type and in front of
 * the fields, for calls that allocate any number. */
#define MPROF_TYPE_ARRAY "[]"

#define MPROF_TYPE_FIELD_END ';'
#define MPROF_TYPE_FIELD_BYTES '+'
#define MPROF_TYPE_FIELD_NAME ' '
/* In place of fields: there are several sets of them. */
#define MPROF_TYPE_FIELDS_SEVERAL "?"
/* Types with more, or longer texts, have none. */
#define MPROF_TYPE_FIELDS_MAX 512
#define MPROF_TYPE_FIELDS_BYTES_MAX 16384

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
