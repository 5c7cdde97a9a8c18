/* json_source.h -- JSON as events: yajl, a piece of the text at a time.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_JSON_SOURCE_H
#define MPDATA_JSON_SOURCE_H

#include "profdata/base/vec.h"
#include "profdata/json/events.h"
#include "profdata/base/json_memory.h"
#include "shared/buf.h"

struct yajl_handle_t;

struct mpdata_json_source {
    struct mpdata_events events; /* first: the source is found by it */
    struct yajl_handle_t *parser;
    struct mpdata_json_memory memory;
    struct mpdata_vec queue; /* what the piece at hand held */
    uint32_t queue_at;
    struct mprof_buf scalars; /* their bytes */
    size_t piece;             /* where it starts */
    size_t given;             /* bytes that the parser has seen */
    bool is_complete;         /* the parser was told that there is no more */
};

/* Goes to the first event. What fails, is in source->events.err; close is due
 * either way. data is borrowed. The source must not be moved. */
void mpdata_json_source_open(struct mpdata_json_source *source,
                             const void *data, size_t size,
                             struct mprof_diag *diag);
void mpdata_json_source_close(struct mpdata_json_source *source);

#endif
