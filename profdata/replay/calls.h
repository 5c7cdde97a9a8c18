/* calls.h -- the calls of a log, in the order of time, as a job of
 * memprofdata-replay.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/str.h"
#include "profdata/replay/job.h"
#include "shared/err.h"

#include <limits.h>

/* Zero-initialize; end with mpdata_calls_fini(). */
struct mpdata_replay_calls {
    int fd; /* of the file, which starts with the job; if job is not NULL */
    struct mpdata_replay_job *job;
    size_t job_bytes;
    struct mpdata_str program; /* its path, or NULL bytes */
    uint64_t allocs;
    uint64_t frees;
    uint64_t reallocs;
    uint64_t live_bytes; /* at the end */
    uint64_t peak_bytes;
    uint32_t peak_sample; /* the moment with the peak */
    /* Set before: kinds of the job's blocks by number of the log's call stack;
     * borrowed. */
    const uint8_t *kinds;
    uint32_t kind_count;
    struct mprof_diag rest; /* why reading ended early, or OK */
};

/* Reads a log. Errors: NOMEM, UNSUPPORTED if there is no allocation. */
MPROF_NODISCARD enum mprof_err
mpdata_calls_read(struct mpdata_replay_calls *calls, const uint8_t *data,
                  size_t size, struct mprof_diag *diag);
void mpdata_calls_fini(struct mpdata_replay_calls *calls);

/* allocators.c -- replays the calls of a log with an allocator, in a process of
 * its own. */

struct mpdata_replay_allocator {
    const char *name;
    const char *package; /* of Debian */
    const char *file;    /* NULL: the C library */
};

extern const struct mpdata_replay_allocator mpdata_allocators[];
extern const size_t mpdata_allocators_count;

/* Finds the library where the C library is and in /usr/local/lib. path becomes
 * "" for the C library. */
bool mpdata_allocators_find(const struct mpdata_replay_allocator *allocator,
                            char path[PATH_MAX]);

/* Finds libmemprof_alloc, also beside the helper's folder, as in the build tree
 * and where it is installed. Returns false if it is not there; `path` is then
 * unspecified. */
bool mpdata_allocators_find_own(char path[PATH_MAX]);

/* Makes the calls; library: a path, or "" for the C library. Errors: USAGE if
 * malloc is not that library's; IO, also if the calls need more memory than
 * there is. */
MPROF_NODISCARD enum mprof_err
mpdata_allocators_run(const struct mpdata_replay_calls *calls,
                      const char *library, struct mpdata_replay_result *result,
                      struct mprof_diag *diag);
