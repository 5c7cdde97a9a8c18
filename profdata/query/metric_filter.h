/* metric_filter.h -- conditions on metrics, of call stacks and of sums.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_METRIC_FILTER_H
#define MPDATA_METRIC_FILTER_H

#include "profdata/query/metrics.h"

enum mpdata_compare {
    MPDATA_COMPARE_LESS,
    MPDATA_COMPARE_LESS_EQUAL,
    MPDATA_COMPARE_EQUAL,
    MPDATA_COMPARE_NOT_EQUAL,
    MPDATA_COMPARE_GREATER_EQUAL,
    MPDATA_COMPARE_GREATER
};

/* "bytes>=64K", or of one metric for each of another "lifetime/blocks<1ms". */
struct mpdata_metric_filter {
    const char *text; /* as it was given; borrowed */
    bool is_other;    /* of one before: one of them must fit */
    enum mpdata_metric metric;
    enum mpdata_metric per;
    bool is_ratio;   /* `per` counts */
    bool is_growth;  /* against another profile */
    bool is_percent; /* and that in percent */
    enum mpdata_compare compare;
    double value;
};

/* METRIC[/METRIC] OP NUMBER[UNIT], with spaces wherever they help; OP is one of
 * < <= = != >= >, UNIT of bytes K, M or G (1024 each), of times ns, us, ms or
 * s. "allocated" is another name of "bytes". may_grow: also METRIC-growth OP
 * NUMBER[UNIT] or NUMBER%. Behind a '|' there is another; fills up to `max`.
 * How many there are; 0 where it is not that, or where there are more. */
size_t mpdata_metric_filter_parse(const char *text, bool may_grow,
                                  struct mpdata_metric_filter *filters,
                                  size_t max);
/* Does a value fit, in the unit of the condition? */
bool mpdata_metric_filter_compares(const struct mpdata_metric_filter *filter,
                                   double value);
/* Does a profile that holds these metrics (mpdata_metrics_held()) have what it
 * asks for? Else *missing is what lacks. */
bool mpdata_metric_filter_is_held(const struct mpdata_metric_filter *filter,
                                  const bool held[MPDATA_METRIC_COUNT],
                                  enum mpdata_metric *missing);
/* Do they all fit, of those that are parted by '|' one? What has nothing of a
 * divisor does not, nor does a call stack of which the metric was not measured.
 */
bool mpdata_metric_filter_fits_all(const struct mpdata_metric_filter *filters,
                                   size_t count, const struct mpdata_view *view,
                                   uint32_t context);

#endif
