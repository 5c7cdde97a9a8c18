/* symbolize.h -- converts the addresses of raw dumps to frames: finds the
 * binaries and asks the symbolizer once for each address.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/symbols/alloc_types.h"
#include "profdata/symbols/binaries.h"
#include "profdata/base/diag.h"
#include "profdata/base/set.h"
#include "profdata/load/dumps.h"
#include "profdata/raw/raw.h"
#include "profdata/symbols/symbolizer.h"

struct mpdata_content;      /* content.h */
struct mpdata_event_choice; /* event_choice.h */
struct mpdata_raw_filter;   /* raw_filter.h */

/* What all inputs of one profile share. Zero-initialize, set content and warn,
 * end with mpdata_symbolize_fini(), which does not free the content. */
struct mpdata_load_context {
    struct mpdata_content *content; /* borrowed */
    /* Read only the call stacks and their memory info blocks of indexed files
     * and texts. */
    bool is_heap_only;
    /* Frames of raw dumps stay addresses. Binaries are opened only if an LLVM
     * dump needs them to compute its addresses. */
    bool no_symbols;
    /* Frames with a function name also keep their binary. Files cannot store
     * it, so the profile is for display only. */
    bool keeps_binaries;
    /* Refuse inputs whose frames do not name their binaries. */
    bool needs_binaries;
    /* The outermost frame of each call stack names the build of its program.
     * Refuse inputs that do not record it. */
    bool by_build;
    /* Functions get the start of the newest run with them. */
    bool dates_functions;
    const struct mpdata_diag_warn *warn; /* borrowed */
    /* Told of a profile that cannot be used and that others follow in its file;
     * returns whether to load these. NULL: do not. */
    bool (*report)(void *context, const struct mprof_diag *diag);
    void *report_context;
    uint64_t loaded; /* profiles so far; a file may hold several */
    /* Conditions for call stacks; NULL: keep all. With conditions, inputs that
     * lack the needed information are refused. */
    struct mpdata_raw_filter *filter; /* borrowed */
    /* Which blocks of a log count; NULL: all. For one input. */
    struct mpdata_event_choice *choice; /* borrowed */
    struct mpdata_binaries binaries;
    struct mpdata_symbolizer symbolizer;
    struct mpdata_alloc_types types;
    struct mpdata_dumps dumps;   /* pending dumps */
    struct mpdata_set locations; /* struct mpdata_location: symbolize.c */
    struct mpdata_vec frames;    /* mpdata_ref: of all locations */
};

void mpdata_symbolize_fini(struct mpdata_load_context *load);

/* The source-level frames of one raw frame: references to frames of the load's
 * profile, innermost first. */
struct mpdata_symbolized {
    const mpdata_ref *frames;
    mpdata_ref address; /* the only frame if no name is known */
    uint32_t count;
    bool is_runtime; /* in a source file of LLVM's runtime: dropped */
    /* Named like an allocation function: dropped if it is the leaf. */
    bool is_runtime_top;
    bool has_debug; /* names come from debug information */
    enum mpdata_code_kind code;
};

/* Symbolizes all frames of a dump: (*frames)[i] belongs to raw->frames[i]. The
 * caller frees *frames with free(). `file` names the input in messages. Errors:
 * NO_BINARY if none of an LLVM dump's binaries was given, BUILD_ID if the
 * program changed since the run, NO_SYMBOLIZER, NOMEM. */
MPROF_NODISCARD enum mprof_err mpdata_symbolize_frames(
    struct mpdata_load_context *load, struct mpdata_raw *raw, const char *file,
    struct mpdata_symbolized **frames, struct mprof_diag *diag);

/* Does the dump say whether the binary is instrumented? */
static inline bool
mpdata_symbolize_is_known(const struct mpdata_raw_module *module)
{
    return (module->flags & (MPROF_RAW_MODULE_FL_INSTRUMENTED |
                             MPROF_RAW_MODULE_FL_NOT_INSTRUMENTED)) != 0;
}

/* modules.c -- finds the file on this machine for each binary that a dump
 * lists. */

/* What the loader knows of a binary that a dump lists. */
struct mpdata_module {
    uint32_t binary_ref; /* index into binaries->files + 1; 0: not found */
    bool is_used;        /* a frame lies in the binary */
    bool needs_names;    /* the dump does not name all of these frames */
    uint64_t blocks;     /* blocks allocated by the binary's own code */
    const char *problem; /* why the file was found but is unusable; a literal */
};

/* Finds the file of each binary of a dump: by build id among the files that the
 * user gave, else (our format only) at the recorded path if the build id
 * matches. Corrects the addresses of an LLVM dump by the file's program
 * headers. Calls `warn` for a binary without a file if names get lost. Sets
 * (*modules)[i] for raw->modules[i]; the caller frees *modules with free().
 * Errors: BUILD_ID, NO_BINARY, NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_modules_resolve(struct mpdata_binaries *binaries, struct mpdata_raw *raw,
                       const char *file, const struct mpdata_diag_warn *warn,
                       struct mpdata_module **modules, struct mprof_diag *diag);

/* Like mpdata_modules_resolve(), but opens no file: no binary is found. Error:
 * NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_modules_leave(const struct mpdata_raw *raw,
                     struct mpdata_module **modules, struct mprof_diag *diag);

/* shared_libs.c -- finds the libraries that a program is linked with, as the
 * dynamic linker does. LLVM's raw files record build ids without paths, so the
 * libraries have to be found before their build ids can be compared. */

/* Adds the libraries that the binaries need, and recursively the libraries that
 * those need. Reads each binary once. Skips libraries that are not found or
 * cannot be read. */
void mpdata_shared_libs_add(struct mpdata_binaries *binaries);

/* add_dump.c -- adds raw dumps to a profile: converts call stacks of addresses
 * to call stacks of source-level frames. */

/* Adds the call stacks of a dump to load->content->profile: nodes[i] becomes
 * the node of raw->nodes[i]. Errors: those of mpdata_symbolize_frames(). */
MPROF_NODISCARD enum mprof_err
mpdata_add_dump_nodes(struct mpdata_load_context *load, struct mpdata_raw *raw,
                      const char *file, mpdata_ref *nodes,
                      struct mprof_diag *diag);
/* Adds a dump to load->content->profile. `file` names the input in messages.
 * Errors: those of mpdata_symbolize_frames(). */
MPROF_NODISCARD enum mprof_err mpdata_add_dump(struct mpdata_load_context *load,
                                               struct mpdata_raw *raw,
                                               const char *file,
                                               struct mprof_diag *diag);
