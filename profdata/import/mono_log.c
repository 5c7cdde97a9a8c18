/* mono_log.c -- reads logs of Mono's first profiler.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/import/mono_profile.h"

bool mpdata_mono_log_is(const uint8_t *data, size_t size)
{
    return mpdata_mono_blocks_is(data, size);
}

enum mprof_err mpdata_mono_log_read(const uint8_t *data, size_t size,
                                    struct mpdata_profile *into,
                                    struct mprof_diag *diag)
{
    return mpdata_mono_profile_read(mpdata_mono_blocks_read, data, size, into,
                                    diag);
}

enum mprof_err mpdata_mono_log_stacks(const uint8_t *data, size_t size,
                                      struct mpdata_profile *into,
                                      struct mpdata_foreign_stacks *stacks,
                                      struct mprof_diag *diag)
{
    return mpdata_mono_profile_stacks(mpdata_mono_blocks_read, data, size, into,
                                      stacks, diag);
}
