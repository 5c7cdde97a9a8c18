/* alloc_types.h -- what type the calls in a binary allocate, by the section
 * that the plugin put there (shared/type_format.h).
 *
 * Not thread-safe.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_ALLOC_TYPES_H
#define MPDATA_ALLOC_TYPES_H

#include "profdata/symbols/binaries.h"
#include "profdata/symbols/symbolizer_bridge.h"

/* Of all binaries that were asked for. Zero-initialise; _fini() accepts that.
 */
struct mpdata_alloc_types {
    struct mpdata_alloc_types_file **files; /* by index of the binary */
    size_t count;
};

/* What a call allocates. */
struct mpdata_alloc_type {
    const char *name; /* NULL: not known */
    uint32_t bytes;   /* what sizeof says of it, 0: not known */
    bool is_array;    /* of any number of them */
    /* Its fields (shared/type_format.h). NULL: not known. */
    const char *fields;
};

/* Sets *type to what the call at a place in a known function allocates,
 * borrowed until the end, or to nothing where that is not known. The section is
 * read at the first question, from the binary or its debug file; what cannot be
 * read says nothing. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_alloc_types_find(struct mpdata_alloc_types *types,
                        const struct mpdata_binaries *binaries, size_t binary,
                        const struct mpdata_symbol *place,
                        struct mpdata_alloc_type *type);

/* The type that a function of the C or C++ library allocates, by its linkage
 * name: of such libraries no compiler of ours has seen the source. Or nothing.
 */
struct mpdata_alloc_type mpdata_alloc_types_of_library(const char *function);

void mpdata_alloc_types_fini(struct mpdata_alloc_types *types);

#endif
