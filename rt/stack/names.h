/* names.h -- numbers for names by which a call stack's context is kept apart:
 * of threads (per_thread=1), of events. Any thread; lock-free.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_NAMES_H
#define MPRT_NAMES_H

#include "rt/base/thread.h"
#include "shared/part_format.h"

/* With its end; what is longer is cut. */
#define MPRT_NAME_BYTES 64

/* The thread that takes the state over has no name of its own yet. */
void mprt_names_start_thread(struct mprt_thread *t);
/* The number of this thread's name as it is now, from 1: what it was told
 * itself, or the kernel's. t may be NULL. */
uint32_t mprt_names_of_thread(const struct mprt_thread *t);
/* What the thread is called from now on; NULL: as the kernel has it. */
void mprt_names_set_thread(struct mprt_thread *t, const char *text);
/* The number of a name of this kind, which is not that of threads. */
uint32_t mprt_names_of_event(enum mprof_part_kind kind, const char *text);
/* The name behind a number; may be "". Two numbers may have one name. */
const char *mprt_names_text(uint32_t number);
enum mprof_part_kind mprt_names_kind(uint32_t number);

#endif
