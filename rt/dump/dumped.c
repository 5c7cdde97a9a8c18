/* dumped.c -- which dumps were made when.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/dump.h"
#include "rt/base/clock.h"

uint64_t mprt_dumped_duration_ns;
static struct mprt_dumped dumped[MPRT_DUMPED_KEPT];
static _Atomic uint32_t count;

void mprt_dumped_add(const struct mprt_dump_name *name)
{
    const uint32_t at = atomic_load(&count);

    dumped[at % MPRT_DUMPED_KEPT] = (struct mprt_dumped){
        mprt_clock_now_ns(), name->epoch, name->number, name->is_last};
    atomic_store(&count, at + 1);
}

uint32_t mprt_dumped_count(void)
{
    return atomic_load(&count);
}

struct mprt_dumped mprt_dumped_at(uint32_t number)
{
    return dumped[number % MPRT_DUMPED_KEPT];
}
