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

/* Sets *type to what the call at a place in a known function allocates,
 * borrowed until the end, or to NULL where that is not known. The section is
 * read at the first question, from the binary or its debug file; what cannot be
 * read says nothing. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_alloc_types_find(struct mpdata_alloc_types *types,
                        const struct mpdata_binaries *binaries, size_t binary,
                        const struct mpdata_symbol *place, const char **type);

/* The type that a function of the C or C++ library allocates, by its linkage
 * name: of such libraries no compiler of ours has seen the source. Or NULL. */
const char *mpdata_alloc_types_of_library(const char *function);

void mpdata_alloc_types_fini(struct mpdata_alloc_types *types);

#endif
