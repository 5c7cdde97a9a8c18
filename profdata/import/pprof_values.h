/* pprof_values.h -- interprets the values and labels of samples in a pprof
 * profile: types of values by name and unit, and the MIB of a sample.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/pprof_format.h"
#include "profdata/import/foreign_errors.h"
#include "profdata/import/foreign_stack.h"
#include "shared/container.h"

#define MPDATA_PPROF_TYPES_MAX 64

/* The meaning of a value. */
enum mpdata_pprof_role {
    MPDATA_PPROF_ROLE_NONE,
    MPDATA_PPROF_ROLE_BLOCKS,
    MPDATA_PPROF_ROLE_BYTES,
    MPDATA_PPROF_ROLE_LIVE_BLOCKS,
    MPDATA_PPROF_ROLE_LIVE_BYTES,
    MPDATA_PPROF_ROLE_ACCESSES,
    MPDATA_PPROF_ROLE_LIFETIME,
    MPDATA_PPROF_ROLE_MEASURED, /* the first of MPROF_PPROF_MEASURED_TYPES */
    MPDATA_PPROF_ROLE_COUNT = MPDATA_PPROF_ROLE_MEASURED
#define X(name, field, by) +1
        MPROF_PPROF_MEASURED_TYPES(X)
#undef X
};

/* A type of values. */
struct mpdata_pprof_type_text {
    struct mpdata_str name; /* borrowed */
    struct mpdata_str unit; /* borrowed */
    enum mpdata_pprof_role role;
    uint64_t factor;
};

/* The types of values of a profile. Zero-initialize and set names and units. */
struct mpdata_pprof_values {
    struct mpdata_pprof_type_text types[MPDATA_PPROF_TYPES_MAX];
    uint32_t count;
    bool has_role[MPDATA_PPROF_ROLE_COUNT];
};

/* Sets roles and factors from names and units. Error: UNSUPPORTED. */
void mpdata_pprof_values_find_roles(struct mpdata_pprof_values *values,
                                    struct mpdata_foreign_errors *errors);

/* Returns the number of bytes of a unit; 0 if it is not a unit of bytes. */
uint64_t mpdata_pprof_values_unit(struct mpdata_str unit);

/* Returns the kind of run: FOREIGN if the profile has allocations, else
 * FOREIGN_LIVE. */
uint32_t mpdata_pprof_values_run_kind(const struct mpdata_pprof_values *values);

/* The sample that is being read. Zero-initialize. */
struct mpdata_pprof_sample {
    uint64_t values[MPDATA_PPROF_ROLE_COUNT];
    uint32_t value_count;
    uint32_t flags;
    struct mprof_mib mib; /* set by labels, later completed by values */
    uint64_t block_bytes; /* size of each block; 0: unknown */
    struct mpdata_foreign_string *thread; /* name of the thread, or NULL */
    bool has_label[MPROF_MIB_FIELDS];     /* a label set the field */
};

/* Adds the next value. Error: VALUE, at `at`. */
void mpdata_pprof_values_add(const struct mpdata_pprof_values *values,
                             struct mpdata_pprof_sample *sample, uint64_t value,
                             struct mpdata_foreign_errors *errors,
                             const uint8_t *at);
/* Adds a label: a string, or a number if text is NULL. */
void mpdata_pprof_values_label(struct mpdata_pprof_sample *sample,
                               struct mpdata_str key,
                               struct mpdata_foreign_string *text,
                               uint64_t number);
/* Completes sample->mib from its values and labels. Error: VALUE, at `at`, if
 * it has too few values. */
void mpdata_pprof_values_fill(const struct mpdata_pprof_values *values,
                              struct mpdata_pprof_sample *sample,
                              struct mpdata_foreign_errors *errors,
                              const uint8_t *at);
