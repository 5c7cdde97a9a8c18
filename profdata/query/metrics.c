/* metrics.c -- the table of metrics.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/metrics.h"
#include "profdata/base/units.h"
#include "shared/index_format.h"

#include <string.h>

#define X(id, name, field, held, title, one, many) \
    {name, title, one, many, MPROF_MIB_INDEX_##field},
const struct mpdata_metric_row mpdata_metrics[MPDATA_METRIC_COUNT] = {
    MPDATA_METRICS(X)};
#undef X

const char *mpdata_metrics_title(enum mpdata_metric metric, bool is_now)
{
    if (is_now && metric == MPDATA_METRIC_LIVE)
        return "bytes live now";
    if (is_now && metric == MPDATA_METRIC_LIVE_BLOCKS)
        return "blocks live now";
    return mpdata_metrics[metric].title;
}

struct mpdata_metric_pair mpdata_metrics_pair(enum mpdata_metric metric)
{
    static const struct mpdata_metric_pair moments[] = {
        {MPDATA_METRIC_PEAK, MPDATA_METRIC_PEAK_BLOCKS},
        {MPDATA_METRIC_LIVE, MPDATA_METRIC_LIVE_BLOCKS},
        {MPDATA_METRIC_LEAKED, MPDATA_METRIC_LEAKED_BLOCKS}};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(moments); i++) {
        if (metric == moments[i].bytes || metric == moments[i].blocks)
            return moments[i];
    }
    return (struct mpdata_metric_pair){MPDATA_METRIC_BYTES,
                                       MPDATA_METRIC_BLOCKS};
}

bool mpdata_metrics_find(const char *name, enum mpdata_metric *metric)
{
    for (size_t i = 0; i < MPDATA_METRIC_COUNT; i++) {
        if (strcmp(name, mpdata_metrics[i].name) == 0) {
            *metric = (enum mpdata_metric)i;
            return true;
        }
    }
    return false;
}

uint64_t mpdata_metrics_get(const struct mprof_mib *mib,
                            enum mpdata_metric metric)
{
    return mprof_mib_get(mib, mpdata_metrics[metric].field);
}

size_t mpdata_metrics_divisor(const enum mpdata_metric *metrics, size_t count)
{
    size_t i = 0;

    if (metrics[0] != MPDATA_METRIC_LIFETIME)
        return 0;
    while (i < count && metrics[i] != MPDATA_METRIC_BLOCKS)
        i++;
    return i < count ? i : 0;
}

uint64_t mpdata_metrics_rank(const uint64_t *values, size_t divisor)
{
    if (divisor == 0 || values[0] == 0)
        return values[0];
    return mprof_max_u64(values[0] / mprof_max_u64(values[divisor], 1), 1);
}

struct mpdata_number mpdata_metrics_text(enum mpdata_metric metric,
                                         uint64_t value)
{
    const char *const unit =
        mprof_mib_fields[mpdata_metrics[metric].field].unit;

    if (strcmp(unit, "bytes") == 0)
        return mpdata_units_bytes(value);
    if (strcmp(unit, "ns") == 0)
        return mpdata_units_ns(value);
    return mpdata_units_count(value);
}

struct mpdata_number mpdata_metrics_estimate(enum mpdata_metric metric,
                                             uint64_t value, bool is_estimate)
{
    return mpdata_units_format("%s%s", is_estimate && value != 0 ? "~" : "",
                               mpdata_metrics_text(metric, value).text);
}

struct mpdata_number mpdata_metrics_phrase(enum mpdata_metric metric,
                                           uint64_t value)
{
    const struct mpdata_metric_row *const row = &mpdata_metrics[metric];
    const char *const word = value == 1 ? row->one : row->many;

    return mpdata_units_format("%s%s%s",
                               mpdata_metrics_text(metric, value).text,
                               word[0] != '\0' ? " " : "", word);
}

bool mpdata_metrics_variance(const struct mprof_mib *mib,
                             enum mpdata_metric metric, size_t *field)
{
    if (metric == MPDATA_METRIC_ACCESSES &&
        mib->TotalAccessCountVariance != 0) {
        *field = MPROF_MIB_INDEX_TotalAccessCountVariance;
        return true;
    }
    if (mib->SampledCount == 0)
        return false;
    switch (metric) {
    case MPDATA_METRIC_BYTES:
        *field = MPROF_MIB_INDEX_TotalSizeVariance;
        return true;
    case MPDATA_METRIC_BLOCKS:
        *field = MPROF_MIB_INDEX_AllocCountVariance;
        return true;
    case MPDATA_METRIC_ACCESSES:
        *field = MPROF_MIB_INDEX_TotalAccessCountVariance;
        return true;
    case MPDATA_METRIC_LIVE:
        *field = MPROF_MIB_INDEX_LiveBytesVariance;
        return true;
    case MPDATA_METRIC_PEAK:
        *field = MPROF_MIB_INDEX_PeakBytesVariance;
        return true;
    default:
        return false;
    }
}

bool mpdata_metrics_error(const struct mprof_mib *mib,
                          enum mpdata_metric metric, uint64_t *error)
{
    size_t field;

    if (!mpdata_metrics_variance(mib, metric, &field))
        return false;
    *error = mprof_mib_root(mprof_mib_get(mib, field));
    return true;
}

/* -- which metrics a profile has ------------------------------------------- */

bool mpdata_metrics_has_accesses(const struct mprof_mib *mib)
{
    return mib->TotalAccessCount != 0 || mib->TotalLifetimeAccessDensity == 0;
}

typedef bool held_fn(const struct mprof_mib *totals,
                     const struct mpdata_run_totals *runs);

/* True unless no run has it. */
static bool held_bytes(const struct mprof_mib *totals,
                       const struct mpdata_run_totals *runs)
{
    (void)totals;
    return runs->unsized == 0 || runs->unsized < runs->runs;
}

static bool held_blocks(const struct mprof_mib *totals,
                        const struct mpdata_run_totals *runs)
{
    (void)totals;
    return runs->uncounted == 0 || runs->uncounted < runs->runs;
}

static bool held_accesses(const struct mprof_mib *totals,
                          const struct mpdata_run_totals *runs)
{
    if (totals->TotalAccessCount == 0 && !runs->has_measured &&
        runs->foreign_runs != 0 && runs->foreign_runs == runs->runs)
        return false;
    return mpdata_metrics_has_accesses(totals);
}

static bool held_lifetimes(const struct mprof_mib *totals,
                           const struct mpdata_run_totals *runs)
{
    return totals->TotalLifetimeNs != 0 || runs->resolution_ns != 0;
}

static bool held_live(const struct mpdata_run_totals *runs)
{
    return runs->measured_runs != 0 || runs->foreign_live != 0;
}

static bool held_live_bytes(const struct mprof_mib *totals,
                            const struct mpdata_run_totals *runs)
{
    return held_live(runs) &&
           (totals->LiveBytes != 0 || held_bytes(totals, runs));
}

static bool held_live_blocks(const struct mprof_mib *totals,
                             const struct mpdata_run_totals *runs)
{
    (void)totals;
    return held_live(runs) &&
           (runs->uncounted_live == 0 || runs->uncounted_live < runs->runs);
}

static bool held_temporary(const struct mprof_mib *totals,
                           const struct mpdata_run_totals *runs)
{
    (void)runs;
    return totals->MeasuredCount != 0;
}

/* A moment that was chosen from a log has no peak, nor has a log without END;
 * of pools, mappings have one. */
static bool held_peak(const struct mprof_mib *totals,
                      const struct mpdata_run_totals *runs)
{
    return ((totals->MeasuredCount != 0 && runs->peak_runs != 0) ||
            totals->PeakBytes != 0) &&
           (runs->moment_runs == 0 || runs->moment_runs < runs->runs);
}

static bool held_rw(const struct mprof_mib *totals,
                    const struct mpdata_run_totals *runs)
{
    (void)runs;
    return totals->MeasuredRw != 0;
}

static bool held_rw_bytes(const struct mprof_mib *totals,
                          const struct mpdata_run_totals *runs)
{
    (void)runs;
    return totals->MeasuredRwBytes != 0;
}

static bool held_threads(const struct mprof_mib *totals,
                         const struct mpdata_run_totals *runs)
{
    (void)runs;
    return totals->TransferCount != 0;
}

static bool held_leaks(const struct mprof_mib *totals,
                       const struct mpdata_run_totals *runs)
{
    (void)runs;
    return totals->LeakCheckedCount != 0;
}

bool mpdata_metrics_is_held(enum mpdata_metric metric,
                            const struct mprof_mib *totals,
                            const struct mpdata_run_totals *runs)
{
#define X(id, name, field, held, title, one, many) held_##held,
    static held_fn *const rules[] = {MPDATA_METRICS(X)};
#undef X

    return rules[metric](totals, runs);
}

const char *mpdata_metrics_how(enum mpdata_metric metric)
{
    return mpdata_metrics_pair(metric).bytes == MPDATA_METRIC_LEAKED
               ? "; programs look for leaks with MEMPROF_OPTIONS=leaks=1"
               : "";
}

enum mprof_err mpdata_metrics_held(const struct mpdata_profile *profile,
                                   bool held[MPDATA_METRIC_COUNT])
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    const struct mprof_mib totals = mpdata_profile_totals(&view);
    struct mpdata_run_totals runs;
    const enum mprof_err err = mpdata_run_totals(&view, &runs);

    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++)
        held[m] = mpdata_metrics_is_held((enum mpdata_metric)m, &totals, &runs);
    return err;
}

uint64_t mpdata_metrics_runs(enum mpdata_metric metric,
                             const struct mpdata_run_totals *runs)
{
    const uint64_t all = mprof_max_u64(runs->runs, 1);
    uint64_t some = all;

    if (metric == MPDATA_METRIC_PEAK || metric == MPDATA_METRIC_PEAK_BLOCKS)
        some = runs->peak_runs;
    else if (metric == MPDATA_METRIC_LIVE ||
             metric == MPDATA_METRIC_LIVE_BLOCKS)
        some = mprof_add_sat_u64(runs->measured_runs, runs->foreign_live);
    else if (metric == MPDATA_METRIC_TEMPORARY)
        some = runs->measured_runs;
    else if (metric == MPDATA_METRIC_ACCESSES && runs->has_unmeasured)
        some = all - mprof_min_u64(runs->foreign_runs, all);
    return some != 0 ? mprof_min_u64(some, all) : all;
}

bool mpdata_metrics_has_lifetime(const struct mpdata_context *context,
                                 const struct mprof_mib *mib,
                                 const struct mpdata_run_totals *runs)
{
    return runs->foreign_runs == 0 || mib->TotalLifetimeNs != 0 ||
           (context->flags & MPROF_CONTEXT_FL_NOT_MEASURED) == 0;
}

bool mpdata_metrics_is_measured(enum mpdata_metric metric,
                                const struct mpdata_view *view,
                                uint32_t context)
{
    const uint32_t flags = view->contexts[context].flags;
    const size_t by = mprof_mib_measured_by(mpdata_metrics[metric].field);

    if (metric == MPDATA_METRIC_ACCESSES)
        return (flags & MPROF_CONTEXT_FL_NOT_MEASURED) == 0 &&
               ((flags & MPROF_CONTEXT_FL_NOT_ALL_SEEN) == 0 ||
                mpdata_metrics_value(view, context, metric) != 0);
    return by == MPROF_MIB_FIELDS ||
           mpdata_metrics_value(view, context, metric) != 0 ||
           mpdata_view_mib_field(view, context, by) != 0;
}
