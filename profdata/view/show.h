/* show.h -- the ways in which `memprofdata show` prints a profile. All print to
 * a FILE that the command opened.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SHOW_H
#define MPDATA_SHOW_H

#include "profdata/model/profile.h"
#include "profdata/query/frame_match.h"
#include "profdata/query/call_tree.h"
#include "profdata/query/groups.h"
#include "profdata/query/left_out.h"
#include "profdata/query/name_list.h"
#include "profdata/query/top_list.h"

#include <stdio.h>

/* What a line of the list is. */
enum show_by {
    SHOW_BY_STACK,
    SHOW_BY_FUNCTION,
    SHOW_BY_LINE,
    SHOW_BY_FILE,
    SHOW_BY_MODULE,
    SHOW_BY_TYPE,
    SHOW_BY_THREAD,
    SHOW_BY_POOL, /* of a profile of pools */
    SHOW_BY_CALL  /* in a tree or beside one function */
};

/* As the command line names it. */
const char *show_by_name(enum show_by by);
const char *show_by_plural(enum show_by by);
/* Are they names, and no frames? */
bool show_by_is_name(enum show_by by);
/* What groups it is made of; not of stacks and names. */
enum mpdata_group_by show_by_groups(enum show_by by);

/* What is printed below the summary. */
enum show_view {
    SHOW_LIST, /* of what show_by says */
    SHOW_TREE,
    SHOW_CALLERS, /* of the functions that are asked for */
    SHOW_CALLEES,
    SHOW_SOURCE, /* lines of them */
    SHOW_EVENTS,
    SHOW_COPIES,
    SHOW_HISTOGRAM,
    SHOW_SIZES, /* how they are spread */
    SHOW_LIFETIMES,
    SHOW_ENDS, /* who replaced and freed blocks */
    SHOW_TIMELINE
};

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
    const char *title; /* of it; set by show_text() */
    enum show_view view;
    const char *pattern; /* of functions, where the view asks for some, and */
    struct mpdata_name_matcher matcher; /* what fits it */
    enum show_by by;
    double threshold; /* percent of the whole, below which a tree is folded */
    bool details;     /* every metric of a tree's nodes */
    uint64_t element_bytes; /* of arrays, for histograms; 0: whole blocks */
    bool has_element;       /* that was asked for; else by their type */
    bool full_stacks;
    bool is_of_pools;          /* the profile is one of pools' blocks */
    uint64_t suppressed_bytes; /* that leaked, and are not in the profile */
    uint64_t suppressed_blocks;
    bool is_filtered; /* what is not in the profile may have been left out */
    const struct mpdata_left_out_list *left_out; /* of the profile */
    size_t width;                                /* of a line */
    struct show_style style;
};

/* For people: a summary, and the call stacks of the list, or what options->by
 * says; the list was made of this profile by
 * options->sort. Error: NOMEM. */
enum mprof_err show_text(FILE *out, const struct mpdata_profile *profile,
                         const struct mpdata_top_list *list,
                         const struct show_options *options,
                         const struct mpdata_demangler *demangler);

/* The same as JSON. Error: NOMEM. */
#define SHOW_JSON_VERSION 1
enum mprof_err show_json(FILE *out, const struct mpdata_profile *profile,
                         const struct mpdata_top_list *list,
                         const struct show_options *options,
                         const struct mpdata_demangler *demangler);

/* The call stack of a context, indented. */
struct show_stack; /* show_stack.c */
struct show_stack *show_stack_new(const struct mpdata_profile *profile,
                                  const struct show_options *options,
                                  const struct mpdata_demangler *demangler);
void show_stack_free(struct show_stack *stack);
/* Names, of the frames that it prints. */
struct mpdata_frame_names *show_stack_names(struct show_stack *stack);
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

/* Lines that are written to `out` and come out broken, where they are wider
 * than the terminal. */
struct show_wrap {
    FILE *out;
    char *text;
    size_t size;
};

/* Where to write to; NULL without memory, and nothing is to be finished. */
FILE *show_wrap_start(struct show_wrap *wrap);
/* What a line goes on with on the next one is set in by `indent`, below which
 * the first is not broken. False, with nothing written, without memory. */
bool show_wrap_finish(struct show_wrap *wrap, FILE *out, size_t indent,
                      size_t width);

/* A line about reads and writes of a context's blocks, where they were counted
 * apart and there were any. all_seen: there were no others. */
void show_rw_context(FILE *out, const struct mprof_mib *mib, bool all_seen,
                     const char *indent, size_t width);
/* The end of a line about those of all contexts, which hold some. */
void show_rw_totals(FILE *out, const struct mprof_mib *mib);

/* A line about each that was left out, behind `before`. */
void show_left_out(FILE *out, const struct mpdata_left_out_list *list,
                   const char *before);

/* The end of a line about what lived at the peak of the runs, which measured
 * it: of all contexts, and where some were left out of the peak what they are a
 * part of. And a line about a context's, where it was measured and the order is
 * by it. */
void show_peak_totals(FILE *out, const struct mpdata_top_list *list,
                      const struct show_options *options);
void show_peak_context(FILE *out, const struct mprof_mib *mib,
                       enum mpdata_metric sort, const char *indent);

/* The end of a line about what leaked of all contexts, where that was looked
 * for, and a line about a context's, if anything. */
void show_leaks_totals(FILE *out, const struct mprof_mib *mib,
                       const struct show_options *options);
void show_leaks_context(FILE *out, const struct mprof_mib *mib,
                        const char *indent);

/* The end of a line about the blocks that were sampled of all contexts, where
 * some were, and a line about a context's, if any: of how many its sums are
 * estimates, and the standard error of what the order is by. */
void show_sampled_totals(FILE *out, const struct mprof_mib *mib);
void show_sampled_context(FILE *out, const struct mprof_mib *mib,
                          enum mpdata_metric sort, const char *indent);

/* Where the metric is one of leaks, and not measured: what measures it. */
const char *show_leaks_why_not(enum mpdata_metric metric);

/* What the group of a frame is called, in so many columns where that can be:
 * malloc'd, `location` may be "". False, with nothing to free, without memory.
 */
bool show_stack_describe(struct show_stack *stack, uint32_t frame,
                         enum show_by by, size_t room, char **name,
                         char **location);

/* What a frame is to a reader. */
enum show_frame_kind {
    SHOW_FRAME_OWN,
    SHOW_FRAME_LIBRARY, /* inside the C++ library */
    SHOW_FRAME_START    /* runs before main() or a thread's function */
};

enum show_frame_kind show_stack_kind(struct show_stack *stack, uint32_t frame);

/* Two of what show_value_print() prints. */
#define SHOW_NUMBERS_WIDTH 40

/* A value of what is sorted by and its share of a whole, in columns. */
void show_value_print(FILE *out, const struct show_options *options,
                      uint64_t value, uint64_t whole);
/* The tree of options->view by its threshold, sorted; is_frame as
 * mpdata_frame_match() has it, but for SHOW_TREE. Fini is due either way.
 * Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
show_tree_make(struct mpdata_call_tree *tree,
               const struct mpdata_profile *profile, const bool *is_frame,
               const struct show_options *options,
               const enum mpdata_metric *metrics, size_t metric_count);

/* The call tree, or that of the callers or callees of options->pattern. Error:
 * NOMEM. */
enum mprof_err show_tree(FILE *out, const struct mpdata_profile *profile,
                         const struct mpdata_top_list *list,
                         const struct show_options *options,
                         struct show_stack *stack);

/* The source of options->pattern's functions. Error: NOMEM. */
enum mprof_err show_source(FILE *out, const struct mpdata_profile *profile,
                           const struct mpdata_top_list *list,
                           const struct show_options *options,
                           struct show_stack *stack);

/* What a node of a tree has: values[i] of metrics[i], of which the first stands
 * in the node's own line. */
struct show_details {
    const enum mpdata_metric *metrics;
    size_t metric_count;
    const uint64_t *values;
};
void show_details(FILE *out, const struct mpdata_top_list *list,
                  const struct show_options *options,
                  const struct show_details *details);

/* The list of such names, as name_list.h has it. */
typedef enum mprof_err show_names_fn(struct mpdata_name_list *list,
                                     const struct mpdata_profile *profile,
                                     const enum mpdata_metric *metrics,
                                     size_t metric_count);
show_names_fn *show_names_list(enum show_by by);

/* By type, thread or pool; `whole` as for show_groups(). Error: NOMEM. */
enum mprof_err show_names(FILE *out, const struct mpdata_profile *profile,
                          const struct show_options *options, uint64_t whole);

/* Such a name and a line's end, for lines with `before` columns before it.
 * False without memory. */
bool show_names_print(FILE *out, const struct show_options *options,
                      const char *name, size_t before);

/* The events, or the copies, with as many call stacks of each name as
 * options->top. Error: NOMEM. */
enum mprof_err show_events(FILE *out, const struct mpdata_profile *profile,
                           const struct show_options *options,
                           struct show_stack *stack);

/* Histograms of the list's call stacks, as many as options->top. */
void show_histogram(FILE *out, const struct mpdata_profile *profile,
                    const struct mpdata_top_list *list,
                    const struct show_options *options,
                    struct show_stack *stack);

/* The list's call stacks with the details of the view, as many as options->top
 * of those that have some. */
void show_spread(FILE *out, const struct mpdata_profile *profile,
                 const struct mpdata_top_list *list,
                 const struct show_options *options, struct show_stack *stack);

/* The runs over time. */
void show_timeline(FILE *out, const struct mpdata_profile *profile,
                   const struct mpdata_top_list *list,
                   const struct show_options *options);

/* The groups as a table; `whole`: what the profile has of what is sorted by. */
void show_groups(FILE *out, const struct mpdata_groups *groups, uint64_t whole,
                 const struct show_options *options, struct show_stack *stack);

#endif
