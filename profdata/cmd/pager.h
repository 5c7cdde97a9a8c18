/* pager.h -- what is longer than a terminal, a page at a time, as git does it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PAGER_H
#define MPDATA_PAGER_H

#include <sys/types.h>

/* Starts as none: {0}. */
struct pager {
    pid_t pid; /* 0: none runs */
};

/* Lets what is printed to standard output go through a program, where that is a
 * terminal: $MEMPROF_PAGER, else $PAGER, else less, which leaves by itself what
 * fits the terminal. "" or "cat" is none, and so is one that cannot be started.
 */
void pager_start(struct pager *pager);
/* Waits until the user has seen enough. To be called in any case; returns
 * `status`. */
int pager_finish(struct pager *pager, int status);

#endif
