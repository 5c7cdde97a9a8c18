/* show.h -- the ways in which `memprofdata show` prints a profile. All print to
 * a FILE that the command opened.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SHOW_H
#define MPDATA_SHOW_H

#include "profdata/model/profile.h"
#include "profdata/query/frame_names.h"
#include "profdata/query/groups.h"
#include "profdata/query/top_list.h"

#include <stdio.h>

/* What a line of the list is. */
enum show_by { SHOW_BY_STACK, SHOW_BY_FUNCTION, SHOW_BY_LINE, SHOW_BY_FILE };

/* Escape sequences, all "" without colour. */
struct show_style {
    const char *strong;
    const char *dim;
    const char *accent;
    const char *reset;
};

struct show_options {
    uint64_t top;
    enum mpdata_metric sort;
    enum show_by by;
    bool full_stacks;
    bool is_filtered; /* what is not in the profile may have been left out */
    size_t width;     /* of a line */
    struct show_style style;
};

/* For people: a summary, and the call stacks of the list, or what options->by
 * says; the list was made of this profile by
 * options->sort. Error: NOMEM. */
enum mprof_err show_text(FILE *out, const struct mpdata_profile *profile,
                         const struct mpdata_top_list *list,
                         const struct show_options *options,
                         const struct mpdata_demangler *demangler);

/* The call stack of a context, indented. */
struct show_stack; /* show_stack.c */
struct show_stack *show_stack_new(const struct mpdata_profile *profile,
                                  const struct show_options *options,
                                  const struct mpdata_demangler *demangler);
void show_stack_free(struct show_stack *stack);
/* Was anything left out for want of memory? _fail() says that something was. */
bool show_stack_failed(const struct show_stack *stack);
void show_stack_fail(struct show_stack *stack);
/* Finds those of the contexts that are to be printed, as rows 0 to count - 1,
 * which look the same but for columns: these then show the columns in which
 * they differ. Once, before the first is printed. */
void show_stack_compare(struct show_stack *stack, const uint32_t *contexts,
                        uint32_t count);
void show_stack_print(FILE *out, struct show_stack *stack, mpdata_ref node,
                      uint32_t row);

/* A line about reads and writes of a context's blocks, where they were counted
 * apart and there were any. all_seen: there were no others. */
void show_rw_context(FILE *out, const struct mprof_mib *mib, bool all_seen,
                     const char *indent, size_t width);
/* The end of a line about those of all contexts, which hold some. */
void show_rw_totals(FILE *out, const struct mprof_mib *mib);

/* What the group of a frame is called, in so many columns where that can be:
 * malloc'd, `location` may be "". False, with nothing to free, without memory.
 */
bool show_stack_describe(struct show_stack *stack, uint32_t frame,
                         enum show_by by, size_t room, char **name,
                         char **location);

/* The groups as a table; `whole`: what the profile has of what is sorted by. */
void show_groups(FILE *out, const struct mpdata_groups *groups, uint64_t whole,
                 const struct show_options *options, struct show_stack *stack);

#endif
