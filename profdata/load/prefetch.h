/* prefetch.h -- many inputs, read ahead by several threads and taken in their
 * order: unpacking and parsing run beside each other, what touches the load
 * is done by the caller's thread alone, so messages, errors and the result are
 * those of one thread.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PREFETCH_H
#define MPDATA_PREFETCH_H

#include "profdata/load/inputs.h"
#include "profdata/load/load.h"

struct mpdata_prefetch; /* prefetch.c */

/* With the caller's, as many threads as there are processors. */
#define MPDATA_PREFETCH_ALL UINT32_MAX

/* Starts to read the inputs, which are borrowed, with `threads` threads beside
 * the caller's, none of them for a single input. NULL without memory. No more
 * than a few inputs wait at a time. */
struct mpdata_prefetch *
mpdata_prefetch_start(const struct mpdata_inputs *inputs, uint32_t threads,
                      bool verify_checksums);
/* Accepts NULL. */
void mpdata_prefetch_stop(struct mpdata_prefetch *prefetch);

/* mpdata_load_weighted() of the next input. To be called once for each.
 * *input is that input, and where diag->file points to. */
MPROF_NODISCARD enum mprof_err mpdata_prefetch_load(
    struct mpdata_prefetch *prefetch, struct mpdata_load_context *load,
    const struct mpdata_input **input, struct mprof_diag *diag);

#endif
