/* profile_output.h -- commands that read profiles as one and write it for
 * another reader.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PROFILE_OUTPUT_H
#define MPDATA_PROFILE_OUTPUT_H

#include "profdata/cmd/cmd.h"
#include "profdata/cmd/filter_options.h"
#include "profdata/cmd/input_options.h"
#include "profdata/cmd/symbol_options.h"
#include "profdata/export/formats.h"
#include "profdata/load/load_all.h"
#include "profdata/model/content.h"

struct profile_output {
    const char *output; /* "-": standard output */
    enum mpdata_metric metric;
    bool no_verify;
    bool no_symbols;
    bool has_inputs; /* named, though a directory may be empty */
    struct cmd_symbols symbols;
    struct cmd_filter filter;
    struct mpdata_inputs inputs;
    /* From here on, this file's. */
    const char **words;
    struct mpdata_input input; /* the one that was read last */
    struct mpdata_load_context load;
    struct mpdata_content content;
    struct cmd_warned warned;
    struct mpdata_diag_warn warn;
    bool held[MPDATA_METRIC_COUNT]; /* by the profile; after the load */
};

/* The members before `words` are the caller's to set. All of these return an
 * exit code, after they have said why. Fini is due either way. */
int profile_output_init(struct profile_output *p, const struct cmd_call *call);
void profile_output_fini(struct profile_output *p);

/* Takes the name of an input. */
int profile_output_add(struct profile_output *p, const char *name);

int profile_output_load(struct profile_output *p);
int profile_output_write(struct profile_output *p, mpdata_format_fn *write);

#endif
