/* foreign_stack.h -- converts frames and call stacks of another tool's profile
 * to ours.
 *
 * All frames are marked as not for the compiler, which decides by accesses;
 * these profiles have none.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/vec.h"
#include "profdata/model/profile.h"
#include "shared/err.h"

/* A string of the file, with its interned forms: a short file may refer to a
 * long string in many rows. */
struct mpdata_foreign_string {
    struct mpdata_str text; /* borrowed */
    mpdata_string name;     /* 0: not interned yet, or "" */
    mpdata_ref path;        /* 0: not interned yet, or "" */
    uint64_t guid;          /* valid if `name` is */
};

struct mpdata_foreign_frame {
    struct mpdata_foreign_string *name; /* linkage name; "": unknown */
    struct mpdata_foreign_string *file; /* "": unknown */
    uint64_t line;                      /* 0: unknown */
    uint64_t column;
    uint64_t first_line; /* first line of the function */
    bool is_inlined;     /* inlined into the next frame */
};

/* Intern a string as a name, as a path, or as a build id: from hexadecimal
 * digits, else unchanged (build ids of Go have other characters). */
mpdata_string mpdata_foreign_stack_name(struct mpdata_profile *profile,
                                        struct mpdata_foreign_string *string);
mpdata_ref mpdata_foreign_stack_path(struct mpdata_profile *profile,
                                     struct mpdata_foreign_string *string);

mpdata_string
mpdata_foreign_stack_build_id(struct mpdata_profile *profile,
                              struct mpdata_foreign_string *string);

/* Intern a frame, as an unknown address if it has no name. Return 0 when out of
 * memory. */
mpdata_ref mpdata_foreign_stack_frame(struct mpdata_profile *profile,
                                      const struct mpdata_foreign_frame *frame);
mpdata_ref mpdata_foreign_stack_address(struct mpdata_profile *profile,
                                        mpdata_ref binary, uint64_t address);
/* Returns a frame that allocates objects of a type, made of one without. 0: as
 * above, or `frame` is 0. */
mpdata_ref mpdata_foreign_stack_typed(struct mpdata_profile *profile,
                                      mpdata_ref frame, mpdata_string type);
/* Returns the node of a call stack: a vector of mpdata_ref to frames, leaf
 * first. Stops when the profile has `nodes_max` + 1 nodes, which the caller
 * must report. */
mpdata_ref mpdata_foreign_stack_node(struct mpdata_profile *profile,
                                     const struct mpdata_vec *frames,
                                     uint64_t nodes_max);

/* Message for a file with too many nodes or frames. */
#define MPDATA_FOREIGN_STACK_TOO_MANY \
    "call stacks with more frames than a file of this size may have"

/* Maximum number of nodes for a file of this size. Each frame of a call stack
 * takes bytes in the file, but a few bytes may stand for many inlined frames. A
 * node takes some 30 bytes of memory. */
static inline uint64_t mpdata_foreign_stack_nodes_max(size_t file_bytes)
{
    return (uint64_t)file_bytes + (1u << 20);
}

/* foreign_errors.c -- records the first error in another tool's profile; the
 * reader stops there. */

struct mpdata_foreign_errors {
    const char *data;    /* the file; borrowed */
    const char *section; /* name of the file's part in messages */
    struct mprof_diag *diag;
    enum mprof_err err;
    bool has_lines; /* the file is text, so messages contain the line */
};

/* Record an error at a position in the file, or NULL; _say() adds a message.
 * _add() ignores MPROF_E_OK. */
void mpdata_foreign_errors_add(struct mpdata_foreign_errors *errors,
                               enum mprof_err err, const void *at);
void mpdata_foreign_errors_say(struct mpdata_foreign_errors *errors,
                               enum mprof_err err, const void *at,
                               const char *format, ...) MPROF_PRINTF(4, 5);
void mpdata_foreign_errors_no_memory(struct mpdata_foreign_errors *errors);

/* Message for a second profile in the same file. */
#define MPDATA_FOREIGN_ERRORS_SECOND \
    "a second profile begins here; split the file"
/* Message for a last line without a newline. */
#define MPDATA_FOREIGN_ERRORS_CUT \
    "this line is truncated; without it the file can be read"

/* Does mpdata_vec_push(); records NOMEM if that fails. */
void *mpdata_foreign_errors_push(struct mpdata_foreign_errors *errors,
                                 struct mpdata_vec *vec);
