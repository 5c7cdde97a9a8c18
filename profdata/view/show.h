/* show.h -- the ways in which `memprofdata show` prints a profile. All print to
 * a FILE that the command opened.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SHOW_H
#define MPDATA_SHOW_H

#include "profdata/model/top.h"
#include "profdata/model/profile.h"
#include "profdata/load/symbolize.h"

#include <stdio.h>

enum show_sort {
    SHOW_SORT_BYTES,
    SHOW_SORT_BLOCKS,
    SHOW_SORT_ACCESSES,
    SHOW_SORT_LIFETIME,
    SHOW_SORT_LIVE
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
    enum show_sort sort;
    bool full_stacks;
    size_t width; /* of a line */
    struct show_style style;
};

/* Index in mprof_mib_fields[] of what is sorted by. */
size_t show_text_sort_field(enum show_sort sort);

/* For people: a summary and the first call stacks of a canonical profile, or,
 * where `top` is not NULL, of a profile that holds only these, in order.
 * `symbolizer` demangles. */
enum mprof_err show_text(FILE *out, const struct mpdata_profile *profile,
                         const struct mpdata_top *top,
                         const struct show_options *options,
                         struct mpdata_symbolizer *symbolizer);

/* The call stack of a context, indented. */
struct show_stack; /* show_stack.c */
struct show_stack *show_stack_new(const struct mpdata_profile *profile,
                                  const struct show_options *options,
                                  struct mpdata_symbolizer *symbolizer);
void show_stack_free(struct show_stack *stack);
/* Was anything left out for want of memory? _fail() says that something was. */
bool show_stack_failed(const struct show_stack *stack);
void show_stack_fail(struct show_stack *stack);
void show_stack_print(FILE *out, struct show_stack *stack, mpdata_ref node);

/* The head of LLVM's text: how many contexts of which temperature. */
struct show_summary {
    uint64_t contexts;
    uint64_t cold;
    uint64_t hot;
    uint64_t max_cold_bytes;
    uint64_t max_warm_bytes;
    uint64_t max_hot_bytes;
};

/* Adds a context by LLVM's classification, at its default thresholds. */
void llvm_raw_print_summary_add(struct show_summary *summary,
                                const struct mprof_mib *mib);
void llvm_raw_print_summary(FILE *out, const struct show_summary *summary);

/* LLVM's text of a raw file, as llvm-profdata 22 prints it. The load's
 * profile holds what was symbolized. */
enum mprof_err llvm_raw_print(FILE *out, struct mpdata_load_context *load,
                              struct mpdata_raw_file *raw, const char *file,
                              struct mprof_diag *diag);

#endif
