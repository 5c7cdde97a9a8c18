/* show_frame.h -- names and locations of frames for people.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/view/show.h"

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
                     const struct show_options *options,
                     const struct mpdata_demangler *demangler);
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
