/* diff.h -- compares two profiles: rows that are new, gone, grown or shrunk.
 * pairing.h decides which call stacks are the same.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/json_out.h"
#include "profdata/query/metrics.h"
#include "profdata/compare/pairing.h"

enum { MPDATA_DIFF_OLD, MPDATA_DIFF_NEW, MPDATA_DIFF_SIDES };

/* X(ID, name) */
#define MPDATA_DIFF_KINDS(X) \
    X(SAME, "unchanged")     \
    X(NEW, "new")            \
    X(GONE, "gone")          \
    X(GROWN, "grown")        \
    X(SHRUNK, "shrunk")

enum mpdata_diff_kind {
#define X(id, name) MPDATA_DIFF_##id##_KIND,
    MPDATA_DIFF_KINDS(X)
#undef X
        MPDATA_DIFF_KIND_COUNT
};

struct mpdata_diff_side {
    const struct mpdata_profile *profile; /* canonical; borrowed */
    struct mpdata_view view;
    struct mprof_mib totals;
    struct mpdata_run_totals runs;
    bool held[MPDATA_METRIC_COUNT];
    /* Divisors of its values: number of runs that measured them, or 1. */
    uint64_t per[MPDATA_METRIC_COUNT];
    uint32_t *next; /* owned; by context: the next one of its row, + 1 */
};

/* A call stack, function, type and so on, with the undivided values of both
 * profiles. */
struct mpdata_diff_row {
    /* By stack: the first context in each profile, + 1. By type, thread or
     * pool: string of the name, + 1 (string 0: unknown). Else: one of the
     * frames, + 1. 0: not in that profile. */
    uint32_t first[MPDATA_DIFF_SIDES];
    /* The metric was not measured in the same way in both. */
    bool is_unmeasured;
    uint64_t self[MPDATA_DIFF_SIDES];
    /* By stack, type, thread or pool: equal to self. */
    uint64_t total[MPDATA_DIFF_SIDES];
    uint64_t self_blocks[MPDATA_DIFF_SIDES]; /* divisors of lifetimes */
    uint64_t total_blocks[MPDATA_DIFF_SIDES];
};

struct mpdata_diff {
    struct mpdata_diff_side sides[MPDATA_DIFF_SIDES];
    enum mpdata_by by;
    enum mpdata_metric metric;
    bool is_held;    /* both profiles measured the metric; else no rows */
    bool is_per_run; /* compare per run: numbers of runs differ */
    /* Rows that changed, or all rows; the largest change first. Owned. */
    struct mpdata_diff_row *rows;
    uint32_t count;
    uint32_t kinds[MPDATA_DIFF_KIND_COUNT]; /* number of rows of each kind */
    uint32_t unmeasured; /* number of rows dropped because is_unmeasured */
};

struct mpdata_diff_options {
    enum mpdata_by by;
    enum mpdata_metric metric;
    /* Ignore `metric` and use the first of leaked, live, peak and allocated
     * bytes that both profiles measured and that changed; if none changed, the
     * first metric that both measured. */
    bool finds_metric;
    bool is_absolute; /* compare sums even if the numbers of runs differ */
    bool keeps_same;  /* also keep rows that did not change */
    bool is_average;  /* compare the average lifetime of a block, not sums */
};

/* A difference, rounded to an integer. */
struct mpdata_diff_change {
    bool is_less;
    uint64_t amount;
};

/* Compares two canonical profiles, old and new. Call _fini() even after a
 * failure. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_diff_make(struct mpdata_diff *diff,
                 const struct mpdata_profile *const profiles[2],
                 const struct mpdata_diff_options *options);
void mpdata_diff_fini(struct mpdata_diff *diff);

/* Return the difference of two values, and whether it is 0, after division by
 * the runs if is_per_run. */
struct mpdata_diff_change mpdata_diff_change(const struct mpdata_diff *diff,
                                             enum mpdata_metric metric,
                                             uint64_t old_value,
                                             uint64_t new_value);
bool mpdata_diff_is_same(const struct mpdata_diff *diff,
                         enum mpdata_metric metric, uint64_t old_value,
                         uint64_t new_value);
/* Returns a value after division by the runs of its side, rounded to an
 * integer. */
uint64_t mpdata_diff_value(const struct mpdata_diff *diff, int side,
                           enum mpdata_metric metric, uint64_t value);
/* Formats a growth: "+4.5 %", "<0.1 %"; from a factor of 10 on "x2,250"; from 0
 * "new"; "" if nothing changed. */
struct mpdata_number mpdata_diff_growth(const struct mpdata_diff *diff,
                                        enum mpdata_metric metric,
                                        uint64_t old_value, uint64_t new_value);
/* Formats a difference: "+1.5 KiB"; "-" if nothing changed. */
struct mpdata_number
mpdata_diff_change_text(const struct mpdata_diff *diff,
                        enum mpdata_metric metric,
                        const uint64_t values[MPDATA_DIFF_SIDES]);

/* Writes the members divided_by and divided_by_metric: metrics that fewer runs
 * measured. */
void mpdata_diff_divisors(const struct mpdata_diff_side *side,
                          struct mpdata_json_out *json);

/* Returns the name of a kind, such as "grown". */
const char *mpdata_diff_kind_name(enum mpdata_diff_kind kind);
enum mpdata_diff_kind mpdata_diff_kind(const struct mpdata_diff *diff,
                                       const struct mpdata_diff_row *row);

/* By stack: sums up the MIBs of a row's contexts in one profile, and combines
 * their flags (MPROF_CONTEXT_FL_*). AllocCount is 0 if there are none. */
void mpdata_diff_mib(const struct mpdata_diff *diff,
                     const struct mpdata_diff_row *row, int side,
                     struct mprof_mib *mib, uint32_t *flags);
/* By stack, for any metric that both profiles have: the first function returns
 * the value of a row in one profile. The second one tells whether the profiles
 * measured it in different ways, so that the values must not be compared. */
uint64_t mpdata_diff_metric(const struct mpdata_diff *diff,
                            const struct mpdata_diff_row *row, int side,
                            enum mpdata_metric metric);
bool mpdata_diff_is_unmeasured(const struct mpdata_diff *diff,
                               const struct mpdata_diff_row *row,
                               enum mpdata_metric metric);
