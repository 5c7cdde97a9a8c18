/* document_time.h -- what a page holds of runs over time, and of how the blocks
 * of call stacks are spread and ended.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DOCUMENT_TIME_H
#define MPDATA_DOCUMENT_TIME_H

#include "profdata/export/json_parts.h"

/* "series": a list of what is known of runs over time. */
void mpdata_document_time_series(struct mpdata_json_parts *parts);

/* "spreads": sizes and lifetimes by powers of two, each where the profile says
 * it of a call stack. */
void mpdata_document_time_spreads(struct mpdata_json_parts *parts);

/* "links": which call stacks replaced and freed another's blocks. */
void mpdata_document_time_links(struct mpdata_json_parts *parts);

#endif
