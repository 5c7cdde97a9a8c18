/* show_page.h -- the page of show_text(): its state, and parts that its files
 * share.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/query/left_out.h"
#include "profdata/view/page.h"
#include "profdata/view/show.h"

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

/* show_frame.c -- names and locations of frames for people. */

/* What the frames of a profile are named with. */
struct show_frames {
    const struct mpdata_profile *profile;
    struct mpdata_view view;
    const struct show_options *options;
    struct mpdata_frame_names *names;
    char *directory; /* working directory with a slash, or "" */
    bool failed;     /* something was omitted when out of memory */
};

/* Returns false when out of memory. Call _close() in any case. */
bool show_frame_open(struct show_frames *frames,
                     const struct mpdata_profile *profile,
                     const struct show_options *options);
void show_frame_close(struct show_frames *frames);

/* Formats the location of a frame, "main.c:12", "main.c:12:7", or "" if it is
 * unknown, and its name, in `width` columns unless options->full_stacks. Both
 * malloc'd; NULL when out of memory. */
char *show_frame_location(struct show_frames *frames,
                          const struct mpdata_frame *frame, bool has_column);
char *show_frame_name(struct show_frames *frames,
                      const struct mpdata_frame *frame, size_t width);

/* Formats name and location of a frame's group, in `room` columns if possible;
 * both malloc'd, `location` may be "". Returns false, with nothing allocated,
 * when out of memory. */
bool show_frame_describe(struct show_frames *frames, uint32_t frame,
                         enum mpdata_by by, size_t room, char **name,
                         char **location);
