/* prefetch.h -- parses inputs ahead on several threads and hands them over in
 * their order. Threads unpack and parse in parallel; only the caller's thread
 * changes the load context, so messages, errors and the result are the same as
 * with one thread.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/load/inputs.h"
#include "profdata/load/load.h"

struct mpdata_prefetch; /* prefetch.c */

/* As many threads as processors, including the caller's. */
#define MPDATA_PREFETCH_ALL UINT32_MAX

/* Starts to parse the inputs (borrowed) with `threads` threads besides the
 * caller's; with none for a single input. At most `threads` + 1 parsed inputs
 * wait in memory. choice: NULL, or for a single input. Returns NULL when out of
 * memory. */
struct mpdata_prefetch *
mpdata_prefetch_start(const struct mpdata_inputs *inputs, uint32_t threads,
                      bool verify_checksums,
                      struct mpdata_event_choice *choice);
/* Accepts NULL. */
void mpdata_prefetch_stop(struct mpdata_prefetch *prefetch);

/* Does mpdata_load_weighted() for the next input. Call it once for each input.
 * Sets *input to the input; diag->file points into it. */
MPROF_NODISCARD enum mprof_err mpdata_prefetch_load(
    struct mpdata_prefetch *prefetch, struct mpdata_load_context *load,
    const struct mpdata_input **input, struct mprof_diag *diag);
