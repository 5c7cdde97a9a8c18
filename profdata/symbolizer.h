/* symbolizer.h -- names for addresses. LLVM's library is loaded at the first
 * question and not before: a command that needs no names does not pay for it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SYMBOLIZER_H
#define MPDATA_SYMBOLIZER_H

#include "profdata/symbolizer_bridge.h"
#include "shared/err.h"

/* Zero-initialise; end with mpdata_symbolizer_fini(). */
struct mpdata_symbolizer {
    void *library;
    const struct mpdata_bridge *bridge;
    void *self;
    bool failed; /* was tried and cannot be loaded */
};

/* Loads the bridge unless that was done. Error: NO_SYMBOLIZER. */
MPROF_NODISCARD enum mprof_err
mpdata_symbolizer_load(struct mpdata_symbolizer *symbolizer,
                       struct mprof_diag *diag);
void mpdata_symbolizer_fini(struct mpdata_symbolizer *symbolizer);

/* How much is known of an address. */
enum mpdata_symbol_source {
    MPDATA_SYMBOL_NONE,  /* nothing */
    MPDATA_SYMBOL_TABLE, /* a name from the symbol table, perhaps a line */
    MPDATA_SYMBOL_DEBUG  /* debug information, as llvm-profdata asks for */
};

typedef void mpdata_symbolizer_fn(void *context,
                                  enum mpdata_symbol_source source,
                                  const struct mpdata_symbol *symbols,
                                  size_t count);

/* Calls fn once with the frames at a link-time address of the ELF file at
 * `path`, innermost first (source NONE: none). Must be loaded. What LLVM says
 * of a file that it cannot read goes to *diag; fn is not called then. */
MPROF_NODISCARD enum mprof_err
mpdata_symbolizer_lookup(struct mpdata_symbolizer *symbolizer, const char *path,
                         uint64_t address, mpdata_symbolizer_fn *fn,
                         void *context, struct mprof_diag *diag);

/* A name for people, malloc'd; the name itself where the library cannot be
 * loaded. NULL without memory. */
char *mpdata_symbolizer_demangle(struct mpdata_symbolizer *symbolizer,
                                 const char *name);

#endif
