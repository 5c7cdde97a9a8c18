/* cxx.h -- functions of the main archive that the archive of C++ operators
 * calls.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* Allocates like mprt_block_new(), and frees, for a call that returns to pc, in
 * the frame of the operator. */
void *__memprof_cxx_new(size_t size, size_t align, uintptr_t pc,
                        uintptr_t frame);
void __memprof_cxx_delete(void *p, uintptr_t pc, uintptr_t frame);

/* What that archive has: told how to find what a library replaced. */
void __memprof_cxx_init(void *(*find)(const char *name));
