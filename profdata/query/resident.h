/* resident.h -- what the resident memory of a run consists of.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"

/* For people, and keys for JSON: "code". */
extern const char *const mpdata_resident_names[MPROF_RESIDENT_COUNT];
extern const char *const mpdata_resident_keys[MPROF_RESIDENT_COUNT];

/* Bytes by enum mprof_resident_kind, and their sum; 0: not known. */
struct mpdata_resident {
    uint64_t bytes[MPROF_RESIDENT_COUNT];
    uint64_t sum;
};
struct mpdata_resident mpdata_resident_at_peak(const struct mpdata_run *run);
struct mpdata_resident mpdata_resident_at_end(const struct mpdata_run *run);

/* The run with the most resident memory, or NULL if it is not known of any. */
const struct mpdata_run *mpdata_resident_run(const struct mpdata_view *view);
