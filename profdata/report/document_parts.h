/* document_parts.h -- what a page holds of threads and pools.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DOCUMENT_PARTS_H
#define MPDATA_DOCUMENT_PARTS_H

#include "profdata/export/json_parts.h"

/* "threads": what of each call stack threads of a name allocated; nothing
 * where all is of one name. "pools": what pools of a name gave out. Names are
 * numbers of strings of `texts`. False without memory. */
bool mpdata_document_parts_put(struct mpdata_json_parts *parts,
                               struct mpdata_profile *texts);

#endif
