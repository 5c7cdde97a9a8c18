/* log_sink.h -- where the log goes: a file, a descriptor, a socket, or a
 * function of the program.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#define MEMPROF_RUNTIME
#include "inc/memprof.h"
#include "rt/base/rt.h"
#include "shared/buf.h"

/* How long a thread waits for a pipe or socket, and for another thread that
 * writes the log. */
#define MPRT_LOG_PATIENCE_MS 10000

struct mprt_log_sink {
    int fd; /* -1: not yet open */
    bool is_stream;
    struct memprof_log_options program; /* writer: NULL without one */
};

/* Takes the option log. Called once. */
void mprt_log_sink_init(void);
/* Opens what the option says. False: *why is the reason. */
bool mprt_log_sink_open(struct mprt_log_sink *sink, const char **why);
/* The same; *out is empty afterwards. A function of the program is called
 * outside the guard. */
bool mprt_log_sink_write(struct mprt_log_sink *sink, struct mprof_buf *out,
                         const char **why);
/* In the helper, for a log that the program opened after the helper's start:
 * opens it again. Returns a descriptor or -errno. */
int mprt_log_sink_reopen(const struct mprt_log_sink *sink);
bool mprt_log_sink_can_reopen(void);
void mprt_log_sink_close(struct mprt_log_sink *sink);
/* Whether a forked child can have a log of its own. */
bool mprt_log_sink_forks(const struct mprt_log_sink *sink);
