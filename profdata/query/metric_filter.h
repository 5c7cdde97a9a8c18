/* metric_filter.h -- conditions on metrics of call stacks and of sums.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/query/metrics.h"

enum mpdata_compare {
    MPDATA_COMPARE_LESS,
    MPDATA_COMPARE_LESS_EQUAL,
    MPDATA_COMPARE_EQUAL,
    MPDATA_COMPARE_NOT_EQUAL,
    MPDATA_COMPARE_GREATER_EQUAL,
    MPDATA_COMPARE_GREATER
};

/* A condition: "bytes>=64K", or with a ratio of two metrics
 * "lifetime/blocks<1ms". */
struct mpdata_metric_filter {
    const char *text; /* its source text; borrowed */
    bool is_other;    /* alternative ('|') to the condition before it */
    enum mpdata_metric metric;
    enum mpdata_metric per;
    bool is_ratio;   /* divide by `per` */
    bool is_growth;  /* compare with another profile */
    bool is_percent; /* growth in percent */
    enum mpdata_compare compare;
    double value;
};

/* Parses METRIC[/METRIC] OP NUMBER[UNIT], with optional spaces. OP is one of <
 * <= = != >= >. UNIT is K, M or G (powers of 1024) for bytes; ns, us, ms or s
 * for times. "allocated" is an alias of "bytes". may_grow: also accepts
 * METRIC-growth OP NUMBER[UNIT] or NUMBER%. Alternatives follow after '|';
 * fills at most `max` filters. Returns their number; 0 if the text is invalid
 * or has too many. */
size_t mpdata_metric_filter_parse(const char *text, bool may_grow,
                                  struct mpdata_metric_filter *filters,
                                  size_t max);
/* Does a value, in the unit of the condition, fulfil it? */
bool mpdata_metric_filter_compares(const struct mpdata_metric_filter *filter,
                                   double value);
/* Does a profile with the metrics held[] (mpdata_metrics_held()) have the
 * metrics of the condition? If not, sets *missing. */
bool mpdata_metric_filter_is_held(const struct mpdata_metric_filter *filter,
                                  const bool held[MPDATA_METRIC_COUNT],
                                  enum mpdata_metric *missing);
/* Sets the value of a metric; false: it was not measured. */
typedef bool mpdata_metric_value_fn(const void *of, enum mpdata_metric metric,
                                    uint64_t *value);
/* Does something fulfil all conditions, of alternatives at least one? A
 * condition is false if its divisor is 0 or the metric was not measured. */
bool mpdata_metric_filter_fits(const struct mpdata_metric_filter *filters,
                               size_t count, mpdata_metric_value_fn *value_of,
                               const void *of);
/* Does a context? */
bool mpdata_metric_filter_fits_all(const struct mpdata_metric_filter *filters,
                                   size_t count, const struct mpdata_view *view,
                                   uint32_t context);
