/* suppressions.h -- known leaks: LeakSanitizer's list of suppressions, and a
 * copy of a profile without these leaks.
 *
 * A line is "leak:PATTERN" (pattern.h). Empty lines and lines that begin with #
 * are skipped.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/lines.h"
#include "profdata/query/frames.h"

/* One pattern and the leaks it suppressed. If several match a context, the
 * first one counts. */
struct mpdata_suppressions_row {
    const char *pattern;
    uint64_t bytes;
    uint64_t blocks;
};

/* Reads a list; mpdata_lines_fini() is due either way. Errors: VALUE, NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_suppressions_read(struct mpdata_list *s, const char *text, size_t size);

/* Sets *without to a copy of the canonical profile. A context has no leaks in
 * the copy if a pattern matches a function, source file or binary of its stack;
 * leaked blocks of other contexts that only such blocks pointed to are removed,
 * too. The rows count what was removed. Errors, with *without NULL: NOMEM;
 * LIMIT if the bytes of patterns and names to compare exceed cost_max. */
MPROF_NODISCARD enum mprof_err
mpdata_suppressions_apply(struct mpdata_list *s,
                          const struct mpdata_profile *profile,
                          struct mpdata_frame_names *names, uint64_t cost_max,
                          struct mpdata_profile **without);
