/* silence.h -- advice that somebody has read and does not want again: by a
 * comment in the source, by a list, or because an older profile has it too.
 *
 * A comment "memprof: ok", which may be followed by a reason, stands on the
 * line of the site or on the line above.
 *
 * A line of a list is "KIND:PATTERN" (pattern.h), or "*:PATTERN" for all kinds
 * of advice; the pattern matches the site's function or source file. Empty
 * lines and lines that begin with # are skipped.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/lines.h"
#include "profdata/judge/advice.h"

/* Row of a list. */
struct mpdata_silence_row {
    enum mpdata_advice_kind kind; /* MPDATA_ADVICE_KIND_COUNT: all */
    const char *pattern;
    uint32_t line;
    uint32_t used; /* pieces of advice that it removed */
};

/* Reads a list; mpdata_lines_fini() is due either way. Errors: VALUE, NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_silence_read(struct mpdata_list *list, const char *text, size_t size);

/* Each removes pieces of advice: those with a comment
 * in the source, if the source can be read; those in the list; those for a kind
 * and a function in a file that `old` has, too. */
void mpdata_silence_by_source(struct mpdata_advice *advice,
                              const struct mpdata_profile *profile);
void mpdata_silence_by_list(struct mpdata_advice *advice,
                            const struct mpdata_profile *profile,
                            struct mpdata_frame_names *names,
                            struct mpdata_list *list);
void mpdata_silence_by_old(struct mpdata_advice *advice,
                           const struct mpdata_profile *profile,
                           const struct mpdata_advice *old,
                           const struct mpdata_profile *old_profile);
