/* names.h -- function names cut to what a person needs to see.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_NAMES_H
#define MPDATA_NAMES_H

#include "shared/base.h"

/* Shortens a demangled name in place to at most `width` characters, giving up
 * the least first: the ABI tags and default arguments that say nothing, the
 * result, namespaces of arguments, parameters, inner template arguments, all
 * but the first argument, that too, outer scopes, and then the end. Names that
 * fit lose nothing but the noise. Takes time by the name's length; of one of 16
 * KiB and more, the end is all that goes. */
void mpdata_names_shorten(char *name, size_t width);

/* How many columns of a terminal a text takes: characters of UTF-8, each
 * counted as one. What is no UTF-8 is counted somehow. */
size_t mpdata_names_columns(const char *text);
/* Cuts a text in place to at most so many columns, 3 or more, of which "..."
 * are the last. */
void mpdata_names_cut(char *text, size_t columns);
/* The end of a text, of so many columns or all of it. */
const char *mpdata_names_end(const char *text, size_t columns);

/* True for the inside of the C++ library and of the compiler's: what a caller
 * of std::vector did not write. By demangled name. */
bool mpdata_names_is_library(const char *name);

/* True where a function's own name has such a part, in letters of either case:
 * not its result, nor its template arguments and parameters. By demangled name.
 */
bool mpdata_names_has(const char *name, const char *part);

/* True for what runs before main() and before a thread's function. By linkage
 * name. */
bool mpdata_names_is_start(const char *name);

#endif
