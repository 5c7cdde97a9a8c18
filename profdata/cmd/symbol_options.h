/* symbol_options.h -- the options of merge and show that say where function
 * names come from.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SYMBOL_OPTIONS_H
#define MPDATA_SYMBOL_OPTIONS_H

#include "profdata/cmd/cmd.h"
#include "profdata/load/symbolize.h"
#include "profdata/query/frame_names.h"

/* Rows of a table of options; field: where the state has its struct
 * cmd_symbols. */
#define CMD_SYMBOL_OPTIONS(field)                                          \
    {"profiled-binary",                                                    \
     0,                                                                    \
     "PATH",                                                               \
     "the program or a library that was profiled, found by its build id, " \
     "or a directory of them; may be given several times. Needed for "     \
     "LLVM's raw files only, and where a binary has moved",                \
     symbol_options_take,                                                  \
     field},                                                               \
        {"debug-dir",                                                      \
         0,                                                                \
         "DIR",                                                            \
         "look for debug information in DIR: by build id, also in "        \
         "DIR/.build-id, by the binary's path, by its debug link; may be " \
         "given several times. Without it: beside the binary, in "         \
         "/usr/lib/debug, and at $DEBUGINFOD_URLS",                        \
         symbol_options_take,                                              \
         field},                                                           \
    {                                                                      \
        "no-cache", 0, NULL,                                               \
            "find all function names anew; else they are kept in "         \
            "$XDG_CACHE_HOME/memprof or ~/.cache/memprof",                 \
            symbol_options_take, field                                     \
    }

/* What was given: arrays with room for all words. */
struct cmd_symbols {
    const char **binaries;
    size_t binary_count;
    const char **dirs;
    size_t dir_count;
    bool no_cache;
};

/* Takes one of the options. */
cmd_take_fn symbol_options_take;

/* Gives a load context what was taken: 0, or an exit status after a message. */
int symbol_options_setup(const struct cmd_symbols *symbols,
                         struct mpdata_load_context *load);

/* What the load context's symbolizer knows of linkage names; borrows it. */
struct mpdata_demangler
symbol_options_demangler(struct mpdata_load_context *load);

#endif
