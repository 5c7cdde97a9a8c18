/* symbolize.h -- the frames of raw dumps: finds the binaries and asks the
 * symbolizer for each address once.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SYMBOLIZE_H
#define MPDATA_SYMBOLIZE_H

#include "profdata/symbols/alloc_types.h"
#include "profdata/symbols/binaries.h"
#include "profdata/base/diag.h"
#include "profdata/base/map.h"
#include "profdata/load/dumps.h"
#include "profdata/raw/raw.h"
#include "profdata/symbols/symbolizer.h"

struct mpdata_content;    /* content.h */
struct mpdata_raw_filter; /* raw_filter.h */
struct mpdata_location;   /* symbolize.c: an address that was looked up */

/* What the inputs of one profile share. Zero-initialise, set content and warn,
 * end with mpdata_symbolize_fini(), which does not free the content. */
struct mpdata_load_context {
    struct mpdata_content *content; /* borrowed */
    /* Nothing is read of indexed files and texts but their call stacks. */
    bool is_heap_only;
    /* Frames of raw dumps stay addresses; binaries are looked for where an LLVM
     * dump does not tell without them what its addresses are. */
    bool no_symbols;
    /* Frames with a function say which binary they are in as well, which files
     * have no room for: to be looked at, not to be written. */
    bool keeps_binaries;
    /* Inputs that do not know it are refused. */
    bool needs_binaries;
    const struct mpdata_diag_warn *warn; /* borrowed */
    /* Which call stacks are wanted; NULL: all. Then inputs whose call stacks do
     * not say what is asked for are refused. */
    struct mpdata_raw_filter *filter; /* borrowed */
    struct mpdata_binaries binaries;
    struct mpdata_symbolizer symbolizer;
    struct mpdata_alloc_types types;
    struct mpdata_dumps dumps;         /* that wait */
    struct mpdata_location *locations; /* cache of looked-up addresses */
    uint32_t location_count;
    uint32_t location_capacity;
    struct mpdata_map location_map;
    mpdata_ref *frames; /* of all locations */
    size_t frame_count;
    size_t frame_capacity;
};

void mpdata_symbolize_fini(struct mpdata_load_context *load);

/* The source-level frames of one raw frame: frames of the load's profile,
 * innermost first. */
struct mpdata_symbolized {
    const mpdata_ref *frames;
    mpdata_ref address; /* where no name is known: the only frame */
    uint32_t count;
    bool is_runtime;     /* in a file of LLVM's runtime: never shown */
    bool is_runtime_top; /* so by its name: not shown as the leaf of a stack */
    bool has_debug;      /* names are those of debug information */
    enum mpdata_code_kind code;
};

/* The frames of a dump: (*frames)[i] for raw->frames[i], freed by the caller
 * with free(). `file` names the input in messages. Errors: NO_BINARY where none
 * of an LLVM dump's binaries was given, BUILD_ID where the program changed
 * since the run, NO_SYMBOLIZER, NOMEM. */
MPROF_NODISCARD enum mprof_err mpdata_symbolize_frames(
    struct mpdata_load_context *load, struct mpdata_raw *raw, const char *file,
    struct mpdata_symbolized **frames, struct mprof_diag *diag);

/* Is it known whether the binary is instrumented? */
static inline bool
mpdata_symbolize_is_known(const struct mpdata_raw_module *module)
{
    return (module->flags & (MPROF_RAW_MODULE_FL_INSTRUMENTED |
                             MPROF_RAW_MODULE_FL_NOT_INSTRUMENTED)) != 0;
}

#endif
