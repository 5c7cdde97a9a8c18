/* pprof_places.h -- the tables that samples of a pprof profile refer to:
 * strings, functions, locations and mappings. Samples use their ids at once;
 * the tables are written at the end.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/arena.h"
#include "profdata/base/set.h"
#include "profdata/export/formats.h"
#include "shared/buf.h"

struct mpdata_pprof_places {
    const struct mpdata_export *what;
    struct mpdata_view view;
    struct mpdata_set strings;   /* struct mpdata_str */
    struct mpdata_set functions; /* as `chains`, rows of pprof_places.c */
    struct mpdata_set chains;
    uint32_t *locations;    /* by node: id of the location that begins there, or
                             * 0 */
    struct mpdata_vec rows; /* uint32_t: by location, its row of `chains` */
    uint32_t *mappings; /* by binary: its id, since the mappings were written
                         */
    bool
        has_addresses; /* functions have an address, too, made of their place */
    struct mpdata_arena arena; /* bytes of strings */
    struct mpdata_vec lines;   /* of the current location */
    struct mprof_buf row;
    struct mprof_buf part;
    bool failed; /* out of memory; sticky */
};

/* Fini is due either way. */
void mpdata_pprof_places_init(struct mpdata_pprof_places *places,
                              const struct mpdata_export *what);
void mpdata_pprof_places_fini(struct mpdata_pprof_places *places);

/* The number of a string. Bytes that are not UTF-8 become question marks,
 * because readers reject messages with them. */
uint64_t mpdata_pprof_places_text(struct mpdata_pprof_places *places,
                                  const char *text);

/* Returns the id of the location at *node: a frame and those it is inlined
 * into. Moves *node to the caller of the location. 0 when out of memory. */
uint64_t mpdata_pprof_places_next(struct mpdata_pprof_places *places,
                                  mpdata_ref *node);

/* Writes all tables, as fields of the profile. */
void mpdata_pprof_places_write(struct mpdata_pprof_places *places,
                               struct mpdata_sink *sink);
