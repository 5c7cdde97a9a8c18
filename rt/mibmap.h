/* mibmap.h -- what entry.c and tests need of mibmap.c beyond rt.h.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_MIBMAP_H
#define MPRT_MIBMAP_H

#include "rt/rt.h"

/* Reserves the table; false without address space. Called once. */
bool mprt_mibmap_init(void);

/* In a forked child, after mprt_depot_restart(): no snapshot is under way, and
 * what was recorded is the parent's. */
void mprt_mibmap_after_fork(void);

#endif
