/* log.h -- one line to stderr, never into a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_LOG_H
#define MPRT_LOG_H

#include "rt/base/rt.h"

/* Writes "memprof: " and the parts (NULL-terminated list of strings) as one
 * line by one write(2). At most a bounded number of lines per process. Safe in
 * signal handlers; keeps errno. */
void mprt_log(const char *part, ...) __attribute__((sentinel));
/* As mprt_log(), but each call site's `once` lets one line through. */
void mprt_log_once(uint32_t *once, const char *part, ...)
    __attribute__((sentinel));

/* Lines of this thread go to sink(line, bytes) from now on, with their newline,
 * where it is not NULL; else to stderr. */
void mprt_log_set_sink(void (*sink)(const char *line, size_t bytes));

#endif
