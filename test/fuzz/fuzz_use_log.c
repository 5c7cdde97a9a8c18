/* fuzz_use_log.c -- libFuzzer target: logs of compilations that used a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/use_log.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The sums are exactly those of the rows that count. */
static void check_sums(const struct mpdata_use_log *log)
{
    uint64_t functions = 0;
    uint64_t sites = 0;

    for (int i = 0; i < MPDATA_USE_STATES; i++)
        functions += log->sums.functions[i];
    for (int i = 0; i < MPDATA_USE_OUTCOMES; i++)
        sites += log->sums.sites[i];
    if (functions != log->functions.count || sites != log->sites.count ||
        log->sums.found > log->sums.places ||
        log->replaced > log->modules.count)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpdata_use_log log;
    enum mprof_err err;

    mpdata_use_log_init(&log);
    err = mpdata_use_log_read(&log, (const char *)data, size);
    if ((err == MPROF_E_VALUE || err == MPROF_E_VERSION) && log.bad_line == 0)
        abort();
    if (log.cut_line != 0 && (err != MPROF_E_OK || data[size - 1] == '\n'))
        abort();
    if (err == MPROF_E_OK) {
        if (mpdata_use_log_finish(&log) != MPROF_E_OK)
            abort();
        check_sums(&log);
    }
    mpdata_use_log_fini(&log);
    return 0;
}
