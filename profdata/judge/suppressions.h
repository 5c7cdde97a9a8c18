/* suppressions.h -- leaks that are known and wanted: LeakSanitizer's list of
 * them, and a profile without.
 *
 * A line is "leak:PATTERN" (pattern.h); empty ones and those that begin with #
 * say nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SUPPRESSIONS_H
#define MPDATA_SUPPRESSIONS_H

#include "profdata/base/vec.h"
#include "profdata/query/frame_names.h"

struct mpdata_suppressions {
    char *text;             /* the patterns lie in it */
    struct mpdata_vec rows; /* struct mpdata_suppressions_row */
    uint64_t text_bytes;
    uint64_t cost_max; /* bytes of patterns and names that may be compared */
    uint32_t bad_line; /* from 1, after VALUE */
};

/* Of one pattern: what it took. A context that several fit is the first one's.
 */
struct mpdata_suppressions_row {
    const char *pattern;
    uint64_t bytes;
    uint64_t blocks;
};

/* Reads the list, with no bound to its cost; fini is due either way. Errors:
 * VALUE, NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_suppressions_read(struct mpdata_suppressions *s, const char *text,
                         size_t size);
void mpdata_suppressions_fini(struct mpdata_suppressions *s);

/* *without is a copy of the profile, which is canonical, in which contexts have
 * no leaks where a pattern fits a function, a source file or a module of their
 * stack, and others' leaked blocks that those held are none either; the rows
 * say what that was. Errors, with NULL there: NOMEM, and LIMIT where patterns
 * and names are more than cost_max. */
MPROF_NODISCARD enum mprof_err mpdata_suppressions_apply(
    struct mpdata_suppressions *s, const struct mpdata_profile *profile,
    struct mpdata_frame_names *names, struct mpdata_profile **without);

#endif
