/* json_parts.h -- parts that several JSON formats have in common.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/json_out.h"
#include "profdata/base/vec.h"
#include "profdata/export/formats.h"

struct mpdata_json_parts {
    struct mpdata_json_out json;
    const struct mpdata_export *what;
    struct mpdata_view view;
    struct mpdata_vec stack; /* uint32_t */
    bool failed;             /* out of memory */
};

/* Fini is due either way; it returns the result. */
MPROF_NODISCARD bool mpdata_json_parts_init(struct mpdata_json_parts *parts,
                                            const struct mpdata_export *what,
                                            struct mpdata_sink *sink);
enum mprof_err mpdata_json_parts_fini(struct mpdata_json_parts *parts);

/* Opens an array on a new line. */
void mpdata_json_parts_open_array(struct mpdata_json_parts *parts,
                                  const char *key);

/* Write a key and its value unless the value is 0 or "". A ref is written as an
 * index. */
void mpdata_json_parts_opt_ref(struct mpdata_json_parts *parts, const char *key,
                               mpdata_ref ref);
void mpdata_json_parts_opt_path(struct mpdata_json_parts *parts,
                                const char *key, mpdata_ref path);
void mpdata_json_parts_opt_string(struct mpdata_json_parts *parts,
                                  const char *key, mpdata_string string);

/* Write a key and a list: the metrics that the profile holds and the fields,
 * each with its total; the runs. */
void mpdata_json_parts_metrics(struct mpdata_json_parts *parts,
                               const struct mprof_mib *totals);
void mpdata_json_parts_fields(struct mpdata_json_parts *parts,
                              const bool is_held[MPROF_MIB_FIELDS],
                              const struct mprof_mib *totals);
void mpdata_json_parts_runs(struct mpdata_json_parts *parts);

/* Write a value: a path in the system's form; the name of a frame. */
void mpdata_json_parts_path(struct mpdata_json_parts *parts, mpdata_ref path);
void mpdata_json_parts_name(struct mpdata_json_parts *parts,
                            const struct mpdata_frame *frame);
/* Writes a value: the programs of all runs, "a, b". */
void mpdata_json_parts_programs(struct mpdata_json_parts *parts);

/* The frames of a call stack, leaf first, and their number; none for node 0.
 * The caller may change them; they are valid until the next call. */
uint32_t *mpdata_json_parts_stack(struct mpdata_json_parts *parts,
                                  mpdata_ref node, uint32_t *count);
/* The process id if all runs have the same, else 0. */
uint64_t mpdata_json_parts_pid(const struct mpdata_json_parts *parts);

/* Is there a context without a call stack? */
bool mpdata_json_parts_has_unknown(const struct mpdata_json_parts *parts);
