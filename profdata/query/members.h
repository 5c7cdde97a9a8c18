/* members.h -- the fields of the objects in the blocks of a call stack, by
 * their places (shared/type_format.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_MEMBERS_H
#define MPDATA_MEMBERS_H

#include "profdata/model/profile.h"

/* What is known of the blocks of a context. */
struct mpdata_members {
    const char *text; /* NULL: nothing that could not be wrong */
    /* Of arrays, the size of an element, of which the fields are; else 0. */
    uint64_t element_bytes;
};

/* Does the call stack allocate one object at a time, as the source says? */
bool mpdata_members_is_single(const struct mpdata_view *view, mpdata_ref leaf);

/* Fields are known where all blocks are as large as the type that the call
 * stack allocates, or hold any number of it, as the source says. */
struct mpdata_members mpdata_members_of(const struct mpdata_view *view,
                                        uint32_t context);

/* "a, b" to out[0..size): those that have a byte of `from` to before `to`, of
 * what is not NULL. "" where there is none. */
void mpdata_members_at(const struct mpdata_members *fields, uint64_t from,
                       uint64_t to, char *out, size_t size);

#endif
