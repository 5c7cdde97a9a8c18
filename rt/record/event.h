/* event.h -- named events with a weight, recorded by call stack.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/stack/names.h"

/* Records an event under the number of its name (mprt_names_of_event()). Does
 * nothing while the runtime is not recording, or if it was interrupted. Any
 * thread. */
void mprt_event_record(uint32_t name, uint64_t weight,
                       struct mprt_caller caller);

/* With copies=1: records that the function of this name copied `bytes` in such
 * a call. */
void mprt_event_copy(const char *function, size_t bytes,
                     struct mprt_caller caller);
