/* types.h -- what type of object a call stack allocates.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_TYPES_H
#define MPDATA_TYPES_H

#include "profdata/model/profile.h"

/* How many frames an allocator of the program's own may have, inlined ones
 * too: farther out a call is not the one that allocates. */
#define MPDATA_TYPES_DEPTH 8

/* The type of the innermost frames that has one, of a call stack by its leaf;
 * 0 where none is known. */
mpdata_string mpdata_types_of(const struct mpdata_view *view, mpdata_ref leaf);
/* And its size, 0 where that is not known. */
uint32_t mpdata_types_bytes(const struct mpdata_view *view, mpdata_ref leaf);
/* And its fields (shared/type_format.h), likewise. */
mpdata_string mpdata_types_fields(const struct mpdata_view *view,
                                  mpdata_ref leaf);

#endif
