/* details_json.h -- how blocks of a call stack are spread, what ended them, and
 * runs over time, as members of JSON: the same ones wherever JSON has them
 * (docs/show.md).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DETAILS_JSON_H
#define MPDATA_DETAILS_JSON_H

#include "profdata/base/json_out.h"
#include "profdata/model/profile.h"

/* Of a context: sizes, lifetimes, reallocated_by, freed_by, as far as they are
 * known. Stacks are frames of the profile, leaf first. */
void mpdata_details_json(struct mpdata_json_out *json,
                         const struct mpdata_view *view,
                         const struct mpdata_context *context);

/* Of a run: run_id, step_ns, dropped_marks, samples, marks. */
void mpdata_details_json_series(struct mpdata_json_out *json,
                                const struct mpdata_view *view,
                                const struct mpdata_series *series);

#endif
