/* counters_text.h -- PGO counters as LLVM's text (.proftext), which
 * llvm-profdata merge --text writes:
 *
 *   TEXT   := HEADER* RECORD*; empty lines, and those that start with #, count
 *             for nothing
 *   HEADER := ":ir" | ":fe" | ":csir" | ":entry_first" | ":not_entry_first" |
 *             ":instrument_loop_entries" | ":single_byte_coverage" |
 *             ":temporal_prof_traces", n, stream size,
 *             {weight, names with commas in between} * n
 *   RECORD := name, hash of the shape, n, counter * n
 *             ["$" m, byte of the bitmap * m]
 *             [kinds, {kind, sites, {values, {value ":" count} * values} *
 *              sites} * kinds]
 *
 * each item a line of its own; a value is a number, of calls and vtables a
 * name.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_COUNTERS_TEXT_H
#define MPDATA_COUNTERS_TEXT_H

#include "profdata/model/counters.h"

/* Does data begin as such a text does? Without a header: a name, two numbers
 * and a counter. */
bool mpdata_counters_text_is(const void *data, size_t size);

/* Reads it into *counters, which must be empty; nothing of data is kept. A
 * function that is there twice with one shape is summed. Errors: MALFORMED ones
 * of a reader, MIXED, LIMIT, NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_counters_text_read(const void *data, size_t size,
                          struct mpdata_counters *counters,
                          struct mprof_diag *diag);

#endif
