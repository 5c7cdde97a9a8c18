/* members.h -- the fields of the objects in the blocks of a call stack, by
 * offset (shared/type_format.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"

/* The fields of a context's blocks. */
struct mpdata_members {
    const char *text; /* list of fields; NULL: unknown or uncertain */
    /* Size of an element if blocks are arrays; offsets are within an element
     * then. Else 0. */
    uint64_t element_bytes;
    /* The object begins a block, and more follows. */
    bool is_open;
};

/* Does the source allocate one object per call, rather than an array? */
bool mpdata_members_is_single(const struct mpdata_view *view, mpdata_ref leaf);

/* Finds the fields of a context's blocks. They are certain only if all blocks
 * have the size of the allocated type or, if the source allocates arrays,
 * multiples of it, or, with more behind, at least its size. */
struct mpdata_members mpdata_members_of(const struct mpdata_view *view,
                                        uint32_t context);
/* The same for functions of an allocator between malloc and the type's call
 * that put nothing in front of objects with more behind. */
struct mpdata_members mpdata_members_through(const struct mpdata_view *view,
                                             uint32_t context);

struct mpdata_member {
    uint64_t from, to; /* offsets; saturate in damaged lists */
    struct mpdata_str name;
    struct mpdata_str type; /* empty: not known */
};

/* Reads the first member of a list of fields and moves *list behind it. Returns
 * false at the end and at malformed text. The member borrows from the list. */
bool mpdata_members_next(const char **list, struct mpdata_member *member);

/* Writes the fields that overlap [from, to) to out[0..size): "a, b", or "" if
 * there are none. fields->text must not be NULL. */
void mpdata_members_at(const struct mpdata_members *fields, uint64_t from,
                       uint64_t to, char *out, size_t size);
