/* foreign_stack.h -- frames and call stacks of another tool's profile, in ours.
 *
 * No frame of them is shown to the compiler: it decides by accesses, of which
 * these profiles know nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_FOREIGN_STACK_H
#define MPDATA_FOREIGN_STACK_H

#include "profdata/base/vec.h"
#include "profdata/model/profile.h"

/* A string of the file; what it is in the profile is looked up once, as a short
 * file may name a long one in many rows. */
struct mpdata_foreign_string {
    struct mpdata_str text; /* borrowed */
    mpdata_string name;     /* 0: not looked up, or "" */
    mpdata_ref path;        /* as above */
    uint64_t guid;          /* with the name */
};

struct mpdata_foreign_frame {
    struct mpdata_foreign_string *name; /* linkage name; "" where unknown */
    struct mpdata_foreign_string *file; /* "" where unknown */
    uint64_t line;                      /* 0: unknown */
    uint64_t column;
    uint64_t first_line; /* of the function */
    bool is_inlined;     /* into the next */
};

/* The string as a name, as a path, or as a build id: hexadecimal digits, or as
 * it stands (Go has such ones). */
mpdata_string mpdata_foreign_stack_name(struct mpdata_profile *profile,
                                        struct mpdata_foreign_string *string);
mpdata_ref mpdata_foreign_stack_path(struct mpdata_profile *profile,
                                     struct mpdata_foreign_string *string);

mpdata_string
mpdata_foreign_stack_build_id(struct mpdata_profile *profile,
                              struct mpdata_foreign_string *string);

/* A frame of the profile; without a name an unknown address. 0 without memory.
 */
mpdata_ref mpdata_foreign_stack_frame(struct mpdata_profile *profile,
                                      const struct mpdata_foreign_frame *frame);
mpdata_ref mpdata_foreign_stack_address(struct mpdata_profile *profile,
                                        mpdata_ref binary, uint64_t address);
/* The node of a call stack: a vector of mpdata_ref of frames, leaf first. Stops
 * behind node `nodes_max` of the profile, which is one too many. */
mpdata_ref mpdata_foreign_stack_node(struct mpdata_profile *profile,
                                     const struct mpdata_vec *frames,
                                     uint64_t nodes_max);

/* What is said of a file with more of them, or of frames. */
#define MPDATA_FOREIGN_STACK_TOO_MANY \
    "call stacks of more frames than a file of this size may have"

/* How many nodes a file of so many bytes may make: a call stack's frames take
 * bytes of the file, but a few bytes may name many frames that were inlined. A
 * node takes some 30 bytes. */
static inline uint64_t mpdata_foreign_stack_nodes_max(size_t file_bytes)
{
    return (uint64_t)file_bytes + (1u << 20);
}

#endif
