/* replaced.h -- calls the operators new and delete that a library of the
 * program defines in place of ours.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

/* Tells the archive of our operators (cxx.h) how to find the operators that a
 * loaded library replaced. Does nothing without that archive or in a static
 * program. Called once at start, before the program's threads. */
void mprt_replaced_init(void);
