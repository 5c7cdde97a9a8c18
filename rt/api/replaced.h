/* replaced.h -- operators new and delete that a library of the program
 * replaced: the archive of the operators is told.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_REPLACED_H
#define MPRT_REPLACED_H

void mprt_replaced_init(void);

#endif
