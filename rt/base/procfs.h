/* procfs.h -- facts about the program and the machine from /proc.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* Whether all other threads have ended. False without /proc. */
bool mprt_procfs_is_last_thread(void);

/* One more than the program's highest descriptor. 0 without /proc, or if no
 * descriptor is left. */
uint32_t mprt_procfs_descriptors_end(void);

/* In the helper: stores /proc/PROGRAM and name ("/exe") in path[0..size). False
 * if the program has gone. */
bool mprt_procfs_path(char *path, size_t size, const char *name);
/* In the helper: opens for writing what the program has open as fd, if that is
 * a pipe, terminal or the like and no regular file. Returns a descriptor to be
 * closed, or -errno. */
int mprt_procfs_open_fd(int fd);
/* The same for a regular file to which the program appends. */
int mprt_procfs_append_fd(int fd);
/* Stores the first line of a kernel setting's file in out[0..size), cut at
 * size; "" if it cannot be read. */
void mprt_procfs_read_setting(const char *path, char *out, size_t size);
#define MPRT_PROCFS_HOST_NAME "/proc/sys/kernel/hostname"
#define MPRT_PROCFS_OVERCOMMIT "/proc/sys/vm/overcommit_memory"
