/* reorder.h -- a better order of a type's members, computed from the accesses
 * to each: hot members together at the front, holes filled. docs/fields.md has
 * the formula.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/judge/fields.h"

/* A member at its new offset. */
struct mpdata_reorder_row {
    uint32_t row; /* of the layout */
    uint64_t from, to;
    double heat;  /* accesses to a cell of the member, at most */
    bool is_cold; /* belongs to the part that could be split off */
};

struct mpdata_reorder {
    struct mpdata_reorder_row *rows; /* owned; ascending by new offset */
    uint32_t count;
    bool is_better; /* smaller, or touches fewer cache lines */
    uint64_t bytes; /* of the type in the new order */
    double most;    /* heat of the hottest member; not 0 if is_better */
    /* Cache lines that a visit of an object touches on average. */
    double lines_before, lines_after;
    /* If the cold members are moved to a block of their own: their bytes, the
     * bytes of the rest with a pointer to them, and the lines. */
    bool has_split;
    uint64_t cold_bytes, hot_bytes;
    double lines_split;
    /* Memory of the objects at the peak: now, in the new order, and split. An
     * object that is not in an array has a chunk of malloc for itself. */
    uint64_t peak_before, peak_after, peak_split;
};

/* Makes the order for the members of a type; none if more follows its objects
 * in their blocks, because its last members may have to stay there. Call
 * _fini() even after a failure. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_reorder_make(struct mpdata_reorder *reorder,
                    const struct mpdata_fields_type *type,
                    const struct mpdata_fields_layout *layout);
void mpdata_reorder_fini(struct mpdata_reorder *reorder);
