/* document_parts.h -- the parts of a page's data, a file each.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/vec.h"
#include "profdata/export/json_parts.h"
#include "profdata/judge/verdict.h"
#include "profdata/report/document.h"
#include "profdata/export/formats.h"

struct mpdata_document_writer {
    const struct mpdata_document *document;
    struct mpdata_json_parts parts; /* of the current side */
    int side;
    bool is_held[MPROF_MIB_FIELDS];
    struct mpdata_profile *texts; /* its strings are the document's */
    struct mpdata_vec column;     /* uint32_t */
    struct mpdata_vec names;      /* uint32_t: strings that are C++ names */
    mpdata_ref *callers[MPDATA_DIFF_SIDES]; /* mpdata_wrappers_callers() */
    bool *starts[MPDATA_DIFF_SIDES]; /* by frame: of start-up, in any stack */
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

/* -- document_tagged.c --------------------------------------------------- */

/* Writes "threads": allocations by thread name and call stack, unless all
 * threads have one name; and "pools": allocations by pool name and call stack.
 * Names are numbers of strings of `texts`. Returns false when out of memory. */
bool mpdata_document_tagged_put(struct mpdata_json_parts *parts,
                                struct mpdata_profile *texts);

/* -- document_time.c ----------------------------------------------------- */

/* Writes "series": the memory of runs over time. */
void mpdata_document_time_series(struct mpdata_json_parts *parts);

/* Writes "spreads": distributions of sizes and lifetimes by powers of two, of
 * call stacks that have them. */
void mpdata_document_time_spreads(struct mpdata_json_parts *parts);

/* Writes "links": the call stacks that replaced or freed another one's blocks.
 */
void mpdata_document_time_links(struct mpdata_json_parts *parts);

/* Writes "moments", unless count is 0: moments, and by context the blocks that
 * lived from one to another. */
void mpdata_document_time_moments(struct mpdata_json_parts *parts,
                                  const uint64_t *ns, uint32_t count);

/* -- document_types.c ---------------------------------------------------- */

/* Writes "types", unless there are none: types with their members and the
 * accesses to these. Returns false when out of memory. */
bool mpdata_document_types_put(struct mpdata_json_parts *parts);

/* -- document_groups.c --------------------------------------------------- */

/* Writes "groups", unless there are none: groups of call stacks whose blocks
 * are used together (judge/pool_groups.h). Returns false when out of memory. */
bool mpdata_document_groups_put(struct mpdata_json_parts *parts,
                                struct mpdata_verdicts *verdicts);

/* -- document_advice.c --------------------------------------------------- */

/* Writes "advice", unless there is none: the first rows of advice (advice.h)
 * without those that a comment in the source silences, and "advice_count", how
 * many there are. Returns false when out of memory. */
bool mpdata_document_advice_put(struct mpdata_json_parts *parts);

/* -- sources.c ----------------------------------------------------------- */

/* Writes "sources": [{"file", "lines": [[first, "text", ...], ...]}, ...]. A
 * file that could not be read has "missing": true instead of lines; a file that
 * is newer than the profile's last run has "changed": true. Reads only files
 * with names of source files: a profile from elsewhere must not cause other
 * files to be copied into a page that is passed on. */
void mpdata_sources_put(struct mpdata_json_parts *parts);

/* -- changes.c ----------------------------------------------------------- */

/* Both functions append lines. Error: NOMEM. */

/* Appends notes: what was not compared, and how values are compared. */
MPROF_NODISCARD enum mprof_err
mpdata_changes_notes(const struct mpdata_compared *compared,
                     struct mprof_buf *lines);

/* Appends how much the most important metrics changed, how many call stacks
 * changed, and which ones most. */
MPROF_NODISCARD enum mprof_err mpdata_changes_findings(
    const struct mpdata_compared *compared,
    const struct mpdata_export *const profiles[MPDATA_DIFF_SIDES],
    struct mprof_buf *lines);

/* sentences.c -- sentences of a page about a profile. */

/* Both functions append lines. Error: NOMEM. */

/* Appends notes: what was not measured, truncated or estimated. */
MPROF_NODISCARD enum mprof_err
mpdata_sentences_notes(const struct mpdata_export *what,
                       struct mprof_buf *lines);

/* Appends findings, the most important one first. */
MPROF_NODISCARD enum mprof_err
mpdata_sentences_findings(const struct mpdata_export *what,
                          struct mprof_buf *lines);

/* Appends a function's name on one line; shortens `name` in place. */
void mpdata_sentences_function(struct mpdata_sink *out, char *name);
