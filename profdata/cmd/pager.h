/* pager.h -- shows long output in a pager, as git does.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PAGER_H
#define MPDATA_PAGER_H

#include <sys/types.h>

/* A zeroed struct is no pager. */
struct pager {
    pid_t pid; /* 0: not running */
};

/* Pipes standard output through a pager if it is a terminal: $MEMPROF_PAGER,
 * else $PAGER, else less with options that make it exit at once if the text
 * fits the screen. No pager if the name is "" or "cat" or if it cannot be
 * started. */
void pager_start(struct pager *pager);
/* Waits until the user quits the pager. Must be called; without a pager it does
 * nothing. Returns `status`. */
int pager_finish(struct pager *pager, int status);

#endif
