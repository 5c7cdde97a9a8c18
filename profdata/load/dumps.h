/* dumps.h -- which of several dumps of one run count.
 *
 * A dump tells everything since the records were emptied (shared/raw_format.h),
 * so of the dumps of one run and epoch the latest counts, and of several epochs
 * of a run only the latest one's live blocks do. Which that is, is known when
 * all inputs were looked at: until then dumps that are perhaps not the only one
 * of their run wait. What was merged into an indexed file cannot be taken out
 * again, so where it would have to be, merging is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DUMPS_H
#define MPDATA_DUMPS_H

#include "profdata/base/vec.h"
#include "profdata/model/profile.h"
#include "profdata/raw/raw.h"

struct mpdata_parsed; /* parse.h */

/* A dump that waits. */
struct mpdata_dump_row {
    uint64_t run_id;
    uint64_t weight;
    uint32_t epoch;
    uint32_t dump;
    uint32_t input; /* into mpdata_dumps.inputs */
    uint32_t index; /* of the dump in its file */
    bool is_merged; /* stands for a run of the profile, and for no input */
    bool has_live;
    bool counts;     /* once it is chosen */
    bool drops_live; /* it counts without its live blocks */
};

/* Zeroed: none. */
struct mpdata_dumps {
    struct mpdata_vec rows;   /* struct mpdata_dump_row */
    struct mpdata_vec inputs; /* struct mpdata_dump_input: dumps.c */
    size_t held_bytes;        /* of files that are not read again */
    uint32_t next;            /* row, once they are chosen */
    bool are_chosen;
    uint32_t merged_inputs; /* that may hold several runs */
    uint64_t replaced;      /* dumps that a later one stands for, so far */
};

/* Accepts a zeroed one, and leaves one. */
void mpdata_dumps_fini(struct mpdata_dumps *dumps);

/* May there be other dumps of its run, so that it has to wait? */
bool mpdata_dumps_waits(const struct mpdata_raw *raw);

/* Takes note of the dumps of a parsed file that wait; `path` is copied. The
 * file is read again later; one that is small or cannot be read twice is taken
 * out of *parsed and held. False without memory. */
bool mpdata_dumps_note(struct mpdata_dumps *dumps, struct mpdata_parsed *parsed,
                       const char *path, uint64_t weight);

/* Chooses among those that wait and the runs that the profile holds. Error:
 * OTHER_DUMP where an input that was merged before has to go; diag->file then
 * names what it is in the way of, valid until the end of *dumps; NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_dumps_choose(struct mpdata_dumps *dumps, const struct mpdata_view *view,
                    struct mprof_diag *diag);

/* The next one that counts, by input; NULL after the last, when nothing waits
 * any more. */
const struct mpdata_dump_row *mpdata_dumps_next(struct mpdata_dumps *dumps);
/* Of its input: the path, and the file where it is held, else NULL. */
const char *mpdata_dumps_path(const struct mpdata_dumps *dumps,
                              const struct mpdata_dump_row *row);
struct mpdata_parsed *mpdata_dumps_held(const struct mpdata_dumps *dumps,
                                        const struct mpdata_dump_row *row);

#endif
