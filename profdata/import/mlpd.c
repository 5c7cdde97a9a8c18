/* mlpd.c -- reads logs of Mono's profiler `log` (.mlpd).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/import/mono_profile.h"

bool mpdata_mlpd_is(const uint8_t *data, size_t size)
{
    return mpdata_mlpd_log_is(data, size);
}

enum mprof_err mpdata_mlpd_read(const uint8_t *data, size_t size,
                                struct mpdata_profile *into,
                                struct mprof_diag *diag)
{
    return mpdata_mono_profile_read(mpdata_mlpd_log_read, data, size, into,
                                    diag);
}

enum mprof_err mpdata_mlpd_stacks(const uint8_t *data, size_t size,
                                  struct mpdata_profile *into,
                                  struct mpdata_foreign_stacks *stacks,
                                  struct mprof_diag *diag)
{
    return mpdata_mono_profile_stacks(mpdata_mlpd_log_read, data, size, into,
                                      stacks, diag);
}
