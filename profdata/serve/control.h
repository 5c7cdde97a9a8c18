/* control.h -- a client of the control socket of a program that runs
 * (docs/control.md).
 *
 * Errors: NOMEM; IO if the program cannot be reached or breaks off; VALUE if it
 * answers with an error. diag->file is `where` of mpdata_control_open(), and
 * diag->text a whole sentence.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/buf.h"
#include "shared/control.h"
#include "shared/err.h"
#include "shared/base.h"

#include <sys/un.h>

#define MPDATA_CONTROL_PATH_BYTES sizeof(((struct sockaddr_un *)0)->sun_path)

struct mpdata_control {
    const char *where; /* borrowed */
    int fd;
    size_t used; /* received bytes in `in`, of which `taken` are taken */
    size_t taken;
    char in[MPROF_CONTROL_ANSWER_MAX];
    char answer[MPROF_CONTROL_ANSWER_MAX]; /* the last one's text, or "" */
};

/* Connects to the program with this process id, or at this path, which may
 * stand behind "unix:". After failure nothing needs closing. */
MPROF_NODISCARD enum mprof_err mpdata_control_open(struct mpdata_control *c,
                                                   const char *where,
                                                   struct mprof_diag *diag);
void mpdata_control_close(struct mpdata_control *c);

/* Sends a command and receives the answer to c->answer. */
MPROF_NODISCARD enum mprof_err mpdata_control_ask(struct mpdata_control *c,
                                                  const char *command,
                                                  struct mprof_diag *diag);
/* Receives a raw profile of the program as it is now, and appends it. */
MPROF_NODISCARD enum mprof_err mpdata_control_dump(struct mpdata_control *c,
                                                   struct mprof_buf *bytes,
                                                   struct mprof_diag *diag);

/* control_find.c: stores the path of the socket of a process. False if it has
 * none that this user can see. */
bool mpdata_control_find(uint64_t pid, char path[MPDATA_CONTROL_PATH_BYTES]);

/* targets.c -- the programs and files that the operands of `serve` stand for,
 * at this moment. */

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
