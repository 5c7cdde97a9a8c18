/* names.h -- shortens function names for display.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

/* Shortens a demangled name in place to at most `width` characters. First
 * always drops what carries no information: ABI tags and default arguments. If
 * the name is still too long, drops in this order: the result, namespaces of
 * arguments, inner template arguments, parameters, all template arguments but
 * the first, outer scopes, the first argument, then the end. Takes time linear
 * in the length; only truncates names of 16 KiB and more. */
void mpdata_names_shorten(char *name, size_t width);

/* Returns the number of terminal columns of a text: each UTF-8 character counts
 * as one. Invalid UTF-8 gives any number. */
size_t mpdata_names_columns(const char *text);
/* Truncates a text in place to at most `columns` columns (3 or more), including
 * "..." at its end. */
void mpdata_names_cut(char *text, size_t columns);
/* Returns the last `columns` columns of a text, or all of it. */
const char *mpdata_names_end(const char *text, size_t columns);

/* Is the function part of the C++ library or of the compiler's runtime, such as
 * the internals of std::vector? Takes a demangled name. */
bool mpdata_names_is_library(const char *name);

/* Does the function's own name contain `part`, ignoring case? Ignores result,
 * template arguments and parameters. Takes a demangled name. */
bool mpdata_names_has(const char *name, const char *part);

/* Is it the name of `word`, which may lack the result, parameters and any
 * template arguments, but no scope? Takes a demangled name or that of a type.
 */
bool mpdata_names_is(const char *name, const char *word);

/* Does the function run before main() or before a thread's function? Takes a
 * linkage name. */
bool mpdata_names_is_start(const char *name);
