/* pieces.h -- queries and texts that several formats share.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/vec.h"
#include "profdata/export/formats.h"
#include "shared/buf.h"

/* Finds the MIB fields that are not 0 in some call stack, by index in
 * mprof_mib_fields[]; never the histogram, whose field is an address. */
void mpdata_pieces_used(const struct mpdata_export *what,
                        bool is_used[MPROF_MIB_FIELDS]);
/* As mpdata_pieces_used(), plus the fields that were measured and are 0. */
void mpdata_pieces_held(const struct mpdata_export *what,
                        bool is_held[MPROF_MIB_FIELDS]);

/* The title of a metric; "live" may mean at the end or now in mid-run. */
const char *mpdata_pieces_title(const struct mpdata_export *what,
                                enum mpdata_metric metric);

/* The frames of a call stack, leaf first; none for node 0. `frames` has rows of
 * uint32_t and is emptied first. False when out of memory. */
bool mpdata_pieces_stack(const struct mpdata_view *view, mpdata_ref node,
                         struct mpdata_vec *frames);

/* A call stack, 0: an unknown one, and a value that is not 0. */
struct mpdata_pieces_value {
    mpdata_ref node;
    uint64_t value;
};

/* The values of a metric, in the order of the contexts. `values` has rows of
 * struct mpdata_pieces_value and is emptied first. False when out of memory. */
bool mpdata_pieces_values(const struct mpdata_view *view,
                          enum mpdata_metric metric, struct mpdata_vec *values);
bool mpdata_pieces_add_value(struct mpdata_vec *values, mpdata_ref node,
                             uint64_t value);

/* `of` by the unit of the metric: bytes, nanoseconds, or a number. */
const char *mpdata_pieces_unit(enum mpdata_metric metric,
                               const char *const of[3]);

/* -- text for line-based formats: control characters become spaces, so that no
 * name can break a line. Returned text is malloc'd; NULL when out of memory. */

/* Writes "main;parse;make" to *line, which is emptied first: names from the
 * root to the leaf (`node`; 0: "[unknown]"). Semicolons in names become commas.
 * False when out of memory. */
bool mpdata_pieces_stack_line(const struct mpdata_export *what, mpdata_ref node,
                              struct mprof_buf *line);
/* The name of a frame; never blank. */
char *mpdata_pieces_frame(const struct mpdata_export *what, uint32_t frame);
/* A path; "" if there is none or it is blank. */
char *mpdata_pieces_path(const struct mpdata_export *what, mpdata_ref path);
/* The first profiled program; "" if no run has one. */
char *mpdata_pieces_program(const struct mpdata_export *what);
