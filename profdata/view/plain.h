/* plain.h -- names as they are, but for what a terminal would take for a
 * command.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_VIEW_PLAIN_H
#define MPDATA_VIEW_PLAIN_H

#include <stdio.h>

/* Prints "?" for each control character (profdata/base/controls.h). */
void plain_print(FILE *out, const char *text);

#endif
