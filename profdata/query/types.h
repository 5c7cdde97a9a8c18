/* types.h -- the type of the objects that a call stack allocates.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"

/* Number of innermost frames that are searched, inlined ones included: enough
 * for the program's own allocator functions. A call further out is not the
 * allocation. */
#define MPDATA_TYPES_DEPTH 8
/* The same for kinds of objects of virtual machines, which stand in front of
 * the script's innermost frame. */
#define MPDATA_TYPES_KIND_DEPTH 64

/* Returns the type of the innermost frame with a type, for the call stack with
 * this leaf; 0 if unknown. */
mpdata_string mpdata_types_of(const struct mpdata_view *view, mpdata_ref leaf);
/* Returns the size of that type; 0 if unknown. */
uint32_t mpdata_types_bytes(const struct mpdata_view *view, mpdata_ref leaf);
/* Returns the fields of that type (shared/type_format.h); 0 if unknown. */
mpdata_string mpdata_types_fields(const struct mpdata_view *view,
                                  mpdata_ref leaf);
