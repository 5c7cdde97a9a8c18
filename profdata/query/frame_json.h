/* frame_json.h -- writes frames, call stacks, distributions of their blocks,
 * and the memory of runs over time as JSON, in the same form for all commands
 * (docs/show.md).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/json_out.h"
#include "profdata/query/by.h"
#include "profdata/query/frames.h"

/* State of the writer. */
struct mpdata_frame_json {
    const struct mpdata_profile *profile;
    struct mpdata_view view;
    struct mpdata_frame_names *names; /* borrowed */
    bool failed; /* a name was omitted when out of memory; stays set */
};

/* Writes members of a frame to the open map: "function", "linkage_name",
 * "binary", "build_id", "address", "file", "line", "column", "inlined", as far
 * as known (docs/show.md): those that all frames of a group share, for STACK
 * all. */
void mpdata_frame_json_members(struct mpdata_frame_json *from,
                               struct mpdata_json_out *json, uint32_t frame,
                               enum mpdata_by by);
/* Writes the member "stack": complete frames, leaf first. */
void mpdata_frame_json_stack(struct mpdata_frame_json *from,
                             struct mpdata_json_out *json, mpdata_ref node);

/* Writes the member "stack": indices of frames, leaf first. */
void mpdata_frame_json_numbers(struct mpdata_json_out *json,
                               const struct mpdata_view *view, mpdata_ref node);

/* Writes the members of a context: sizes, lifetimes, reallocated_by, freed_by,
 * as far as known. A call stack is a list of the profile's frames, leaf first.
 */
void mpdata_frame_json_details(struct mpdata_json_out *json,
                               const struct mpdata_view *view,
                               const struct mpdata_context *context);

/* Writes the members of a run: run_id, step_ns, dropped_marks, samples, marks.
 */
void mpdata_frame_json_series(struct mpdata_json_out *json,
                              const struct mpdata_view *view,
                              const struct mpdata_series *series);
