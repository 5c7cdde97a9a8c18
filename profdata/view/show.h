/* show.h -- the views of `memprofdata show`. All print to a FILE that the
 * command opened.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"
#include "profdata/query/frames.h"
#include "profdata/query/call_tree.h"
#include "profdata/query/lists.h"
#include "profdata/query/left_out.h"

#include <stdio.h>

/* What is printed below the summary. */
enum show_view {
    SHOW_LIST, /* rows by `by` */
    SHOW_TREE,
    SHOW_CALLERS, /* of the functions that match `pattern` */
    SHOW_CALLEES,
    SHOW_SOURCE, /* lines of these functions */
    SHOW_EVENTS,
    SHOW_COPIES,
    SHOW_HISTOGRAM,
    SHOW_SIZES, /* distribution of sizes */
    SHOW_LIFETIMES,
    SHOW_ENDS, /* call stacks that replaced and freed blocks */
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
    const char *title; /* of the metric; set by show_text() */
    enum show_view view;
    const char *pattern; /* functions for the view, as text, or NULL */
    struct mpdata_name_matcher matcher; /* the compiled pattern */
    enum mpdata_by by;
    /* Percent of the total below which nodes of a tree are folded. */
    double threshold;
    bool details; /* print all metrics of a tree's nodes */
    /* Size of an array element for histograms; 0: whole blocks. */
    uint64_t element_bytes;
    bool has_element; /* use element_bytes; else the size of the type */
    bool full_stacks;
    bool is_of_pools;          /* the profile has blocks of pools */
    uint64_t suppressed_bytes; /* leaks removed by suppressions */
    uint64_t suppressed_blocks;
    uint32_t wrapped; /* call stacks whose allocation wrappers are hidden */
    uint32_t joined;  /* call stacks that became equal to others thereby */
    /* Filter options were given, so the profile may be incomplete. */
    bool is_filtered;
    /* Follows a title: " (estimates)" for sampled profiles, else "". */
    const char *estimates;
    /* Something was filtered out of the profile, now or by merge. */
    bool is_left_out;
    size_t width; /* columns of a line */
    struct show_style style;
    const struct mpdata_demangler *demangler; /* borrowed */
};

/* Prints a summary and the rows of options->by or of options->view. `list` was
 * made from this profile by options->sort. Error: NOMEM. */
enum mprof_err show_text(FILE *out, const struct mpdata_profile *profile,
                         const struct mpdata_top_list *list,
                         const struct show_options *options);

/* Like show_text(), as JSON. Error: NOMEM. */
#define SHOW_JSON_VERSION 1
enum mprof_err show_json(FILE *out, const struct mpdata_profile *profile,
                         const struct mpdata_top_list *list,
                         const struct show_options *options);

/* Prints call stacks, indented. */
struct show_stack;  /* show_stack.c */
struct show_frames; /* show_page.h */
struct show_stack *show_stack_new(const struct mpdata_profile *profile,
                                  const struct show_options *options);
void show_stack_free(struct show_stack *stack);
struct show_frames *show_stack_frames(struct show_stack *stack);
/* _failed(): was anything omitted when out of memory? _fail() records that
 * something was. */
bool show_stack_failed(const struct show_stack *stack);
void show_stack_fail(struct show_stack *stack);
/* Prepares the printing of these contexts, as rows 0 to count - 1: finds rows
 * that would look the same without column numbers; show_stack_print() then
 * prints the columns in which they differ. Call it once, before the first is
 * printed. */
void show_stack_compare(struct show_stack *stack, const uint32_t *contexts,
                        uint32_t count);
void show_stack_print(FILE *out, struct show_stack *stack, mpdata_ref node,
                      uint32_t row);

/* Prints a line about reads and writes of a context's blocks, if they were
 * counted separately and there were any. all_seen: no access was missed. */
void show_numbers_rw(FILE *out, const struct mprof_mib *mib, bool all_seen,
                     const char *indent, size_t width);
/* Prints the end of a line about the reads and writes of all contexts. */
void show_numbers_rw_totals(FILE *out, const struct mprof_mib *mib);

/* _totals() prints the end of a line about the blocks live at the runs' peaks,
 * which must be measured; if contexts were filtered out, also the whole peak.
 * _context() prints a line about one context's blocks at the peak, if measured
 * and `sort` is a metric of the peak. */
void show_numbers_peak_totals(FILE *out, const struct mpdata_top_list *list,
                              const struct show_options *options);
void show_numbers_peak(FILE *out, const struct mprof_mib *mib,
                       enum mpdata_metric sort, const char *indent);

/* _totals() prints the end of a line about all leaks; the profile must have
 * been checked for leaks. _context() prints a line about the leaks of one
 * context, if any. */
void show_numbers_leaks_totals(FILE *out, const struct mprof_mib *mib,
                               const struct show_options *options);
void show_numbers_leaks(FILE *out, const struct mprof_mib *mib,
                        const char *indent);
/* Prints how long the live blocks of a context have not been accessed: from 1 s
 * on, a line for each power of two, with all blocks of so long or longer. */
void show_numbers_idle(FILE *out, const struct mpdata_view *view,
                       const struct mpdata_context *context,
                       const char *indent);

/* Prints how many blocks of a context have the content of another one. */
void show_numbers_contents(FILE *out, const struct mpdata_view *view,
                           const struct mpdata_context *context,
                           const char *indent);

/* _totals() prints the end of a line about the sampled blocks of all contexts;
 * there must be some. _context() prints a line about one context, if it has
 * sampled blocks: their number and the standard error of the metric `sort`. */
void show_numbers_sampled_totals(FILE *out, const struct mprof_mib *mib);
/* The standard error of accesses that were counted in bursts. */
void show_numbers_bursts(FILE *out, const struct mprof_mib *mib,
                         const char *indent);
void show_numbers_sampled(FILE *out, const struct mprof_mib *mib,
                          enum mpdata_metric sort, const char *indent);

/* Returns how to measure leaks if the metric is one of leaks, else "". */
const char *show_numbers_why_no_leaks(enum mpdata_metric metric);

/* How a frame is displayed. */
enum show_frame_kind {
    SHOW_FRAME_OWN,
    SHOW_FRAME_LIBRARY, /* inside the C++ library: folded */
    SHOW_FRAME_START    /* runs before main() or a thread's function: folded */
};

enum show_frame_kind show_stack_kind(struct show_stack *stack, uint32_t frame);
/* Formats what stands for folded frames: "3 frames of start-up". */
struct mpdata_number show_stack_fold(uint32_t frames,
                                     enum show_frame_kind kind);

/* Makes the sorted tree of options->view with its threshold. is_frame is the
 * result of mpdata_frame_match(); NULL for SHOW_TREE. Call
 * mpdata_call_tree_fini() even after a failure. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
show_tree_make(struct mpdata_call_tree *tree,
               const struct mpdata_profile *profile, const bool *is_frame,
               const struct show_options *options,
               const enum mpdata_metric *metrics, size_t metric_count);

/* Prints the call tree, or the callers or callees of options->pattern. Error:
 * NOMEM. */
enum mprof_err show_tree(FILE *out, const struct mpdata_profile *profile,
                         const struct mpdata_top_list *list,
                         const struct show_options *options,
                         struct show_stack *stack);

/* Prints the source of the functions that match options->pattern. Error: NOMEM.
 */
enum mprof_err show_source(FILE *out, const struct mpdata_profile *profile,
                           const struct mpdata_top_list *list,
                           const struct show_options *options,
                           struct show_stack *stack);

/* The values of a tree's node: values[i] belongs to metrics[i]. The first one
 * is on the node's own line. */
struct show_details {
    const enum mpdata_metric *metrics;
    size_t metric_count;
    const uint64_t *values;
};
void show_details(FILE *out, const struct mpdata_top_list *list,
                  const struct show_options *options,
                  const struct show_details *details);

/* Prints the rows by type, thread or pool; `whole` as for show_names_groups().
 * Error: NOMEM. */
enum mprof_err show_names(FILE *out, const struct mpdata_profile *profile,
                          const struct show_options *options, uint64_t whole);

/* Prints the events or copies, with options->top call stacks for each name.
 * Error: NOMEM. */
enum mprof_err show_events(FILE *out, const struct mpdata_profile *profile,
                           const struct show_options *options,
                           struct show_stack *stack);

/* Prints histograms of the list's first options->top call stacks that have one.
 */
void show_histogram(FILE *out, const struct mpdata_profile *profile,
                    const struct mpdata_top_list *list,
                    const struct show_options *options,
                    struct show_stack *stack);

/* Prints the distributions of the view for the list's first options->top call
 * stacks that have them. */
void show_spread(FILE *out, const struct mpdata_profile *profile,
                 const struct mpdata_top_list *list,
                 const struct show_options *options, struct show_stack *stack);

/* Prints the memory of runs over time. */
void show_timeline(FILE *out, const struct mpdata_profile *profile,
                   const struct mpdata_top_list *list,
                   const struct show_options *options);

/* Prints the groups as a table; `whole`: the profile's total of options->sort.
 */
void show_names_groups(FILE *out, const struct mpdata_groups *groups,
                       uint64_t whole, const struct show_options *options,
                       struct show_stack *stack);
