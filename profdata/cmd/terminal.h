/* terminal.h -- how text for people is to look on what it is printed to.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_TERMINAL_H
#define MPDATA_TERMINAL_H

#include "profdata/cmd/cmd.h"
#include "profdata/view/show.h"

/* The values of --color, in the order in which the option's row has them. */
enum terminal_color { TERMINAL_AUTO, TERMINAL_ALWAYS, TERMINAL_NEVER };

/* Sets the width of a line and the style. */
void terminal_set_style(struct show_options *options, enum terminal_color color,
                        FILE *out);

#endif
