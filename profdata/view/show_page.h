/* show_page.h -- the page of show_text(): its state, and parts that its files
 * share.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/query/uninstrumented.h"
#include "profdata/view/page.h"

struct show_page {
    FILE *out;
    const struct mpdata_profile *profile;
    struct mpdata_view view;
    const struct show_options *options;
    const struct mpdata_top_list *list;
    /* Binaries with code that is not instrumented. */
    struct mpdata_uninstrumented without;
    char *reason; /* why accesses may have been missed, or "" */
    struct show_stack *stack;
};

/* Prints programs, runs, totals and notes. Returns false if the profile has
 * nothing for the view. */
bool show_summary(const struct show_page *page);

/* Formats how much of the blocks was used; "" if accesses per block already
 * tell, because there are fewer accesses than blocks or blocks are no larger
 * than one access. */
struct mpdata_number show_summary_ratio(const struct mprof_mib *mib);
/* Formats a time with the precision of the clock. */
struct mpdata_number show_summary_time(const struct show_page *page,
                                       uint64_t ns);
/* Returns the number of runs whose live blocks are known. */
uint64_t show_summary_live_runs(const struct show_page *page);

/* Prints the largest call stacks. */
void show_list(const struct show_page *page);
