/* mono_profile.h -- allocations in logs of Mono's profilers as a profile. The
 * leaf of a call stack is "new CLASS", which has the type CLASS.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_MONO_PROFILE_H
#define MPDATA_MONO_PROFILE_H

#include "profdata/events/mono_heap.h"
#include "profdata/import/foreign.h"

/* As mpdata_foreign_read_fn and mpdata_foreign_stacks_fn, with a reader. */
MPROF_NODISCARD enum mprof_err
mpdata_mono_profile_read(mpdata_mono_read_fn *read_log, const uint8_t *data,
                         size_t size, struct mpdata_profile *into,
                         struct mprof_diag *diag);
MPROF_NODISCARD enum mprof_err
mpdata_mono_profile_stacks(mpdata_mono_read_fn *read_log, const uint8_t *data,
                           size_t size, struct mpdata_profile *into,
                           struct mpdata_foreign_stacks *stacks,
                           struct mprof_diag *diag);

#endif
