/* left_out.h -- what call stacks were left out of a profile, and by which
 * options: in one wording for every command.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_LEFT_OUT_H
#define MPDATA_LEFT_OUT_H

#include "profdata/base/json_out.h"
#include "profdata/model/profile.h"
#include "shared/mib.h"

/* Room for the options; what is longer is cut. */
#define MPDATA_LEFT_OUT_BY_BYTES 256

struct mpdata_left_out {
    /* Options, with a space between: "--function --file". */
    char by[MPDATA_LEFT_OUT_BY_BYTES];
    bool is_by_merge; /* before the profile was written */
    /* Of several runs or merges, a call stack that some of them left out counts
     * as often, and others may have kept it; so may other threads. So
     * gone_contexts is the most that it can be, and `contexts` is not known. */
    bool is_at_most;
    /* What is shown in the place of the heap's blocks, "pools", and not counted
     * here; or NULL: the numbers are about what is shown. */
    const char *uncounted;
    uint64_t gone_contexts;
    uint64_t contexts; /* of them all */
    uint64_t gone_bytes;
    uint64_t bytes;
};

/* By merge, by what raw profiles answer, and by what pruning asks. */
#define MPDATA_LEFT_OUT_MAX 3

/* Zero-initialise. */
struct mpdata_left_out_list {
    struct mpdata_left_out rows[MPDATA_LEFT_OUT_MAX];
    uint32_t count;
};

/* Adds options, those that are not there. */
void mpdata_left_out_name(struct mpdata_left_out *row, const char *options);

/* "--function filtered out 1 of 2 call stacks, with 24 of 48 bytes": in
 * out[0..size), for which this is room enough; returns `out`. */
#define MPDATA_LEFT_OUT_TEXT_BYTES (MPDATA_LEFT_OUT_BY_BYTES + 256)
const char *mpdata_left_out_text(const struct mpdata_left_out *row, char *out,
                                 size_t size);

/* The member "left_out" of an object, if there are any (docs/show.md). */
void mpdata_left_out_json(struct mpdata_json_out *json,
                          const struct mpdata_left_out_list *list);

/* What parts of a profile say that was left out of it: part_format.h. */

/* Of the sum of their MIBs, of so many dumps in all, and by the row's options:
 * may a call stack count more than once, or still be there? */
bool mpdata_left_out_is_at_most(const struct mpdata_left_out *row,
                                const struct mprof_mib *gone, uint64_t dumps);
/* False where they say nothing. */
bool mpdata_left_out_by_merge(const struct mpdata_view *view,
                              struct mpdata_left_out *row);

/* Is what is there less than all? Not what lived over time, which no call stack
 * tells apart: then that is to be said, too. */
#define MPDATA_LEFT_OUT_NOT_OVER_TIME                                  \
    "what lived over time is of all call stacks, those filtered out, " \
    "too"
bool mpdata_left_out_any(const struct mpdata_left_out_list *list);

#endif
