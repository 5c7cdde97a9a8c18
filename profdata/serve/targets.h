/* targets.h -- the programs and files that the operands of `serve` stand for,
 * at this moment.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

struct mpdata_targets {
    char **programs; /* process ids and sockets, for mpdata_control_open() */
    size_t program_count;
    char **files; /* profiles, directories and lists of them */
    size_t file_count;
};

/* A process id, "unix:PATH" or a socket is a program; a directory with sockets
 * of the control option stands for their programs; anything else is a file.
 * False when out of memory. Call _fini() in either case. */
bool mpdata_targets_find(struct mpdata_targets *targets,
                         const char *const *words, size_t count);
void mpdata_targets_fini(struct mpdata_targets *targets);
