/* procfs.h -- the program and the machine in /proc.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_PROCFS_H
#define MPRT_PROCFS_H

#include "rt/base/rt.h"

/* Whether the calling thread is the only one that has not ended; false where
 * there is no /proc. */
bool mprt_procfs_is_last_thread(void);

/* In the helper: /proc/PROGRAM and then name ("/exe") into path[0..size); false
 * where the program is not there. */
bool mprt_procfs_path(char *path, size_t size, const char *name);
/* In the helper: what the program has open as fd (a pipe, a terminal, no file),
 * opened for writing, to be closed; or -errno. */
int mprt_procfs_open_fd(int fd);
/* The first line of a file of the kernel's settings into out[0..size), cut at
 * size; "" where it cannot be read. */
void mprt_procfs_read_setting(const char *path, char *out, size_t size);
#define MPRT_PROCFS_HOST_NAME "/proc/sys/kernel/hostname"
#define MPRT_PROCFS_OVERCOMMIT "/proc/sys/vm/overcommit_memory"

#endif
