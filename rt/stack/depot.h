/* depot.h -- what entry.c, mibmap.c and tests need of depot.c beyond rt.h.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_DEPOT_H
#define MPRT_DEPOT_H

#include "rt/base/rt.h"

/* Contexts that a process may have; then further ones are dropped. */
#define MPRT_CONTEXTS_MAX (UINT32_C(1) << 24)
/* Threads that may be adding one at the same time. */
#define MPRT_THREADS_SLACK 65536

/* Reserves the tables; false without address space. Called once. */
bool mprt_depot_init(void);
uint64_t mprt_depot_memory_bytes(void);
/* Gives new ids to all stacks from now on, so that what was recorded under the
 * old ones can be told apart: it is a parent's. No other thread may run. */
void mprt_depot_restart(void);
/* The first id that is this process's own. */
extern uint32_t mprt_depot_first_id;

#endif
