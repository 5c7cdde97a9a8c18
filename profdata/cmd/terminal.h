/* terminal.h -- how text for people is to look on what it is printed to.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_TERMINAL_H
#define MPDATA_TERMINAL_H

#include "profdata/cmd/cmd.h"
#include "profdata/view/show.h"

/* Takes --color=WHEN: 0, or an exit status after a message. */
int terminal_take_color(const char **color, const struct cmd_command *command,
                        const struct cmd_option *option, const char *value);
#define TERMINAL_COLOR_AUTO "auto"
#define TERMINAL_COLOR_HELP                          \
    "auto (default: on a terminal, unless NO_COLOR " \
    "is set), always or never"

/* Sets the width of a line and the style. */
void terminal_set_style(struct show_options *options, const char *color,
                        FILE *out);

/* Has `print` print to the file `output`, which then is there whole or as it
 * was, or to standard output: "-" or NULL. Returns its error, or that of
 * writing the file; standard output is left to cmd_finish_output(). */
typedef enum mprof_err terminal_print_fn(void *context, FILE *out,
                                         struct mprof_diag *diag);
enum mprof_err terminal_print(const char *output, terminal_print_fn *print,
                              void *context, struct mprof_diag *diag);

#endif
