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
    struct mpdata_str variable; /* without "$"; "": none. Borrowed */
    struct mpdata_str value;
    char *strings; /* the paths, each with a NUL */
    size_t string_bytes;
    size_t value_room; /* bytes that values may still add to paths */
};

/* `lines`: all of them. False when out of memory; fini is due either way. */
bool mpdata_heap_maps_init(struct mpdata_heap_maps *maps,
                           struct mpdata_foreign_errors *errors,
                           struct mpdata_text lines);
void mpdata_heap_maps_fini(struct mpdata_heap_maps *maps);

/* Adds the segment of a line, as in /proc/PID/maps or as older tools write it:
 * "build=/usr/bin", then "400000-500000: $build/app (@1000)". Ignores lines of
 * other forms, which depend on the system. False when out of memory. */
bool mpdata_heap_maps_line(struct mpdata_heap_maps *maps,
                           struct mpdata_text *line);

/* Assigns addresses to binaries. The bias of a binary is where its file is
 * mapped, which is right for most linkers; load/modules.c corrects it by the
 * program headers. */
void mpdata_heap_maps_place(struct mpdata_heap_maps *maps,
                            struct mpdata_raw_frame *frames,
                            uint32_t frame_count);

/* heap_names.c -- the names that a heap profile gives to addresses, in comments
 * or in a section. */

/* The name of an address. */
struct mpdata_heap_name {
    uint64_t address;
    struct mpdata_raw_name name;
};

struct mpdata_heap_names {
    struct mpdata_foreign_errors *errors; /* borrowed */
    struct mpdata_vec rows;               /* struct mpdata_heap_name */
};

/* Add the name of a line: "#\t0x4a0000\tmain.leaf+0x20\t/src/x.go:7", and
 * "0x0000559b3358716a leaf--inlined into". Ignore other lines. */
void mpdata_heap_names_go(struct mpdata_heap_names *names,
                          struct mpdata_text line);
void mpdata_heap_names_symbol(struct mpdata_heap_names *names,
                              struct mpdata_text line);

/* Returns names for all addresses, owned; NULL if there are none, or out of
 * memory. The file may name the address of the call or, as jeprof does for the
 * leaf, the return address. */
struct mpdata_raw_name *
mpdata_heap_names_frames(struct mpdata_heap_names *names,
                         const struct mpdata_raw_frame *frames, uint32_t count);
