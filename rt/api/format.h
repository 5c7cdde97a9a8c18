/* format.h -- what printf and scanf read and write through their arguments, as
 * the format tells it.
 *
 * is_wide: the format is one of wide characters, as wprintf takes.
 *
 * A format that C does not define, or one of more arguments than we look at,
 * counts nothing of them: what cannot be understood cannot be walked.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_FORMAT_H
#define MPRT_FORMAT_H

#include "rt/base/rt.h"

#include <stdarg.h>

/* Counts the format itself, the strings that were printed, and what %n wrote.
 * After the call, which has not failed; args are those that it was given. */
void mprt_format_count_printed(const void *format, bool is_wide, va_list args);

/* Counts the format, and what was written for the first `assigned` conversions.
 */
void mprt_format_count_scanned(const void *format, bool is_wide, int assigned,
                               va_list args);

#endif
