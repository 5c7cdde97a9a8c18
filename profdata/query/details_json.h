/* details_json.h -- writes distributions of the blocks of a call stack, the
 * call stacks that ended them, and the memory of runs over time as JSON
 * members, in the same form for all commands (docs/show.md).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DETAILS_JSON_H
#define MPDATA_DETAILS_JSON_H

#include "profdata/base/json_out.h"
#include "profdata/model/profile.h"

/* Writes the members of a context: sizes, lifetimes, reallocated_by, freed_by,
 * as far as known. A call stack is a list of the profile's frames, leaf first.
 */
void mpdata_details_json(struct mpdata_json_out *json,
                         const struct mpdata_view *view,
                         const struct mpdata_context *context);

/* Writes the members of a run: run_id, step_ns, dropped_marks, samples, marks.
 */
void mpdata_details_json_series(struct mpdata_json_out *json,
                                const struct mpdata_view *view,
                                const struct mpdata_series *series);

#endif
