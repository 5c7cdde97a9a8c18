/* rawseries.h -- the run over time in a raw profile: SERIES and MARKS.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/dump/dump.h"
#include "rt/record/series.h"
#include "shared/container.h"

/* The series at the beginning of the dump. */
struct mprt_rawseries {
    struct mprt_series copy;
    uint64_t step_ns;
    uint16_t rows[MPRT_SERIES_SLOTS]; /* slots with data */
    uint32_t count;
    const struct mprt_series_mark *marks;
    uint32_t mark_count;
    uint64_t dropped_marks;
    /* STRINGS idx; filled in by the writer of the strings */
    uint32_t names[MPRT_SERIES_NAMES];
};

/* Returns NULL without memory. */
struct mprt_rawseries *mprt_rawseries_new(const struct mprt_live_peak *peak);
/* NULL is allowed. */
void mprt_rawseries_free(struct mprt_rawseries *s);
/* Appends the sections that have rows. */
void mprt_rawseries_add(const struct mprt_rawseries *s, struct mprof_buf *out,
                        struct mprof_dir *dir);
