/* terminal.h -- how text for people is to look on what it is printed to.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_TERMINAL_H
#define MPDATA_TERMINAL_H

#include "profdata/cmd/cmd.h"
#include "profdata/view/show.h"

/* The values of --color, in the order in which the option's row has them. */
enum terminal_color { TERMINAL_AUTO, TERMINAL_ALWAYS, TERMINAL_NEVER };
#define TERMINAL_COLOR_HELP                          \
    "auto (default: on a terminal, unless NO_COLOR " \
    "is set), always or never"

/* Sets the width of a line and the style. */
void terminal_set_style(struct show_options *options, enum terminal_color color,
                        FILE *out);

/* Has `print` print to the file `output`, which then is there whole or as it
 * was, or to standard output: "-" or NULL. Returns its error, or that of
 * writing the file; standard output is left to cmd_finish_output(). */
typedef enum mprof_err terminal_print_fn(void *context, FILE *out,
                                         struct mprof_diag *diag);
enum mprof_err terminal_print(const char *output, terminal_print_fn *print,
                              void *context, struct mprof_diag *diag);

#endif
