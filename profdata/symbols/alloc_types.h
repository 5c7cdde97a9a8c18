/* alloc_types.h -- finds the type that a call in a binary allocates. The plugin
 * records types in a section of the binary (shared/type_format.h).
 *
 * Not thread-safe.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/symbols/binaries.h"
#include "profdata/symbols/symbolizer_bridge.h"

/* The sections of all binaries that were asked for. Zero-initialize; _fini()
 * accepts a zeroed struct. */
struct mpdata_alloc_types {
    struct mpdata_alloc_types_file **files; /* by index of the binary */
    size_t count;
};

/* The type that a call allocates. */
struct mpdata_alloc_type {
    const char *name; /* NULL: unknown */
    uint32_t bytes;   /* sizeof the type; 0: unknown */
    const char *mark; /* of the call (shared/type_format.h), or "" */
    /* Fields of the type (shared/type_format.h). NULL: unknown. */
    const char *fields;
};

/* Sets *type to the type that the call at a source location allocates, or to an
 * empty type if it is unknown. *type borrows from *types. The first query for a
 * binary reads the section from the binary or its debug file; a file that
 * cannot be read has no types. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_alloc_types_find(struct mpdata_alloc_types *types,
                        const struct mpdata_binaries *binaries, size_t binary,
                        const struct mpdata_symbol *location,
                        struct mpdata_alloc_type *type);

/* Returns the type that a function of the C or C++ library allocates, by its
 * linkage name; an empty type if unknown. These libraries were not compiled
 * with the plugin and have no section. */
struct mpdata_alloc_type mpdata_alloc_types_of_library(const char *function);

void mpdata_alloc_types_fini(struct mpdata_alloc_types *types);
