/* metrics.h -- what the call stacks of a profile are compared by: one list, for
 * sorting, every view and every export.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_METRICS_H
#define MPDATA_METRICS_H

#include "profdata/model/profile.h"
#include "profdata/query/run_totals.h"

/* X(ID, name, field, held, title, one, many)
 *   name   on the command line
 *   field  of the MIB. A sum, so that what call stacks have adds up; its unit
 *          is the field's (shared/MIBDef.inc)
 *   held   when a profile holds it: held_*() of metrics.c
 *   title  what it is, in words
 *   one    what stands behind the number 1, and
 *   many   behind any other; "" where the number says it */
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
    X(PEAK, "peak", PeakBytes, peaks, "bytes at a run's peak", "at the peak", \
      "at the peak")                                                          \
    X(PEAK_BLOCKS, "peak-blocks", PeakCount, peaks, "blocks at a run's peak", \
      "block at the peak", "blocks at the peak")                              \
    X(TEMPORARY, "temporary", TemporaryCount, peaks, "temporary blocks",      \
      "temporary block", "temporary blocks")                                  \
    X(READS, "reads", TotalReads, rw, "reads", "read", "reads")               \
    X(WRITES, "writes", TotalWrites, rw, "writes", "write", "writes")         \
    X(READ_BYTES, "read-bytes", TotalReadBytes, rw_bytes, "bytes read",       \
      "read", "read")                                                         \
    X(WRITE_BYTES, "write-bytes", TotalWriteBytes, rw_bytes, "bytes written", \
      "written", "written")                                                   \
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

/* Literals: each name, with a space behind it, for help; with one in front of
 * it, for the end of a sentence. */
#define MPDATA_METRIC_WORD_(id, name, field, held, title, one, many) " " name
#define MPDATA_METRIC_WORDS MPDATA_METRICS(MPDATA_METRIC_WORD_)
#define MPDATA_METRIC_NAME_(id, name, field, held, title, one, many) name " "
#define MPDATA_METRIC_NAMES MPDATA_METRICS(MPDATA_METRIC_NAME_)

struct mpdata_metric_row {
    const char *name;
    const char *title;
    const char *one;
    const char *many;
    size_t field; /* index in mprof_mib_fields[], which has its unit */
};

/* By enum mpdata_metric. */
extern const struct mpdata_metric_row mpdata_metrics[MPDATA_METRIC_COUNT];

/* Its title where what lived is that of a run's middle, or of its end. */
const char *mpdata_metrics_title(enum mpdata_metric metric, bool is_now);

/* What lived at one moment, or was allocated in all. */
struct mpdata_metric_pair {
    enum mpdata_metric bytes, blocks;
};

/* The pair of the moment that a metric is of. */
struct mpdata_metric_pair mpdata_metrics_pair(enum mpdata_metric metric);

/* The metric of this name; false where there is none. */
bool mpdata_metrics_find(const char *name, enum mpdata_metric *metric);

uint64_t mpdata_metrics_get(const struct mprof_mib *mib,
                            enum mpdata_metric metric);

/* The same of the MIB of a context. */
static inline uint64_t mpdata_metrics_value(const struct mpdata_view *view,
                                            uint32_t context,
                                            enum mpdata_metric metric)
{
    return mpdata_view_mib_field(view, context, mpdata_metrics[metric].field);
}

/* A number of it as people read it, without the word behind it: "1.5 KiB". In
 * out[0..size), for which MPDATA_UNIT_BYTES is room enough; returns `out`. */
const char *mpdata_metrics_text(enum mpdata_metric metric, uint64_t value,
                                char *out, size_t size);

/* Which field has the variance of a metric's sum where blocks were sampled, as
 * index in mprof_mib_fields[]: false where nothing is known of it, or none
 * were. */
bool mpdata_metrics_variance(const struct mprof_mib *mib,
                             enum mpdata_metric metric, size_t *field);

/* The standard error of a metric's sum where blocks were sampled: false where
 * none were, or nothing is known of it. */
bool mpdata_metrics_error(const struct mprof_mib *mib,
                          enum mpdata_metric metric, uint64_t *error);

/* Was it measured, as far as the MIB of all contexts and the runs tell? What is
 * false here must not be shown as zero. */
bool mpdata_metrics_is_held(enum mpdata_metric metric,
                            const struct mprof_mib *totals,
                            const struct mpdata_run_totals *runs);

/* Behind a sentence about one that was not: what measures it, or "". */
const char *mpdata_metrics_how(enum mpdata_metric metric);

/* The same of all metrics of a profile. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_metrics_held(const struct mpdata_profile *profile,
                    bool held[MPDATA_METRIC_COUNT]);

/* Were accesses to these blocks counted? Not in a file of LLVM's that holds
 * only what its compiler needs. */
bool mpdata_metrics_has_accesses(const struct mprof_mib *mib);

/* Was the metric measured of this call stack? */
bool mpdata_metrics_is_measured(enum mpdata_metric metric,
                                const struct mpdata_view *view,
                                uint32_t context);

#endif
