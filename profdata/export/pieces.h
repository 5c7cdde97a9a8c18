/* pieces.h -- what several formats ask of a profile or write of it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PIECES_H
#define MPDATA_PIECES_H

#include "profdata/base/vec.h"
#include "profdata/export/formats.h"
#include "shared/buf.h"

/* The fields of a MIB that some call stack has a number in, by index in
 * mprof_mib_fields[]; never the histogram, whose field is an address. */
void mpdata_pieces_used(const struct mpdata_export *what,
                        bool is_used[MPROF_MIB_FIELDS]);
/* The same, and those that were measured and came to nothing. */
void mpdata_pieces_held(const struct mpdata_export *what,
                        bool is_held[MPROF_MIB_FIELDS]);

/* The title of a metric: what was live at the end, or is live in mid-run. */
const char *mpdata_pieces_title(const struct mpdata_export *what,
                                enum mpdata_metric metric);

/* The frames of a call stack, leaf first; none for node 0. `frames` has rows of
 * uint32_t and is emptied first. False without memory. */
bool mpdata_pieces_stack(const struct mpdata_view *view, mpdata_ref node,
                         struct mpdata_vec *frames);

/* -- text for formats of lines: control characters become spaces, so that no
 * name can break a line. What returns text returns malloc'd text, NULL without
 * memory. */

/* "main;parse;make": names from the root to the leaf (`node`; 0: "[unknown]"),
 * into *line, which is emptied first. Semicolons in names become commas. False
 * without memory. */
bool mpdata_pieces_stack_line(const struct mpdata_export *what, mpdata_ref node,
                              struct mprof_buf *line);
/* What a frame is called; never blank. */
char *mpdata_pieces_frame(const struct mpdata_export *what, uint32_t frame);
/* A path; "" for none, and for a blank one. */
char *mpdata_pieces_path(const struct mpdata_export *what, mpdata_ref path);
/* The program that was profiled, the first of several; "" where no run says. */
char *mpdata_pieces_program(const struct mpdata_export *what);

#endif
