/* event_frames.h -- the binaries and code addresses of a log.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/arena.h"
#include "profdata/base/set.h"
#include "profdata/events/event_log.h"

/* Init it with _init(). */
struct mpdata_event_frames {
    struct mpdata_set frames;    /* struct mpdata_log_frame */
    struct mpdata_vec modules;   /* struct mpdata_raw_module */
    struct mpdata_map by_name;   /* modules */
    struct mpdata_vec segments;  /* struct segment */
    struct mpdata_set functions; /* struct mpdata_log_function, by number */
    uint64_t tag;                /* of the binary of the next segments */
    uint32_t module;             /* its index */
    bool is_known;               /* its segments are there */
    bool copies;                 /* texts: the log's bytes will go away */
    struct mpdata_arena texts;
};

void mpdata_event_frames_init(struct mpdata_event_frames *f);
void mpdata_event_frames_fini(struct mpdata_event_frames *f);
/* Return false without memory. The second one adds to the binary before. */
bool mpdata_event_frames_loaded(struct mpdata_event_frames *f,
                                const struct mpdata_log_loaded *loaded);
bool mpdata_event_frames_segment(struct mpdata_event_frames *f, uint64_t start,
                                 uint64_t end, uint64_t file_off);
/* False without memory. */
bool mpdata_event_frames_function(struct mpdata_event_frames *f,
                                  const struct mpdata_log_function *function);
/* Index + 1 of the frame, or 0 without memory. */
uint32_t mpdata_event_frames_add(struct mpdata_event_frames *f,
                                 const struct mpdata_log_frame *frame);
/* Keeps a text of the log, or a copy. False without memory. */
bool mpdata_event_frames_text(struct mpdata_event_frames *f,
                              struct mpdata_str text, struct mpdata_str *kept);
/* Copies binaries, segments and frames to *raw. False without memory. */
bool mpdata_event_frames_finish(struct mpdata_event_frames *f,
                                struct mpdata_raw *raw);
