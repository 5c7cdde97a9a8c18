/* left_out.h -- the sentence about call stacks that were filtered out of a
 * profile, and the options that did it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"
#include "shared/mib.h"
#include "profdata/query/run_totals.h"
#include "shared/buf.h"

/* Size of the list of options; longer lists are truncated. */
#define MPDATA_LEFT_OUT_BY_BYTES 256

struct mpdata_left_out {
    /* Options, separated by blanks: "--function --file". */
    char by[MPDATA_LEFT_OUT_BY_BYTES];
    bool is_by_merge; /* by merge, before the profile was written */
    /* gone_contexts is an upper limit and `contexts` is unknown: in several
     * runs or merges the same call stack may have been filtered out more than
     * once, or kept by another one or for another thread. */
    bool is_at_most;
    /* "pools", "events" or "copies" if those are shown, whose filtered rows are
     * not counted; NULL: the numbers describe what is shown. */
    const char *uncounted;
    uint64_t gone_contexts;
    uint64_t contexts; /* kept and filtered out */
    uint64_t gone_bytes;
    uint64_t bytes;
};

/* Adds options that the list does not contain yet. */
void mpdata_left_out_name(struct mpdata_left_out *row, const char *options);

/* Formats "--function filtered out 1 of 2 call stacks, with 24 of 48 bytes" to
 * out[0..size), which should have MPDATA_LEFT_OUT_TEXT_BYTES. Returns `out`. */
#define MPDATA_LEFT_OUT_TEXT_BYTES (MPDATA_LEFT_OUT_BY_BYTES + 256)
const char *mpdata_left_out_text(const struct mpdata_left_out *row, char *out,
                                 size_t size);

/* Tagged rows of kind LEFT_OUT record what was filtered out of a profile:
 * tag_format.h. */

/* May gone->AllocCount count a call stack several times, or one that is still
 * in the profile? `gone` is the sum over `dumps` dumps, and row->by lists the
 * options. */
bool mpdata_left_out_is_at_most(const struct mpdata_left_out *row,
                                const struct mprof_mib *gone, uint64_t dumps);
/* Sets *row from the profile's tagged rows. Returns false if nothing was
 * filtered out. */
bool mpdata_left_out_by_merge(const struct mpdata_view *view,
                              struct mpdata_left_out *row);

/* The memory over time is not assigned to call stacks, so it is never filtered,
 * and views of it print this sentence. */
#define MPDATA_LEFT_OUT_NOT_OVER_TIME                                  \
    "what lived over time is of all call stacks, those filtered out, " \
    "too"

/* notes.c -- sentences about the limits of a profile's numbers. */

/* Appends a line for each limit that applies. */
void mpdata_notes_write(const struct mpdata_run_totals *runs,
                        struct mprof_buf *lines);
/* Like mpdata_notes_write(), for a profile; also names its binaries that are
 * not instrumented. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_notes_of_profile(const struct mpdata_profile *profile,
                        struct mprof_buf *lines);
/* Appends the note that sums are estimates, if they are. */
void mpdata_notes_sampled(const struct mpdata_run_totals *runs,
                          struct mprof_buf *line);
/* Appends a line if the profile has no numbers of blocks, or no sizes. */
void mpdata_notes_unknown(const struct mpdata_run_totals *runs,
                          struct mprof_buf *lines);

/* uninstrumented.c -- binaries of a profile with code that is not instrumented;
 * its accesses are unknown. */

/* Owned. */
struct mpdata_uninstrumented {
    /* File names without directories and without system libraries; "a part of
     * x" if other code of x is instrumented. */
    char **names;
    uint32_t count;
    bool is_all; /* nothing is instrumented */
};

/* Lists the names, sorted, without duplicates. Call _fini() even after a
 * failure. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_uninstrumented_find(struct mpdata_uninstrumented *found,
                           const struct mpdata_profile *profile);
void mpdata_uninstrumented_fini(struct mpdata_uninstrumented *found);

/* Is the binary with this path known to have no instrumented code? */
bool mpdata_uninstrumented_is(const struct mpdata_view *view, mpdata_ref path);
