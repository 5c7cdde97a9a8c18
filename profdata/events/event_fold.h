/* event_fold.h -- a log as the raw profile that the runtime would have written
 * at the log's end.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/events/event_choice.h"
#include "profdata/raw/raw.h"

/* Reads the whole log into *file as one dump, which refers to the bytes; with a
 * choice (else NULL), only the blocks that it chooses, with all that happened
 * to them until the log's end; or all, and sums of its moments as details. If a
 * block is damaged, *file has what stands before it and file->rest the reason.
 * Memory is bounded by live blocks and call stacks. On failure *file is
 * unchanged. */
MPROF_NODISCARD enum mprof_err
mpdata_event_fold_read(const uint8_t *data, size_t size,
                       struct mpdata_event_choice *choice,
                       struct mpdata_raw_file *file, struct mprof_diag *diag);
