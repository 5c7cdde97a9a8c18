/* series.h -- the run over time: live bytes and resident memory in slots of
 * equal length. When all slots are in use, pairs of slots are joined and the
 * length doubles. So the series needs the same memory for any run, with a
 * resolution of at least half the slots. It also holds the phases and marks
 * that the program names.
 *
 * There is no thread and no timer: a sample is taken when a call is timed
 * (overhead.h), or when much was allocated or freed. A program that does
 * neither costs nothing, and has not changed. No function here waits. Call
 * inside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

#define MPRT_SERIES_SLOTS 512
/* Length of the first slots: 2 ms. */
#define MPRT_SERIES_SHIFT_MIN 21

struct mprt_series_slot {
    _Atomic uint64_t samples; /* 0: no data */
    _Atomic uint64_t bytes;   /* live bytes at the last sample */
    _Atomic uint64_t most;    /* maximum of all samples */
    _Atomic uint64_t blocks;  /* at the first sample, like rss */
    _Atomic uint64_t rss;     /* bytes; 0: unknown */
    _Atomic uint64_t mapped;  /* maximum of all samples */
};
struct mprt_series {
    struct mprt_series_slot slots[MPRT_SERIES_SLOTS];
    uint64_t start_ns; /* since the start of the run */
    _Atomic uint32_t shift;
    _Atomic uint32_t halvings; /* odd while slots are being joined */
};

/* Adds a sample of live bytes. ending: bytes of blocks that end now, whose
 * memory is still theirs. */
void mprt_series_sample(uint64_t bytes, uint64_t ending, uint64_t now_ns);
/* Counts the birth (1) or the end (-1) of a block that is not recorded. */
void mprt_series_count_unrecorded(int64_t blocks);

/* The bytes that the program maps, as of the next samples. */
void mprt_series_set_mapped(uint64_t bytes);
/* Called at a sample with resident memory and live bytes; NULL: nothing. */
extern void (*mprt_series_note_resident)(uint64_t rss, uint64_t live_bytes);

/* Copies the series; the maximum of live bytes is that of the peak. */
struct mprt_series_peak {
    uint64_t bytes;
    uint64_t ns;
};
void mprt_series_copy(struct mprt_series *copy, struct mprt_series_peak peak);

/* -- phases and marks of the program --------------------------------------- */

#define MPRT_SERIES_MARKS 1024
/* Bytes of a name with its terminator; longer names are cut. */
#define MPRT_SERIES_NAME_BYTES 64
#define MPRT_SERIES_NAMES 256

struct mprt_series_mark {
    uint64_t ns;
    uint64_t bytes; /* live bytes */
    uint32_t kind;  /* enum mprof_raw_mark_kind */
    uint32_t name;  /* for mprt_series_name() */
};
/* Adds a mark. name may be NULL. Marks beyond the limits are only counted. */
void mprt_series_mark(uint32_t kind, const char *name, uint64_t bytes,
                      uint64_t now_ns);
/* All marks so far, oldest first. The memory stays valid. */
const struct mprt_series_mark *mprt_series_marks(uint32_t *count,
                                                 uint64_t *dropped);
const char *mprt_series_name(uint32_t number);

/* Restarts the series in a forked child, in the phase of its parent. */
void mprt_series_in_child(void);
