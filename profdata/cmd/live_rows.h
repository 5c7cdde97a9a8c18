/* live_rows.h -- the page of memprofdata live: sums of a profile and its call
 * stacks, and what changed since earlier profiles of the same run.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/query/top_list.h"
#include "profdata/view/show.h"

#include <stdio.h>

/* What is remembered of a call stack. */
struct live_row {
    uint64_t key; /* hash of its frames */
    uint64_t live_bytes;
    uint64_t blocks; /* allocated */
};

struct live_sample {
    struct live_row *rows; /* owned, ascending by key */
    uint32_t count;
    uint64_t ns; /* since the start of the run */
    uint64_t blocks;
    uint64_t bytes;
    uint64_t live_bytes;
};

struct live_rows {
    struct live_sample base;   /* growth is since then */
    struct live_sample last;   /* the last page's */
    struct live_sample before; /* rates are since then */
    const char *filter;        /* rows must have this text; "": all */
};

/* Prints a page of at most `rows` rows, of the last profile or a newer one.
 * Error: NOMEM. */
enum mprof_err live_rows_print(struct live_rows *live, FILE *out, size_t rows,
                               const struct mpdata_profile *profile,
                               const struct show_options *options,
                               const struct mpdata_demangler *demangler);
/* Growth begins at the next page. */
void live_rows_restart(struct live_rows *live);
void live_rows_fini(struct live_rows *live);
