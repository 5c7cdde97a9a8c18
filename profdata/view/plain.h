/* plain.h -- prints names without control characters, which a terminal could
 * interpret.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_VIEW_PLAIN_H
#define MPDATA_VIEW_PLAIN_H

#include <stdio.h>

/* Prints text with "?" for each control character (profdata/base/controls.h).
 */
void plain_print(FILE *out, const char *text);

#endif
