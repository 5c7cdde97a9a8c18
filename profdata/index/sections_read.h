/* sections_read.h -- our sections of an indexed file, into a profile: all of
 * them, or what chosen contexts refer to.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SECTIONS_READ_H
#define MPDATA_SECTIONS_READ_H

#include "profdata/base/vec.h"
#include "profdata/index/sections.h"
#include "profdata/model/profile.h"

/* Adds everything to *into, which is untouched where the file is refused: all
 * is checked first. Errors: those of mpdata_sections_check(), and the
 * profile's status. */
MPROF_NODISCARD enum mprof_err
mpdata_sections_read(struct mpdata_sections *sections,
                     struct mpdata_profile *into, struct mprof_diag *diag);

/* The same by rows. A row is checked when it is first read, and so is all that
 * it refers to, so nothing is looked at twice and nothing in vain. Errors are
 * sticky: after one nothing is read any more. */
struct mpdata_sections_reader {
    struct mpdata_sections *sections; /* borrowed */
    struct mpdata_profile *into;      /* borrowed */
    struct mprof_diag *diag;          /* borrowed, or NULL */
    enum mprof_err err;               /* the first */
    bool is_checked;                  /* all rows are, and decoded */
    bool is_first; /* into no nodes and contexts: rows keep their numbers */
    bool is_open[MPDATA_SECTIONS_END];
    /* Row of the file -> id of the profile, 0: not read yet; by section. */
    uint32_t *ids[MPDATA_SECTIONS_END];
    struct mprof_column *columns;      /* of all sections */
    struct mpdata_vec up;              /* uint32_t: rows on the way to a root */
    struct mpdata_cells_builder cells; /* of the context at hand */
    uint64_t next_histogram;           /* where the next context's may be */
    uint64_t next_listed;
};

/* Ends with mpdata_sections_read_end() in any case. */
void mpdata_sections_read_begin(struct mpdata_sections_reader *reader,
                                struct mpdata_sections *sections,
                                struct mpdata_profile *into,
                                struct mprof_diag *diag);
/* The first error, or the profile's status. */
MPROF_NODISCARD enum mprof_err
mpdata_sections_read_end(struct mpdata_sections_reader *reader);

/* Adds a context of the file, which must not be there yet: DUPLICATE. */
void mpdata_sections_read_context(struct mpdata_sections_reader *reader,
                                  uint64_t row);
/* Adds all binaries of which it is known whether they are instrumented. */
void mpdata_sections_read_binaries(struct mpdata_sections_reader *reader);
/* Adds all runs, and what is known of them over time. */
void mpdata_sections_read_runs(struct mpdata_sections_reader *reader);

/* Adds the parts that say what was left out of the file. */
void mpdata_sections_read_left_out(struct mpdata_sections_reader *reader);

/* A MIB of CONTEXTS, PARTS or TOTALS; zeros after an error. */
struct mprof_mib mpdata_sections_read_mib(struct mpdata_sections_reader *reader,
                                          uint32_t section, uint64_t row);

#endif
