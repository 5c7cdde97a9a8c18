/* dumped.h -- which dumps were made when, for the log.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/dump/dump.h"

/* Older ones are forgotten. */
#define MPRT_DUMPED_KEPT 64

struct mprt_dumped {
    uint64_t ns; /* when its records are taken */
    uint32_t epoch;
    uint32_t number;
    bool is_last;
};

/* Under the dump lock. */
void mprt_dumped_add(const struct mprt_dump_name *name);
/* How many there were, and each of the last ones, by number from 0. */
uint32_t mprt_dumped_count(void);
struct mprt_dumped mprt_dumped_at(uint32_t number);
