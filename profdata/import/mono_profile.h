/* mono_profile.h -- allocations in logs of Mono's profilers as a profile. The
 * leaf of a call stack is "new CLASS", which has the type CLASS.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_MONO_PROFILE_H
#define MPDATA_MONO_PROFILE_H

#include "profdata/events/mono_heap.h"
#include "profdata/model/profile.h"

/* Adds all allocations and the run, of which the caller knows the times, the
 * process and the program. Error: that of the profile. */
MPROF_NODISCARD enum mprof_err
mpdata_mono_profile(const struct mpdata_mono_heap *heap,
                    struct mpdata_profile *profile,
                    const struct mpdata_run *run);

#endif
