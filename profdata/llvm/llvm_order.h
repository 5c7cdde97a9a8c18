/* llvm_order.h -- records in the order of the one text that they come from.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_LLVM_ORDER_H
#define MPDATA_LLVM_ORDER_H

#include "profdata/llvm/llvm_records.h"

/* Brings finished records, and in each of them its sites and their callees,
 * into the order of the rows of order->sites; what has no row there comes last.
 * stacks[]: of each node of `order` the node of the records + 1. False without
 * memory. */
bool mpdata_llvm_order_apply(struct mpdata_llvm_records *records,
                             const struct mpdata_llvm_sites *order,
                             const uint32_t *stacks);

#endif
