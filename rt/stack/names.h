/* names.h -- numbers for the names by which contexts with the same call stack
 * are separated: names of threads (per_thread=1) and of events. Any thread;
 * lock-free.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/thread.h"
#include "shared/tag_format.h"

/* Size of a name with its terminator; longer names are cut. */
#define MPRT_NAME_BYTES 64

/* Clears the name of the state t, which another thread takes over. */
void mprt_names_start_thread(struct mprt_thread *t);
/* Number of this thread's current name, from 1: the name that the program set,
 * or the kernel's. t may be NULL. */
uint32_t mprt_names_of_thread(const struct mprt_thread *t);
/* Sets the thread's name; NULL restores the kernel's name. */
void mprt_names_set_thread(struct mprt_thread *t, const char *text);
/* Number of the name of an event of the given kind, which is not the kind for
 * threads. */
uint32_t mprt_names_of_event(enum mprof_tag_kind kind, const char *text);
/* The name of a number; may be "". Two numbers may have the same name. */
const char *mprt_names_text(uint32_t number);
enum mprof_tag_kind mprt_names_kind(uint32_t number);
