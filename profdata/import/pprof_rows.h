/* pprof_rows.h -- the numbers in the messages of a pprof profile
 * (profdata/base/pprof_format.h). After an error the cursor holds it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/protobuf.h"
#include "profdata/model/profile.h"
#include "profdata/base/pprof_format.h"
#include "profdata/import/foreign_stack.h"
#include "shared/container.h"
#include "profdata/base/str.h"
#include "shared/err.h"

/* Members are numbers of the message; names, files and other strings are
 * indexes into the table of strings. Rows of tables begin with their id. */
struct mpdata_pprof_profile {
    uint64_t time_ns;
    uint64_t duration_ns;
    uint64_t period;
    uint64_t drop; /* string: drop_frames */
    uint64_t keep; /* string: keep_frames */
};

struct mpdata_pprof_mapping {
    uint64_t id;
    uint64_t start;
    uint64_t offset;
    uint64_t file;
    uint64_t build_id;
    mpdata_ref binary; /* binary of the profile; 0 until it is used */
};

struct mpdata_pprof_function {
    uint64_t id;
    uint64_t name;
    uint64_t linkage;
    uint64_t file;
    uint64_t line;
    bool is_dropped;
};

struct mpdata_pprof_location {
    uint64_t id;
    uint64_t mapping;
    uint64_t address;
    const uint8_t *bytes; /* the message */
    uint64_t size;
    uint64_t first_frame; /* valid if frame_count is not 0 */
    uint32_t frame_count; /* 0: the frames were not created yet */
};

struct mpdata_pprof_type {
    uint64_t name;
    uint64_t unit;
};

struct mpdata_pprof_line {
    uint64_t function;
    uint64_t line;
    uint64_t column;
};

struct mpdata_pprof_label {
    uint64_t key;
    uint64_t text; /* 0: the label is a number */
    uint64_t number;
    uint64_t unit;
};

enum mpdata_pprof_row {
    MPDATA_PPROF_ROW_PROFILE,
    MPDATA_PPROF_ROW_MAPPING,
    MPDATA_PPROF_ROW_FUNCTION,
    MPDATA_PPROF_ROW_LOCATION,
    MPDATA_PPROF_ROW_TYPE,
    MPDATA_PPROF_ROW_LINE,
    MPDATA_PPROF_ROW_LABEL
};

/* Sets the member of *row that belongs to the field, if there is one. */
void mpdata_pprof_rows_take(enum mpdata_pprof_row kind,
                            const struct mpdata_protobuf_field *field,
                            void *row);

/* Sets the members of *row from all fields of a message. */
void mpdata_pprof_rows_read(enum mpdata_pprof_row kind, struct mprof_cursor *c,
                            void *row);

/* pprof_values.c -- interprets the values and labels of samples in a pprof
 * profile: types of values by name and unit, and the MIB of a sample. */

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
    struct mpdata_foreign_string *type;   /* of the objects, or NULL */
    bool has_label[MPROF_MIB_FIELDS];     /* a label set the field */
};

/* Adds the next value. Error: VALUE, at `at`. */
void mpdata_pprof_values_add(const struct mpdata_pprof_values *values,
                             struct mpdata_pprof_sample *sample, uint64_t value,
                             struct mpdata_foreign_errors *errors,
                             const uint8_t *at);
/* A label: a string, or a number if text is NULL. */
struct mpdata_pprof_label_text {
    struct mpdata_str key;
    struct mpdata_foreign_string *text; /* borrowed */
    uint64_t number;
    struct mpdata_str unit;
};

/* Adds a label. Error: UNSUPPORTED for an unknown unit. */
void mpdata_pprof_values_label(struct mpdata_pprof_sample *sample,
                               const struct mpdata_pprof_label_text *label,
                               struct mpdata_foreign_errors *errors);
/* Completes sample->mib from its values and labels. Error: VALUE, at `at`, if
 * it has too few values. */
void mpdata_pprof_values_fill(const struct mpdata_pprof_values *values,
                              struct mpdata_pprof_sample *sample,
                              struct mpdata_foreign_errors *errors,
                              const uint8_t *at);

/* pprof_units.c -- units of values and labels. */

/* Returns the factor from a unit of the file to `base`, a unit of
 * shared/MIBDef.inc; 0 if the file's is not a unit of the same kind. */
uint64_t mpdata_pprof_units_factor(struct mpdata_str unit, const char *base);

/* Numbers are signed; a negative one is as unknown as 0. */
static inline uint64_t mpdata_pprof_units_known(uint64_t number)
{
    return number <= INT64_MAX ? number : 0;
}

/* Returns the period of sampling in bytes; 0: all blocks were recorded. */
uint64_t mpdata_pprof_units_period(uint64_t period, struct mpdata_str unit);

/* pprof_drop.c -- the frames that a profile asks readers to drop: functions of
 * the allocator. Their names match one regular expression (drop_frames) and do
 * not match another (keep_frames). */

struct mpdata_pprof_drop; /* NULL: drop nothing */

/* Compiles both expressions; "" is none. Errors: NOMEM, UNSUPPORTED for an
 * invalid expression (`text` says why). *drop is NULL then. */
MPROF_NODISCARD enum mprof_err
mpdata_pprof_drop_new(struct mpdata_pprof_drop **drop, struct mpdata_str drops,
                      struct mpdata_str keeps, char *text, size_t text_size);
void mpdata_pprof_drop_free(struct mpdata_pprof_drop *drop);

/* Must the function be dropped? The expressions have to match its whole name.
 * Errors: NOMEM; UNSUPPORTED if a match takes too many steps. */
MPROF_NODISCARD enum mprof_err
mpdata_pprof_drop_fits(struct mpdata_pprof_drop *drop, struct mpdata_str name,
                       bool *is_dropped);
