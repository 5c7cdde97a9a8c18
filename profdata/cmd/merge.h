/* merge.h -- what `memprofdata merge` works on: filled from its options, then
 * read (merge_load.c) and written (merge_write.c).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_CMD_MERGE_H
#define MPDATA_CMD_MERGE_H

#include "profdata/cmd/session.h"
#include "profdata/model/index_options.h"

/* When inputs that cannot be used make the command fail. */
enum merge_failure_mode {
    MERGE_FAIL_ANY, /* one of them */
    MERGE_FAIL_ALL, /* all of them */
    MERGE_FAIL_NEVER
};

struct merge {
    struct session session;
    bool has_inputs; /* by other options than words */
    enum merge_failure_mode failure_mode;
    uint64_t threads; /* 0: as many as there are processors */
    bool is_text;     /* JSON is written */
    struct mpdata_index_options index;
};

/* Reads all inputs into the content of the new profile and says what became of
 * them: 0, or an exit status. */
int merge_load(struct merge *m);

/* Prunes the content of the new profile and writes it: 0, or an exit status. */
int merge_write(struct merge *m);

#endif
