/* merge.h -- what `memprofdata merge` works on: filled from its options, then
 * read (merge_load.c) and written (merge_write.c).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_CMD_MERGE_H
#define MPDATA_CMD_MERGE_H

#include "profdata/cmd/filter_options.h"
#include "profdata/cmd/symbol_options.h"
#include "profdata/load/inputs.h"
#include "profdata/model/content.h"
#include "profdata/model/index_options.h"
#include "profdata/model/prune.h"

/* When inputs that cannot be used make the command fail. */
enum merge_failure_mode {
    MERGE_FAIL_ANY, /* one of them */
    MERGE_FAIL_ALL, /* all of them */
    MERGE_FAIL_NEVER
};

/* Zero-initialise; mpdata_inputs_init() for the inputs. */
struct merge {
    const char *output;
    struct cmd_symbols symbols;
    struct mpdata_inputs inputs;
    bool has_inputs; /* named, though a directory may be empty */
    enum merge_failure_mode failure_mode;
    bool no_verify;
    uint64_t threads; /* 0: as many as there are processors */
    bool is_text;     /* JSON is written */
    struct mpdata_index_options index;
    struct mpdata_prune prune;
    struct cmd_filter filter;
    struct mpdata_content content;
    struct mpdata_load_context load;
};

/* Reads all inputs into m->content and says what became of them: 0, or an exit
 * status. */
int merge_load(struct merge *m);

/* Prunes m->content and writes it: 0, or an exit status. */
int merge_write(struct merge *m);

#endif
