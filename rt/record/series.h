/* series.h -- the run over time: what lives, and what the process takes of the
 * machine, in slots of equal length. When all slots are in use, two become one
 * and the length doubles: so it takes the same memory however long it runs, and
 * is as fine as half of the slots allow. With it go the phases and marks that
 * the program names.
 *
 * No thread and no timer: what is at hand is noted when one call in some
 * hundreds is timed (overhead.h), or when much was allocated or freed. A
 * program that does neither costs nothing, and is as it was. Nothing here
 * waits. Inside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_SERIES_H
#define MPRT_SERIES_H

#include "rt/base/rt.h"

#define MPRT_SERIES_SLOTS 512
/* Of the first slots' length: 2 ms. */
#define MPRT_SERIES_SHIFT_MIN 21

struct mprt_series_slot {
    _Atomic uint64_t samples; /* 0: nothing is known of it */
    _Atomic uint64_t bytes;   /* alive at the last look */
    _Atomic uint64_t most;    /* of all looks */
    _Atomic uint64_t blocks;  /* at the first look, as is what follows */
    _Atomic uint64_t rss;     /* bytes; 0: not known */
};
struct mprt_series {
    struct mprt_series_slot slots[MPRT_SERIES_SLOTS];
    uint64_t start_ns; /* since the start of the run */
    _Atomic uint32_t shift;
    _Atomic uint32_t halvings; /* odd while it is at it */
};

/* So many bytes live. */
void mprt_series_sample(uint64_t bytes, uint64_t now_ns);
/* A block begins that is not recorded, or (-1) ends. */
void mprt_series_count_unrecorded(int64_t blocks);

/* As it is; the most that lived was at the peak. */
struct mprt_series_peak {
    uint64_t bytes;
    uint64_t ns;
};
void mprt_series_copy(struct mprt_series *copy, struct mprt_series_peak peak);

/* -- what the program says ------------------------------------------------- */

#define MPRT_SERIES_MARKS 1024
#define MPRT_SERIES_NAME_BYTES 64 /* with NUL; what is longer is cut */
#define MPRT_SERIES_NAMES 256

struct mprt_series_mark {
    uint64_t ns;
    uint64_t bytes; /* alive */
    uint32_t kind;  /* enum mprof_raw_mark_kind */
    uint32_t name;  /* in mprt_series_name() */
};
/* name: NULL for none. Marks that find no room are counted. */
void mprt_series_mark(uint32_t kind, const char *name, uint64_t bytes,
                      uint64_t now_ns);
/* Those so far, oldest first; what it points to stays. */
const struct mprt_series_mark *mprt_series_marks(uint32_t *count,
                                                 uint64_t *dropped);
const char *mprt_series_name(uint32_t number);

/* A forked child begins anew, in the phase of its parent. */
void mprt_series_after_fork(bool is_child, bool is_outermost);

#endif
