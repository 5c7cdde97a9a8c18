/* allocators.h -- replays the calls of a log with an allocator, in a process of
 * its own.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/replay/calls.h"

#include <limits.h>

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

/* Makes the calls; library: a path, or "" for the C library. Errors: USAGE if
 * malloc is not that library's; IO, NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_allocators_run(const struct mpdata_replay_calls *calls,
                      const char *library, struct mpdata_replay_result *result,
                      struct mprof_diag *diag);
