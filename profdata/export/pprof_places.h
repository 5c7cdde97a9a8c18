/* pprof_places.h -- the tables that the samples of a pprof profile refer to:
 * strings, functions, locations and mappings. What gets a number here is
 * written at the end, so that samples need not wait in memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PPROF_PLACES_H
#define MPDATA_PPROF_PLACES_H

#include "profdata/base/arena.h"
#include "profdata/base/set.h"
#include "profdata/export/formats.h"
#include "shared/buf.h"

struct mpdata_pprof_places {
    const struct mpdata_export *what;
    struct mpdata_view view;
    struct mpdata_set strings;   /* struct mpdata_str */
    struct mpdata_set functions; /* of pprof_places.c, as the next */
    struct mpdata_set chains;
    uint32_t *locations; /* by node: id of the one that begins there, or 0 */
    struct mpdata_arena arena; /* bytes of strings */
    struct mpdata_vec lines;   /* of the location at hand */
    struct mprof_buf row;
    struct mprof_buf part;
    bool failed; /* no memory; sticky */
};

/* Fini is due either way. */
void mpdata_pprof_places_init(struct mpdata_pprof_places *places,
                              const struct mpdata_export *what);
void mpdata_pprof_places_fini(struct mpdata_pprof_places *places);

/* The number of a string. Bytes that are no UTF-8 become question marks, for
 * readers refuse a message with such a string. */
uint64_t mpdata_pprof_places_text(struct mpdata_pprof_places *places,
                                  const char *text);

/* The id of the location at *node, which goes on to its caller: one frame, and
 * those that it is inlined into. 0 without memory. */
uint64_t mpdata_pprof_places_next(struct mpdata_pprof_places *places,
                                  mpdata_ref *node);

/* Writes all tables, as fields of the profile. */
void mpdata_pprof_places_write(struct mpdata_pprof_places *places,
                               struct mpdata_sink *sink);

#endif
