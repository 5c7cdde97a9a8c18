/* document_tagged.h -- the data of a page about threads and pools.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DOCUMENT_TAGGED_H
#define MPDATA_DOCUMENT_TAGGED_H

#include "profdata/export/json_parts.h"

/* Writes "threads": allocations by thread name and call stack, unless all
 * threads have one name; and "pools": allocations by pool name and call stack.
 * Names are numbers of strings of `texts`. Returns false when out of memory. */
bool mpdata_document_tagged_put(struct mpdata_json_parts *parts,
                                struct mpdata_profile *texts);

#endif
