/* live_stream.h -- the log that a program sends to a socket (log=unix:PATH), in
 * a file without a name that grows.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/err.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/un.h>

struct live_stream {
    struct sockaddr_un address;
    FILE *file;
    int listener;
    pthread_t thread; /* takes what the program sends */
    bool has_thread;
    _Atomic int peer; /* -1: none yet */
    _Atomic bool has_data;
    _Atomic bool is_over;
    char path[64]; /* of the file */
};

/* Whether `where` is a socket's path behind "unix:" at which nobody listens. */
bool live_stream_is(const char *where);
/* Listens there for one program. The caller calls live_stream_end() in any
 * case. Errors: IO, with text. */
MPROF_NODISCARD enum mprof_err live_stream_begin(struct live_stream *s,
                                                 const char *where,
                                                 struct mprof_diag *diag);
void live_stream_end(struct live_stream *s);
