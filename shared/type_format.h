/* type_format.h -- the ELF section of an object or binary that lists the types
 * that calls allocate. The plugin writes it, the linker drops duplicate
 * records, and `memprofdata` reads it. It is not loaded at run time.
 *
 * A record is a string that ends with NUL. A record of a call, by whether the
 * size of the type is known, and whether the call allocates an array, or one
 * object with more behind it in the same block:
 *
 *   function TAB line TAB column TAB type
 *   function TAB line TAB column TAB type TAB bytes
 *   function TAB line TAB column TAB type TAB bytes TAB "[]"
 *   function TAB line TAB column TAB type TAB bytes TAB "+"
 *
 * If the type's fields are known, "#" and a number of their layout end the last
 * part, which may else be empty: types of one name and size may differ.
 *
 * A record of a type's fields, for each of the latter three:
 *
 *   TAB type layout TAB bytes TAB fields
 *   TAB type "[]" layout TAB bytes TAB "[]" fields
 *   TAB type "+" layout TAB bytes TAB "+" fields
 *
 * layout: "#" and the number, as in the records of calls.
 *
 * function: the linkage name, without the numbers that LLVM gives to lambdas
 * and unnamed types ("$_4" becomes "$_"), because they are not known yet when
 * the record is made. A function with internal linkage is "FILE;function",
 * because another file may have a function of the same name. FILE is the file
 * name of the call in the line table, without directories.
 * line, column: location of the call in the line table, decimal.
 * type: as the language writes it.
 * bytes: sizeof the type, decimal; with "+" the bytes in front of what is
 * behind, which may be less.
 * fields: "offset+bytes name" or "offset+bytes name:type" for each member,
 * decimal, separated by ";". A member of a member is "outer.inner"; members of
 * a union without a name, or of the type, are joined as "one|other", without a
 * type; a member of a base class of the type is "[base].member", and the
 * pointer to virtual functions "[vtable]". The type is as the source writes it;
 * that of a bit-field ends with ":bits". A longer one is cut to
 * MPROF_TYPE_FIELD_TYPE_BYTES_MAX, "..." included.
 *
 * If two records of one location have different types, the type is unknown. If
 * two records of one type and layout have different fields, the fields are
 * unknown: two files may spell the types of members differently.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <stddef.h>

#define MPROF_TYPE_SECTION ".memprof_types"
#define MPROF_TYPE_SEPARATOR '\t'

#define MPROF_TYPE_FILE_END ';'

/* Mark a call that allocates an array, or one object and more, see above. */
#define MPROF_TYPE_ARRAY "[]"
#define MPROF_TYPE_OPEN "+"
/* Begins the number of a layout, in hexadecimal. */
#define MPROF_TYPE_LAYOUT "#"

#define MPROF_TYPE_FIELD_END ';'
#define MPROF_TYPE_FIELD_BYTES '+'
#define MPROF_TYPE_FIELD_NAME ' '
#define MPROF_TYPE_FIELD_TYPE ':'
#define MPROF_TYPE_FIELD_BASE '['
#define MPROF_TYPE_FIELD_TYPE_BYTES_MAX 64
/* Stored by readers instead of fields if the records differ. */
#define MPROF_TYPE_FIELDS_SEVERAL "?"
/* A type with more fields, or with a longer text of fields, has no record; the
 * text has no types of members if it is too long with them. */
#define MPROF_TYPE_FIELDS_MAX 512
#define MPROF_TYPE_FIELDS_BYTES_MAX 16384

/* Flags of the section in assembly: strings that the linker may merge. */
#define MPROF_TYPE_SECTION_FLAGS "\"MS\",@progbits,1"

/* In a linkage name, the prefix of a number that is removed. */
#define MPROF_TYPE_UNNAMED "$_"

/* Removes the numbers from a linkage name, as a record's function has it.
 * Returns the new length. */
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
