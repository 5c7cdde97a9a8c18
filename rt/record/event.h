/* event.h -- what happens at a call stack and weighs something, under a name.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_EVENT_H
#define MPRT_EVENT_H

#include "rt/stack/names.h"

/* Records one of the name's number (mprt_names_of_event()) in a call that
 * returns to caller_pc, in the frame caller_frame (MPRT_CALLER_*). Nothing
 * where the runtime does not record, or was interrupted. Any thread. */
void mprt_event_record(uint32_t name, uint64_t weight, uintptr_t caller_pc,
                       uintptr_t caller_frame);

/* copies=1: the function of this name copied so many bytes, in such a call. */
void mprt_event_copy(const char *function, size_t bytes, uintptr_t caller_pc,
                     uintptr_t caller_frame);

#endif
