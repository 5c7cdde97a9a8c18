/* pprof_values.h -- what the values and labels of samples in a pprof profile
 * mean: types by their names and units, and a sample's MIB.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PPROF_VALUES_H
#define MPDATA_PPROF_VALUES_H

#include "profdata/base/pprof_format.h"
#include "profdata/import/foreign_errors.h"
#include "profdata/import/foreign_stack.h"
#include "shared/container.h"

#define MPDATA_PPROF_TYPES_MAX 64

/* What a value is. */
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

/* The types of a profile. Zero-initialise and set the texts. */
struct mpdata_pprof_values {
    struct mpdata_pprof_type_text types[MPDATA_PPROF_TYPES_MAX];
    uint32_t count;
    bool has_role[MPDATA_PPROF_ROLE_COUNT];
};

/* Sets roles and factors by the texts. Error: UNSUPPORTED. */
void mpdata_pprof_values_find_roles(struct mpdata_pprof_values *values,
                                    struct mpdata_foreign_errors *errors);

/* How many bytes a unit is; 0 where it is none of bytes. */
uint64_t mpdata_pprof_values_unit(struct mpdata_str unit);

/* The kind of run: of allocations, if there are any, else of live blocks. */
uint32_t mpdata_pprof_values_run_kind(const struct mpdata_pprof_values *values);

/* Zero-initialise. */
struct mpdata_pprof_sample {
    uint64_t values[MPDATA_PPROF_ROLE_COUNT];
    uint32_t value_count;
    uint32_t flags;
    struct mprof_mib mib;                 /* what labels say */
    uint64_t block_bytes;                 /* size of each block; 0: not said */
    struct mpdata_foreign_string *thread; /* name of the thread, or NULL */
    bool is_said[MPROF_MIB_FIELDS];       /* by a label */
};

/* Adds the next value. Error: VALUE, with `at`. */
void mpdata_pprof_values_add(const struct mpdata_pprof_values *values,
                             struct mpdata_pprof_sample *sample, uint64_t value,
                             struct mpdata_foreign_errors *errors,
                             const uint8_t *at);
/* Adds a label with a text, or with text NULL a number. */
void mpdata_pprof_values_label(struct mpdata_pprof_sample *sample,
                               struct mpdata_str key,
                               struct mpdata_foreign_string *text,
                               uint64_t number);
/* Sets sample->mib to what its values and labels come to. Error: VALUE where it
 * has too few values, with `at`. */
void mpdata_pprof_values_fill(const struct mpdata_pprof_values *values,
                              struct mpdata_pprof_sample *sample,
                              struct mpdata_foreign_errors *errors,
                              const uint8_t *at);

#endif
