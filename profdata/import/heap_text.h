/* heap_text.h -- reads heap profiles as text, of jemalloc (heap_v2/PERIOD, the
 * format of jeprof) and gperftools ("heap profile:", the format of
 * google-pprof). They contain addresses, which are symbolized like those of raw
 * profiles.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/raw/raw.h"
#include "profdata/base/set.h"
#include "profdata/import/foreign_stack.h"
#include "profdata/import/text.h"

/* Detects the format by the first bytes. */
bool mpdata_heap_text_is(const uint8_t *data, size_t size);

/* Reads the whole file into *file as one dump of kind FOREIGN or FOREIGN_LIVE.
 * Scales sampled values as the tools' own readers do. Memory is bounded by the
 * file's size. On failure *file is unchanged. Errors: those of a reader;
 * UNSUPPORTED if the profile is not of heap blocks. */
MPROF_NODISCARD enum mprof_err
mpdata_heap_text_read(const uint8_t *data, size_t size,
                      struct mpdata_raw_file *file, struct mprof_diag *diag);

/* heap_maps.c -- the lines of /proc/PID/maps in a heap profile: which binary an
 * address is in. */

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
