/* type_format.h -- the section of an object, program or library that says what
 * type the calls in it allocate. The plugin writes it, the linker drops what is
 * double, `memprofdata` reads it; it is no part of what runs.
 *
 *   each record   function TAB line TAB column TAB type NUL
 *
 * Function: the linkage name. Line and column, decimal: where the call's line
 * table says that it is. Type: as the language writes it. Two records of one
 * place that say different types say nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_TYPE_FORMAT_H
#define MPROF_TYPE_FORMAT_H

#define MPROF_TYPE_SECTION ".memprof_types"
#define MPROF_TYPE_SEPARATOR '\t'

/* How a module's assembly opens it: strings, each once. */
#define MPROF_TYPE_SECTION_FLAGS "\"MS\",@progbits,1"

#endif
