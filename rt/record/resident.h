/* resident.h -- what the resident memory of the program consists of, by
 * /proc/self/smaps. Call inside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/lock.h"
#include "shared/resident_format.h"

struct mprt_resident {
    uint64_t bytes[MPROF_RESIDENT_COUNT]; /* all 0: not known */
};
struct mprt_residents {
    struct mprt_resident peak; /* the highest reading */
    struct mprt_resident end;  /* the last one of mprt_resident_read_end() */
    uint64_t highest;          /* the most resident bytes ever; 0: not known */
};

/* Makes samples of the series read the peak. Called once. */
void mprt_resident_init(void);
/* Reads the memory before a dump. live_bytes: of the heap. Waits for another
 * reading a while. */
void mprt_resident_read_end(uint64_t live_bytes);
/* What mprt_resident_read_end() read last, for the thread that dumps. */
const struct mprt_residents *mprt_resident_all(void);
/* See lifecycle.inc. */
extern MPRT_HIDDEN struct mprt_lock mprt_resident_lock;
void mprt_resident_in_child(void);
