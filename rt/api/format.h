/* format.h -- counts what printf and scanf read and write through their
 * arguments, as told by the format.
 *
 * is_wide: the format consists of wide characters, as wprintf takes it.
 *
 * The arguments are not counted if C does not define the format, or if it has
 * more arguments than we look at: the types of the arguments are then unknown.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

#include <stdarg.h>

/* Counts the format, the strings that were printed, and the number that %n
 * stored. Call it after a successful call; args are the arguments of that
 * call. */
void mprt_format_count_printed(const void *format, bool is_wide, va_list args);

/* Counts the format, and the stores of the first `assigned` conversions. Call
 * it after the call; args are the arguments of that call. */
void mprt_format_count_scanned(const void *format, bool is_wide, int assigned,
                               va_list args);
