/* terminal.h -- chooses width and style of text for people, by the file that it
 * is printed to.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_TERMINAL_H
#define MPDATA_TERMINAL_H

#include "profdata/cmd/cmd.h"
#include "profdata/view/show.h"

/* Values of --color, in the order of the option's row. */
enum terminal_color { TERMINAL_AUTO, TERMINAL_ALWAYS, TERMINAL_NEVER };

/* Sets the width and the style in *options for printing to `out`. */
void terminal_set_style(struct show_options *options, enum terminal_color color,
                        FILE *out);

#endif
