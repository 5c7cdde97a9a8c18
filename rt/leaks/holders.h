/* holders.h -- which call stacks' leaked blocks hold which others'.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_HOLDERS_H
#define MPRT_HOLDERS_H

#include "rt/leaks/mark.h"

/* Appends which of the contexts below that number hold leaked blocks of which
 * others, themselves or through further ones (struct mprt_mibmap_held). Of
 * contexts that hold each other whole one stands for all: they have it alone as
 * a holder, and it has them. Nothing, and false, where that would be too much,
 * or without memory. After mprt_mark_sum(). */
bool mprt_holders_find(struct mprof_buf *held, uint32_t contexts);

#endif
