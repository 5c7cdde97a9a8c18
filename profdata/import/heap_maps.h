/* heap_maps.h -- the lines of /proc/PID/maps in a heap profile: which binary an
 * address is in.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/set.h"
#include "profdata/import/foreign_errors.h"
#include "profdata/import/text.h"
#include "profdata/raw/raw.h"

struct mpdata_heap_maps {
    struct mpdata_foreign_errors *errors; /* borrowed */
    struct mpdata_vec modules;            /* struct mpdata_raw_module */
    struct mpdata_vec segments;           /* struct mpdata_raw_segment */
    struct mpdata_set paths;
    char *strings; /* the paths, each with a NUL */
    size_t string_bytes;
};

/* `size`: of all lines. False when out of memory; fini is due either way. */
bool mpdata_heap_maps_init(struct mpdata_heap_maps *maps,
                           struct mpdata_foreign_errors *errors, size_t size);
void mpdata_heap_maps_fini(struct mpdata_heap_maps *maps);

/* Adds the segment of a line. Ignores lines of other forms, which depend on the
 * system. False when out of memory. */
bool mpdata_heap_maps_line(struct mpdata_heap_maps *maps,
                           struct mpdata_text *line);

/* Assigns addresses to binaries. The bias of a binary is where its file is
 * mapped, which is right for most linkers; load/modules.c corrects it by the
 * program headers. */
void mpdata_heap_maps_place(struct mpdata_heap_maps *maps,
                            struct mpdata_raw_frame *frames,
                            uint32_t frame_count);
