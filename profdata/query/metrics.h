/* metrics.h -- the metrics of call stacks: one list for sorting, all views and
 * all exports.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/units.h"
#include "profdata/model/profile.h"
#include "profdata/query/run_totals.h"

/* X(ID, name, field, held, title, one, many)
 *
 *   name   on the command line
 *   field  of the MIB; a sum over blocks, so values of call stacks add up. It
 *          also gives the unit (shared/MIBDef.inc)
 *   held   rule that tells whether a profile has it: held_*() in metrics.c
 *   title  description
 *   one    text after the number 1, and
 *   many   after any other number; "" if the number has a unit */
#define MPDATA_METRICS(X)                                                     \
    X(BYTES, "bytes", TotalSize, bytes, "bytes allocated", "", "")            \
    X(BLOCKS, "blocks", AllocCount, blocks, "blocks allocated", "block",      \
      "blocks")                                                               \
    X(ACCESSES, "accesses", TotalAccessCount, accesses, "accesses", "access", \
      "accesses")                                                             \
    X(LIFETIME, "lifetime", TotalLifetimeNs, lifetimes,                       \
      "lifetime of all blocks", "", "")                                       \
    X(LIVE, "live", LiveBytes, live_bytes, "bytes live at the end", "live",   \
      "live")                                                                 \
    X(LIVE_BLOCKS, "live-blocks", LiveCount, live_blocks,                     \
      "blocks live at the end", "live block", "live blocks")                  \
    X(PEAK, "peak", PeakBytes, peak, "bytes at the peak", "at the peak",      \
      "at the peak")                                                          \
    X(PEAK_BLOCKS, "peak-blocks", PeakCount, peak, "blocks at the peak",      \
      "block at the peak", "blocks at the peak")                              \
    X(TEMPORARY, "temporary", TemporaryCount, temporary, "temporary blocks",  \
      "temporary block", "temporary blocks")                                  \
    X(READS, "reads", TotalReads, rw, "reads", "read", "reads")               \
    X(WRITES, "writes", TotalWrites, rw, "writes", "write", "writes")         \
    X(READ_BYTES, "read-bytes", TotalReadBytes, rw_bytes, "bytes read",       \
      "read", "read")                                                         \
    X(WRITE_BYTES, "write-bytes", TotalWriteBytes, rw_bytes, "bytes written", \
      "written", "written")                                                   \
    X(TRANSFERS, "transfers", TransferCount, threads,                         \
      "moves of cache lines between threads", "move of a cache line",         \
      "moves of cache lines")                                                 \
    X(LEAKED, "leaked", LeakedBytes, leaks, "bytes leaked", "leaked",         \
      "leaked")                                                               \
    X(LEAKED_BLOCKS, "leaked-blocks", LeakedCount, leaks, "blocks leaked",    \
      "leaked block", "leaked blocks")

enum mpdata_metric {
#define X(id, name, field, held, title, one, many) MPDATA_METRIC_##id,
    MPDATA_METRICS(X)
#undef X
        MPDATA_METRIC_COUNT
};

/* String literals: each name followed by a blank, for help; each preceded by
 * one, for the end of a sentence. */
#define MPDATA_METRIC_WORD_(id, name, field, held, title, one, many) " " name
#define MPDATA_METRIC_WORDS MPDATA_METRICS(MPDATA_METRIC_WORD_)
#define MPDATA_METRIC_NAME_(id, name, field, held, title, one, many) name " "
#define MPDATA_METRIC_NAMES MPDATA_METRICS(MPDATA_METRIC_NAME_)

struct mpdata_metric_row {
    const char *name;
    const char *title;
    const char *one;
    const char *many;
    size_t field; /* index in mprof_mib_fields[], which has the unit */
};

/* Indexed by enum mpdata_metric. */
extern const struct mpdata_metric_row mpdata_metrics[MPDATA_METRIC_COUNT];

/* Returns the title; is_now: live values are from the middle of a run, not from
 * its end. */
const char *mpdata_metrics_title(enum mpdata_metric metric, bool is_now);

/* Bytes and blocks that were live at one moment, or were allocated in total. */
struct mpdata_metric_pair {
    enum mpdata_metric bytes, blocks;
};

/* Returns the pair for the moment of a metric. */
struct mpdata_metric_pair mpdata_metrics_pair(enum mpdata_metric metric);

/* Finds a metric by name. Returns false if there is none. */
bool mpdata_metrics_find(const char *name, enum mpdata_metric *metric);

uint64_t mpdata_metrics_get(const struct mprof_mib *mib,
                            enum mpdata_metric metric);

/* Like mpdata_metrics_get(), for the MIB of a context. */
static inline uint64_t mpdata_metrics_value(const struct mpdata_view *view,
                                            uint32_t context,
                                            enum mpdata_metric metric)
{
    return mpdata_view_mib_field(view, context, mpdata_metrics[metric].field);
}

/* Rows are compared by sums, but lifetimes by that of a block: a sum of
 * lifetimes depends more on the number of blocks than on how long they lived.
 * Returns the index of BLOCKS in metrics[] if the first metric is LIFETIME,
 * else 0. */
size_t mpdata_metrics_divisor(const enum mpdata_metric *metrics, size_t count);
/* Returns what rows are compared by and shown with, values[0] or the average;
 * not 0 unless values[0] is. */
uint64_t mpdata_metrics_rank(const uint64_t *values, size_t divisor);

/* Formats a value with its unit but without the word after it: "1.5 KiB". */
struct mpdata_number mpdata_metrics_text(enum mpdata_metric metric,
                                         uint64_t value);
/* The same after "~" if the value is an estimate and not 0. */
struct mpdata_number mpdata_metrics_estimate(enum mpdata_metric metric,
                                             uint64_t value, bool is_estimate);
/* Formats a value with its unit and the word after it: "3 blocks". */
struct mpdata_number mpdata_metrics_phrase(enum mpdata_metric metric,
                                           uint64_t value);

/* Finds the field with the variance of a metric's sum, as index in
 * mprof_mib_fields[]. Returns false if no blocks were sampled or the metric has
 * no variance. */
bool mpdata_metrics_variance(const struct mprof_mib *mib,
                             enum mpdata_metric metric, size_t *field);

/* Computes the standard error of a metric's sum. Returns false if no blocks
 * were sampled or the metric has no variance. */
bool mpdata_metrics_error(const struct mprof_mib *mib,
                          enum mpdata_metric metric, uint64_t *error);

/* Was the metric measured, according to the sum of all contexts and the runs?
 * If not, its value must not be shown as 0. */
bool mpdata_metrics_is_held(enum mpdata_metric metric,
                            const struct mprof_mib *totals,
                            const struct mpdata_run_totals *runs);

/* Returns the end of a sentence about a metric that was not measured: how to
 * measure it, or "". */
const char *mpdata_metrics_how(enum mpdata_metric metric);

/* Sets held[] for all metrics of a profile. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_metrics_held(const struct mpdata_profile *profile,
                    bool held[MPDATA_METRIC_COUNT]);

/* Were accesses to these blocks counted? Not in a file of LLVM's with only the
 * fields that its compiler needs. */
bool mpdata_metrics_has_accesses(const struct mprof_mib *mib);

/* Returns the number of runs that a sum over a metric is of, at least 1. */
uint64_t mpdata_metrics_runs(enum mpdata_metric metric,
                             const struct mpdata_run_totals *runs);

/* Were lifetimes recorded for this context? Not by most other tools. */
bool mpdata_metrics_has_lifetime(const struct mpdata_context *context,
                                 const struct mprof_mib *mib,
                                 const struct mpdata_run_totals *runs);

/* Was the metric measured for this context? */
bool mpdata_metrics_is_measured(enum mpdata_metric metric,
                                const struct mpdata_view *view,
                                uint32_t context);
