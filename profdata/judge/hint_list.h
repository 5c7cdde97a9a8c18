/* hint_list.h -- a list of functions whose blocks are cold, hot or neither,
 * whatever the profile says: for users who know better.
 *
 * A line is a word, cold, hot or none, and a function: its whole linkage name
 * or its whole name in the source language, where * matches any text. Empty
 * lines and lines that begin with # are skipped. docs/explain.md documents it
 * for users.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/lines.h"
#include "profdata/query/frames.h"
#include "profdata/judge/verdict.h"

/* Row of a list. */
struct mpdata_hint_list_row {
    const char *pattern;
    enum mpdata_verdict_kind kind;
    uint32_t line;   /* from 1 */
    uint32_t stacks; /* number of call stacks that the row decided */
};

/* Reads the text; mpdata_lines_fini() is due either way. Errors: VALUE for an
 * invalid line, NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_hint_list_read(struct mpdata_list *list, const char *text, size_t size);

/* Replaces the verdict of each call stack with a listed function; the innermost
 * such function decides. Functions without a name, as in LLVM's files, match by
 * GUID, and only rows without a star. Counts the decided call stacks in the
 * rows. `names` may be NULL if only linkage names are known. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err mpdata_hint_list_apply(
    struct mpdata_list *list, struct mpdata_verdicts *verdicts,
    const struct mpdata_profile *profile, struct mpdata_frame_names *names);
