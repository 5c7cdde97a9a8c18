/* document_time.h -- the data of a page about runs over time and about
 * distributions of blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DOCUMENT_TIME_H
#define MPDATA_DOCUMENT_TIME_H

#include "profdata/export/json_parts.h"

/* Writes "series": the memory of runs over time. */
void mpdata_document_time_series(struct mpdata_json_parts *parts);

/* Writes "spreads": distributions of sizes and lifetimes by powers of two, of
 * call stacks that have them. */
void mpdata_document_time_spreads(struct mpdata_json_parts *parts);

/* Writes "links": the call stacks that replaced or freed another one's blocks.
 */
void mpdata_document_time_links(struct mpdata_json_parts *parts);

/* Writes "moments", unless count is 0: moments, and by context the blocks that
 * lived from one to another. */
void mpdata_document_time_moments(struct mpdata_json_parts *parts,
                                  const uint64_t *ns, uint32_t count);

#endif
