/* diff.h -- what two profiles differ in: rows of what is new, gone, more or
 * less. Which call stacks are the same one is pairing.h's.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DIFF_H
#define MPDATA_DIFF_H

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
    uint64_t per;   /* what its numbers are to be divided by; at least 1 */
    uint32_t *next; /* by context: another one of its row, + 1. Owned */
};

/* A call stack, function, type ... Numbers are those of the profiles. */
struct mpdata_diff_row {
    /* By stack: the first context of each profile, + 1; by name its string, + 1
     * (string 0: what no name is known of); else one of the frames, + 1. 0:
     * that profile has none. */
    uint32_t first[MPDATA_DIFF_SIDES];
    bool is_unmeasured; /* one of them was not seen as the other was */
    uint64_t self[MPDATA_DIFF_SIDES];
    uint64_t total[MPDATA_DIFF_SIDES]; /* by stack or name the same */
};

struct mpdata_diff {
    struct mpdata_diff_side sides[MPDATA_DIFF_SIDES];
    enum mpdata_pairing_by by;
    enum mpdata_metric metric;
    bool is_held;    /* both measured it; else there are no rows */
    bool is_per_run; /* as they are of different numbers of runs */
    /* Those that changed, or all; most changed first. Owned. */
    struct mpdata_diff_row *rows;
    uint32_t count;
    uint32_t kinds[MPDATA_DIFF_KIND_COUNT]; /* how many rows of each */
    uint32_t unmeasured;                    /* rows left out for that */
};

struct mpdata_diff_options {
    enum mpdata_pairing_by by;
    enum mpdata_metric metric;
    /* Instead of `metric`: the first of leaked, live and peak bytes and bytes
     * allocated that both measured and that changed; where none did, the first
     * metric that both measured. */
    bool finds_metric;
    bool is_absolute; /* compare sums, however many runs there are */
    bool keeps_same;  /* rows of what did not change, too */
};

/* A change, to the nearest whole number. */
struct mpdata_diff_change {
    bool is_less;
    uint64_t amount;
};

/* Fini is due either way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_diff_make(struct mpdata_diff *diff,
                 const struct mpdata_profile *const profiles[2],
                 const struct mpdata_diff_options *options);
void mpdata_diff_fini(struct mpdata_diff *diff);

/* What numbers of both profiles differ by, and whether that is nothing. */
struct mpdata_diff_change mpdata_diff_change(const struct mpdata_diff *diff,
                                             uint64_t old_value,
                                             uint64_t new_value);
bool mpdata_diff_is_same(const struct mpdata_diff *diff, uint64_t old_value,
                         uint64_t new_value);
/* A number of a profile as it is compared, to the nearest whole one. */
uint64_t mpdata_diff_value(const struct mpdata_diff *diff, int side,
                           uint64_t value);
/* By how much: "+4.5 %", "<0.1 %"; to ten times and more "x2,250"; from nothing
 * "new"; "" where nothing changed. In out[0..size), for which MPDATA_UNIT_BYTES
 * is room enough; returns `out`. */
const char *mpdata_diff_growth(const struct mpdata_diff *diff,
                               uint64_t old_value, uint64_t new_value,
                               char *out, size_t size);

/* "grown" and so on. */
const char *mpdata_diff_kind_name(enum mpdata_diff_kind kind);
enum mpdata_diff_kind mpdata_diff_kind(const struct mpdata_diff *diff,
                                       const struct mpdata_diff_row *row);

/* By stack: the sum of what one profile has of a row, and the flags of all
 * (MPROF_CONTEXT_FL_*). Its AllocCount is 0 where it has none. */
void mpdata_diff_mib(const struct mpdata_diff *diff,
                     const struct mpdata_diff_row *row, int side,
                     struct mprof_mib *mib, uint32_t *flags);
/* By stack, of any metric that both hold: what one profile has of a row; and
 * whether one of them did not see the row's blocks as the other did, so that
 * their numbers are not to be compared. */
uint64_t mpdata_diff_metric(const struct mpdata_diff *diff,
                            const struct mpdata_diff_row *row, int side,
                            enum mpdata_metric metric);
bool mpdata_diff_is_unmeasured(const struct mpdata_diff *diff,
                               const struct mpdata_diff_row *row,
                               enum mpdata_metric metric);

#endif
