/* hint_list.h -- a list of what is to be taken for cold, hot or neither,
 * whatever a profile says: for people who know better.
 *
 * A line is a word, cold, hot or none, and a function: its linkage name or its
 * name as the language writes it, all of it, where * stands for anything. Empty
 * lines and those that begin with # say nothing. docs/explain.md has it for
 * those who write one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_HINT_LIST_H
#define MPDATA_HINT_LIST_H

#include "profdata/base/vec.h"
#include "profdata/query/frame_names.h"
#include "profdata/judge/verdict.h"

struct mpdata_hint_list {
    char *text;             /* the patterns lie in it */
    struct mpdata_vec rows; /* struct mpdata_hint_list_row */
    uint32_t bad_line;      /* from 1, after VALUE */
};

struct mpdata_hint_list_row {
    const char *pattern;
    enum mpdata_verdict_kind kind;
    uint32_t line;   /* from 1 */
    uint32_t stacks; /* call stacks that it decided */
};

/* Reads the text; fini is due either way, and takes a zeroed one. Errors: VALUE
 * for a line that is none of these, NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_hint_list_read(struct mpdata_hint_list *list, const char *text,
                      size_t size);
void mpdata_hint_list_fini(struct mpdata_hint_list *list);

/* Puts what the list says in the place of the verdicts on call stacks with a
 * function that it names: what it says of the innermost of them. A file of
 * LLVM's has no names; there rows without a star fit. Rows say how many call
 * stacks they decided. `names` may be NULL where nobody knows more than linkage
 * names. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err mpdata_hint_list_apply(
    struct mpdata_hint_list *list, struct mpdata_verdicts *verdicts,
    const struct mpdata_profile *profile, struct mpdata_frame_names *names);

#endif
