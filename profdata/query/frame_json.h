/* frame_json.h -- frames and call stacks as JSON, in one form for every view.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_FRAME_JSON_H
#define MPDATA_FRAME_JSON_H

#include "profdata/base/json_out.h"
#include "profdata/query/frame_names.h"

/* How much of a frame is said: as much as all frames of a group have in common.
 */
enum mpdata_frame_form {
    MPDATA_FRAME_WHOLE,
    MPDATA_FRAME_LINE,
    MPDATA_FRAME_FUNCTION,
    MPDATA_FRAME_FILE,
    MPDATA_FRAME_BINARY
};

/* Where names come from. */
struct mpdata_frame_json {
    const struct mpdata_profile *profile;
    struct mpdata_view view;
    struct mpdata_frame_names *names; /* of the profile; borrowed */
    bool failed; /* something was left out for want of memory; sticky */
};

/* Members of the map that is open: "function", "linkage_name", "binary",
 * "build_id", "address", "file", "line", "column", "inlined", as far as they
 * are known (docs/show.md). */
void mpdata_frame_json_members(struct mpdata_frame_json *from,
                               struct mpdata_json_out *json, uint32_t frame,
                               enum mpdata_frame_form form);
/* The member "stack": whole frames, leaf first. */
void mpdata_frame_json_stack(struct mpdata_frame_json *from,
                             struct mpdata_json_out *json, mpdata_ref node);

#endif
