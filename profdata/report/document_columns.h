/* document_columns.h -- the columns of a page's data: the values at one index
 * of all columns are a row. Of two compared profiles, frames and nodes of the
 * new one come first, and a row is a call stack of both.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DOCUMENT_COLUMNS_H
#define MPDATA_DOCUMENT_COLUMNS_H

#include "profdata/base/vec.h"
#include "profdata/export/json_parts.h"
#include "profdata/judge/verdict.h"
#include "profdata/report/document.h"

struct mpdata_document_writer {
    const struct mpdata_document *document;
    struct mpdata_json_parts parts; /* of the current side */
    int side;
    bool is_held[MPROF_MIB_FIELDS];
    struct mpdata_profile *texts; /* its strings are the document's */
    struct mpdata_vec column;     /* uint32_t */
    struct mpdata_vec names;      /* uint32_t: strings that are C++ names */
    mpdata_ref *callers[MPDATA_DIFF_SIDES]; /* mpdata_wrappers_callers() */
    struct mpdata_verdicts verdicts; /* by context; for a single profile only */
    /* Numbers of the old profile's first frame and node. */
    uint32_t frame_base;
    uint32_t node_base;
    /* By number of a function in the pairing: its name in the new profile, as
     * number of a string; 0: none. */
    uint32_t *function_names;
    bool failed;
};

/* Makes `side` the current profile. */
void mpdata_document_columns_look_at(struct mpdata_document_writer *w,
                                     int side);

/* Write "frames", "nodes" and "contexts"; "compared"; the words to which the
 * columns "verdict" and "why" refer; "histograms", none for two profiles. */
void mpdata_document_columns_put(struct mpdata_document_writer *w);
void mpdata_document_columns_compared(struct mpdata_document_writer *w);
void mpdata_document_columns_verdicts(struct mpdata_document_writer *w);
void mpdata_document_columns_histograms(struct mpdata_document_writer *w);

#endif
