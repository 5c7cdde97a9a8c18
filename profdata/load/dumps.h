/* dumps.h -- chooses which of several dumps of one run count.
 *
 * A dump holds everything since the last reset of the records
 * (shared/raw_format.h). A reset starts a new epoch. Of the dumps of one run
 * and epoch only the latest counts. Of several epochs of one run only the
 * latest contributes live blocks. The choice needs all inputs, so a dump that
 * may have a sibling stays pending until all inputs were read. A dump that was
 * already merged into an indexed file cannot be removed from it; if it would
 * have to be, the merge is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/vec.h"
#include "profdata/model/profile.h"
#include "profdata/raw/raw.h"

struct mpdata_parsed; /* parse.h */

/* A pending dump, or a run that the profile already holds. */
struct mpdata_dump_row {
    uint64_t run_id;
    uint64_t weight;
    uint32_t epoch;
    uint32_t dump;
    uint32_t input; /* index into mpdata_dumps.inputs */
    uint32_t index; /* index of the dump in its file */
    bool is_merged; /* row of a run in the profile; it has no input */
    bool is_middle; /* of such a row: the run continued after the dump */
    bool has_live;
    bool counts;     /* set when the dump is chosen */
    bool drops_live; /* the dump counts without its live blocks */
};

/* A zeroed struct is empty. */
struct mpdata_dumps {
    struct mpdata_vec rows;   /* struct mpdata_dump_row */
    struct mpdata_vec inputs; /* struct mpdata_dump_input: dumps.c */
    size_t held_bytes;        /* size of the pending files kept in memory */
    uint32_t next;            /* next row to return, once rows are chosen */
    bool are_chosen;
    uint32_t added;    /* profiles read so far */
    uint64_t replaced; /* dumps replaced by a later one, so far */
};

/* Accepts a zeroed struct and leaves a zeroed struct. */
void mpdata_dumps_fini(struct mpdata_dumps *dumps);

/* Must the dump stay pending because its run may have other dumps? */
bool mpdata_dumps_is_pending(const struct mpdata_raw *raw);

/* Records the pending dumps of a parsed file; copies `path`. The file is parsed
 * again later, unless it is small or cannot be read twice: then the parsed file
 * moves out of *parsed into *dumps. Returns false when out of memory. */
bool mpdata_dumps_note(struct mpdata_dumps *dumps, struct mpdata_parsed *parsed,
                       const char *path, uint64_t weight);

/* Chooses among the pending dumps and the runs that the profile already holds.
 * Errors: OTHER_DUMP if a dump that was merged earlier would have to be removed
 * (diag->file then names the input that conflicts with it; valid until
 * mpdata_dumps_fini()); NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_dumps_choose(struct mpdata_dumps *dumps, const struct mpdata_view *view,
                    struct mprof_diag *diag);

/* Returns the next chosen dump, in the order of inputs. Returns NULL after the
 * last one and then releases all pending files. */
const struct mpdata_dump_row *mpdata_dumps_next(struct mpdata_dumps *dumps);
/* The path of a row's input, and its parsed file if it is kept in memory, else
 * NULL. */
const char *mpdata_dumps_path(const struct mpdata_dumps *dumps,
                              const struct mpdata_dump_row *row);
struct mpdata_parsed *mpdata_dumps_held(const struct mpdata_dumps *dumps,
                                        const struct mpdata_dump_row *row);
