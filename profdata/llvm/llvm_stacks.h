/* llvm_stacks.h -- frames and call stacks of a memprof section, as nodes of a
 * profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/llvm/chash.h"
#include "profdata/model/profile.h"
#include "profdata/llvm/radix.h"
#include "profdata/base/set.h"
#include "shared/cursor.h"

/* Version 2 has frames and call stacks in hash tables by 64-bit ids, later
 * versions in arrays. */
struct mpdata_llvm_stacks {
    struct mpdata_profile *profile; /* borrowed; receives the nodes */
    enum mprof_err make_err;        /* why make_node() failed */
    bool is_tables;
    /* Arrays: */
    const uint8_t *frames; /* borrowed */
    uint64_t frame_count;
    mpdata_ref *frame_refs; /* by frame; 0: not made yet */
    struct mpdata_radix radix;
    /* Tables: id -> ref. */
    struct mpdata_set frame_ids;
    struct mpdata_set stack_ids;
};

/* Where frames and stacks are in the file. */
struct mpdata_llvm_frames_place {
    uint64_t frames_off; /* arrays: frames, then stacks up to stacks_end */
    uint64_t stacks_off;
    uint64_t stacks_end;
    uint64_t frame_table_off; /* tables */
    uint64_t stack_table_off;
};

/* Open arrays, or tables. Fini is due either way. */
MPROF_NODISCARD enum mprof_err mpdata_llvm_stacks_arrays(
    struct mpdata_llvm_stacks *stacks, struct mpdata_profile *profile,
    const void *data, size_t size, const struct mpdata_llvm_frames_place *place,
    struct mprof_diag *diag);
MPROF_NODISCARD enum mprof_err mpdata_llvm_stacks_tables(
    struct mpdata_llvm_stacks *stacks, struct mpdata_profile *profile,
    const void *data, size_t size, const struct mpdata_llvm_frames_place *place,
    struct mprof_diag *diag);
void mpdata_llvm_stacks_fini(struct mpdata_llvm_stacks *stacks);

/* Reads the next call stack id of a record, as a node (0: an empty stack). */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_stacks_next(struct mpdata_llvm_stacks *stacks,
                        struct mprof_cursor *c, mpdata_ref *node,
                        struct mprof_diag *diag);

/* Bytes of a call stack id. */
static inline unsigned
mpdata_llvm_stacks_id_bytes(const struct mpdata_llvm_stacks *stacks)
{
    return stacks->is_tables ? 8 : 4;
}
