/* json_form.h -- a profile as lossless JSON: the members of each row, in tables
 * that the writer and the reader share. docs/text-format.md describes the form
 * for users.
 *
 * The writer omits numbers and flags that are 0, empty strings and empty lists,
 * except that a histogram without any access is an empty list, and a call stack
 * may be one. Indices count from 0 in the order of the lists. Hashes, ids and
 * addresses are strings of 0x and hexadecimal digits, because many JSON readers
 * keep only 53 bits of a number. A string that is not UTF-8 is {"hex": its
 * bytes as digits}; bytes that are never text (build ids, summaries) are only
 * such digits.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/member.h"
#include "profdata/model/content.h"

/* Always the first key. */
#define MPDATA_JSON_FORM_VERSION_KEY "MemprofProfile"
#define MPDATA_JSON_FORM_VERSION 1
/* Of a profile with cells as in MPROF_RAW_VERSION_MEMBERS and _FIELDS. */
#define MPDATA_JSON_FORM_VERSION_MEMBERS 2
#define MPDATA_JSON_FORM_VERSION_FIELDS 3

enum mpdata_json_form_kind {
    MPDATA_JSON_FORM_NUMBER,                         /* as wide as the member */
    MPDATA_JSON_FORM_KIND = MPDATA_JSON_FORM_NUMBER, /* enum mprof_run_kind */
    MPDATA_JSON_FORM_BIT,                            /* a number up to 1 */
    MPDATA_JSON_FORM_ID,        /* a number, in hexadecimal digits */
    MPDATA_JSON_FORM_STRING,    /* mpdata_string */
    MPDATA_JSON_FORM_DIGITS,    /* mpdata_string of bytes */
    MPDATA_JSON_FORM_PATH,      /* mpdata_ref */
    MPDATA_JSON_FORM_FUNCTION,  /* mpdata_ref, as an index */
    MPDATA_JSON_FORM_BINARY,    /* likewise */
    MPDATA_JSON_FORM_FLAG,      /* true if field->flag is set */
    MPDATA_JSON_FORM_STACK,     /* mpdata_ref: a list of indices, leaf first */
    MPDATA_JSON_FORM_MIB,       /* struct mprof_mib: an object */
    MPDATA_JSON_FORM_HISTOGRAM, /* struct mpdata_cells: a list of runs, [first
                                 * cell, COUNT, ...] */
    MPDATA_JSON_FORM_DETAILS,   /* a list of the context's distributions */
    MPDATA_JSON_FORM_PART_KIND, /* its text */
    MPDATA_JSON_FORM_SAMPLES,   /* a list of [ns, bytes, most, blocks, rss] */
    MPDATA_JSON_FORM_MARKS,     /* a list of marks */
    MPDATA_JSON_FORM_BLOB,      /* struct mpdata_bytes */
    MPDATA_JSON_FORM_BLOBS,     /* a vector of struct mpdata_bytes */
    MPDATA_JSON_FORM_SKIPPED    /* older files have it; ignored */
};

struct mpdata_json_form_field {
    const char *name;
    enum mpdata_json_form_kind kind;
    struct mpdata_member member; /* of the row */
    uint32_t flag;
};

/* The rows of a list. */
struct mpdata_json_form_row {
    const struct mpdata_json_form_field *fields;
    size_t count;
    uint64_t needed; /* bits of the required fields */
};

/* A context or a tagged row, and below a distribution, as rows of JSON. */
struct mpdata_json_form_context {
    uint32_t kind;      /* of a tagged row */
    mpdata_string name; /* likewise */
    mpdata_ref node;
    uint32_t flags;
    struct mprof_mib mib;
    struct mpdata_cells cells;
};

#define MPDATA_JSON_FORM_NO_STACK UINT32_MAX

struct mpdata_json_form_detail {
    uint32_t kind;
    mpdata_ref node; /* for kinds with a call stack, else NO_STACK */
    uint32_t bucket; /* for kinds with one, else 0 */
    uint32_t place;  /* likewise */
    uint64_t blocks;
    uint64_t bytes;
};

extern const struct mpdata_json_form_row mpdata_json_form_run;
extern const struct mpdata_json_form_row mpdata_json_form_binary;
extern const struct mpdata_json_form_row mpdata_json_form_function;
extern const struct mpdata_json_form_row mpdata_json_form_frame;
extern const struct mpdata_json_form_row mpdata_json_form_context;
extern const struct mpdata_json_form_row mpdata_json_form_detail;
extern const struct mpdata_json_form_row mpdata_json_form_series;
extern const struct mpdata_json_form_row mpdata_json_form_mark;
extern const struct mpdata_json_form_row mpdata_json_form_tagged;
extern const struct mpdata_json_form_row mpdata_json_form_counters;
