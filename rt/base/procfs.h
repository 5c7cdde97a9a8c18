/* procfs.h -- the program in /proc, as its helper sees it. To be called in the
 * helper.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_PROCFS_H
#define MPRT_PROCFS_H

#include "rt/base/rt.h"

/* /proc/PROGRAM and then name ("/exe") into path[0..size); false where the
 * program is not there. */
bool mprt_procfs_path(char *path, size_t size, const char *name);
/* What the program has open as fd (a pipe, a terminal, no file), opened for
 * writing, to be closed; or -errno. */
int mprt_procfs_open_fd(int fd);

#endif
