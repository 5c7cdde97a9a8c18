/* json_parts.h -- what formats of JSON write of a profile in the same way.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_JSON_PARTS_H
#define MPDATA_JSON_PARTS_H

#include "profdata/base/json_out.h"
#include "profdata/base/vec.h"
#include "profdata/export/formats.h"

struct mpdata_json_parts {
    struct mpdata_json_out json;
    const struct mpdata_export *what;
    struct mpdata_view view;
    struct mpdata_vec stack; /* uint32_t */
    bool failed;             /* no memory */
};

/* Fini is due either way, and says how it went. */
MPROF_NODISCARD bool mpdata_json_parts_init(struct mpdata_json_parts *parts,
                                            const struct mpdata_export *what,
                                            struct mpdata_sink *sink);
enum mprof_err mpdata_json_parts_fini(struct mpdata_json_parts *parts);

/* A key and its value. */
void mpdata_json_parts_number(struct mpdata_json_parts *parts, const char *key,
                              uint64_t number);
void mpdata_json_parts_string(struct mpdata_json_parts *parts, const char *key,
                              const char *text);
void mpdata_json_parts_open_map(struct mpdata_json_parts *parts,
                                const char *key);
/* On a line of its own. */
void mpdata_json_parts_open_array(struct mpdata_json_parts *parts,
                                  const char *key);

/* The same where there is something to say: not for 0, false and "". A ref is
 * written as an index. */
void mpdata_json_parts_opt_number(struct mpdata_json_parts *parts,
                                  const char *key, uint64_t number);
void mpdata_json_parts_opt_ref(struct mpdata_json_parts *parts, const char *key,
                               mpdata_ref ref);
void mpdata_json_parts_opt_id(struct mpdata_json_parts *parts, const char *key,
                              uint64_t id);
void mpdata_json_parts_opt_flag(struct mpdata_json_parts *parts,
                                const char *key, bool is_set);
void mpdata_json_parts_opt_path(struct mpdata_json_parts *parts,
                                const char *key, mpdata_ref path);
void mpdata_json_parts_opt_string(struct mpdata_json_parts *parts,
                                  const char *key, mpdata_string string);

/* A map on a line of its own. */
void mpdata_json_parts_begin_row(struct mpdata_json_parts *parts);
void mpdata_json_parts_end_row(struct mpdata_json_parts *parts);

/* Keys and their lists: the metrics that are held and the fields, with what
 * they come to; the runs. */
void mpdata_json_parts_metrics(struct mpdata_json_parts *parts,
                               const struct mprof_mib *totals);
void mpdata_json_parts_fields(struct mpdata_json_parts *parts,
                              const bool is_held[MPROF_MIB_FIELDS],
                              const struct mprof_mib *totals);
void mpdata_json_parts_runs(struct mpdata_json_parts *parts);

/* Values: a path as the system writes it; the name of a frame. */
void mpdata_json_parts_path(struct mpdata_json_parts *parts, mpdata_ref path);
void mpdata_json_parts_name(struct mpdata_json_parts *parts,
                            const struct mpdata_frame *frame);
/* A value: the programs of all runs, "a, b". */
void mpdata_json_parts_programs(struct mpdata_json_parts *parts);
/* A value: the histogram, each run of cells as [its first cell, COUNT, ...]. */
void mpdata_json_parts_cells(struct mpdata_json_parts *parts,
                             struct mpdata_cells cells);

/* The frames of a call stack, leaf first, which the caller may change until the
 * next call, and how many; none for node 0. */
uint32_t *mpdata_json_parts_stack(struct mpdata_json_parts *parts,
                                  mpdata_ref node, uint32_t *count);
/* The process's id where there is one process, else 0. */
uint64_t mpdata_json_parts_pid(const struct mpdata_json_parts *parts);

/* Is there a call stack of which nothing is known? */
bool mpdata_json_parts_has_unknown(const struct mpdata_json_parts *parts);

#endif
