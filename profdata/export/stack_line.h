/* stack_line.h -- a call stack as one line of text, for formats of lines.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_STACK_LINE_H
#define MPDATA_STACK_LINE_H

#include "profdata/export/formats.h"
#include "shared/buf.h"

/* "main;parse;make": names from the root to the leaf (`node`; 0: "[unknown]"),
 * into *line, which is emptied first. Semicolons in names become commas,
 * control characters spaces. False without memory. */
bool mpdata_stack_line(const struct mpdata_export *what, mpdata_ref node,
                       struct mprof_buf *line);

#endif
