/* symbol_options.c -- where function names come from.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/symbol_options.h"

#include <string.h>

int symbol_options_take(void *field, const struct cmd_command *command,
                        const struct cmd_option *option, const char *value)
{
    struct cmd_symbols *const symbols = (struct cmd_symbols *)field;

    (void)command;
    if (strcmp(option->name, "profiled-binary") == 0)
        symbols->binaries[symbols->binary_count++] = value;
    else if (strcmp(option->name, "debug-dir") == 0)
        symbols->dirs[symbols->dir_count++] = value;
    else
        symbols->no_cache = true;
    return 0;
}

int symbol_options_setup(const struct cmd_symbols *symbols,
                         struct mpdata_load_context *load)
{
    load->symbolizer.use_cache = !symbols->no_cache;
    load->binaries.debug.dirs = symbols->dirs;
    load->binaries.debug.count = symbols->dir_count;
    for (size_t i = 0; i < symbols->binary_count; i++) {
        struct mprof_diag diag;

        if (mpdata_binaries_add_given(&load->binaries, symbols->binaries[i],
                                      &diag) != MPROF_E_OK)
            return cmd_fail(&diag);
    }
    return 0;
}

static char *demangle(void *context, const char *name)
{
    return mpdata_bridge_demangle((struct mpdata_symbolizer *)context, name);
}

struct mpdata_demangler
symbol_options_demangler(struct mpdata_load_context *load)
{
    return (struct mpdata_demangler){.demangle = demangle,
                                     .context = &load->symbolizer};
}
