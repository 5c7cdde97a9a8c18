/* terminal.h -- chooses width and style of text for people, by the file that it
 * is printed to, and shows long output in a pager, as git does.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/cmd/cmd.h"
#include "profdata/view/show.h"

#include <sys/types.h>

/* Values of --color, in the order of the option's row. */
enum terminal_color { TERMINAL_AUTO, TERMINAL_ALWAYS, TERMINAL_NEVER };

/* Sets the width and the style in *options for printing to `out`. */
void terminal_set_style(struct show_options *options, enum terminal_color color,
                        FILE *out);

/* A zeroed struct is no pager. */
struct pager {
    pid_t pid; /* 0: not running */
};

/* Pipes standard output through a pager if it is a terminal: $MEMPROF_PAGER,
 * else $PAGER, else less with options that make it exit at once if the text
 * fits the screen. No pager if the name is "" or "cat", or if there is no less.
 */
void terminal_pager_start(struct pager *pager);
/* Waits until the user quits the pager. Must be called; without a pager it does
 * nothing. Returns 0, or an exit status after a message if the pager failed. */
int terminal_pager_finish(struct pager *pager);
