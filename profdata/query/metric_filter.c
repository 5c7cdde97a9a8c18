/* metric_filter.c -- parses and evaluates conditions on metrics.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/metric_filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 32

#define SPACES " \t"
#define GROWTH "-growth"

static void skip_spaces(const char **text)
{
    *text += strspn(*text, SPACES);
}

/* Parses the name of a metric. is_growth: NULL if the name must not end in
 * GROWTH. */
static bool take_metric(const char **text, enum mpdata_metric *metric,
                        bool *is_growth)
{
    const size_t size = strcspn(*text, "/<>=!" SPACES);
    const size_t growth = strlen(GROWTH);
    char name[NAME_BYTES];

    if (size >= sizeof(name))
        return false;
    memcpy(name, *text, size);
    name[size] = '\0';
    *text += size;
    skip_spaces(text);
    if (is_growth != NULL && size > growth &&
        strcmp(name + size - growth, GROWTH) == 0) {
        *is_growth = true;
        name[size - growth] = '\0';
    }
    if (strcmp(name, "allocated") == 0) {
        *metric = MPDATA_METRIC_BYTES;
        return true;
    }
    return mpdata_metrics_find(name, metric);
}

static bool take_compare(const char **text, enum mpdata_compare *compare)
{
    /* Longer operators first. */
    static const struct {
        const char *text;
        enum mpdata_compare compare;
    } signs[] = {
        {"<=", MPDATA_COMPARE_LESS_EQUAL}, {">=", MPDATA_COMPARE_GREATER_EQUAL},
        {"!=", MPDATA_COMPARE_NOT_EQUAL},  {"<", MPDATA_COMPARE_LESS},
        {">", MPDATA_COMPARE_GREATER},     {"=", MPDATA_COMPARE_EQUAL}};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(signs); i++) {
        const size_t size = strlen(signs[i].text);

        if (strncmp(*text, signs[i].text, size) == 0) {
            *text += size;
            skip_spaces(text);
            *compare = signs[i].compare;
            return true;
        }
    }
    return false;
}

#define OTHER '|'

/* Returns the value of a unit for the metric's field; 0 if the unit does not
 * fit. */
static double unit_of(const char *text, size_t size, enum mpdata_metric metric)
{
    static const struct {
        const char *field;
        const char *text;
        double value;
    } units[] = {{"bytes", "B", 1},
                 {"bytes", "K", 1024},
                 {"bytes", "KiB", 1024},
                 {"bytes", "M", 1024.0 * 1024},
                 {"bytes", "MiB", 1024.0 * 1024},
                 {"bytes", "kB", 1e3},
                 {"bytes", "MB", 1e6},
                 {"bytes", "GB", 1e9},
                 {"bytes", "G", 1024.0 * 1024 * 1024},
                 {"bytes", "GiB", 1024.0 * 1024 * 1024},
                 {"ns", "ns", 1},
                 {"ns", "us", 1e3},
                 {"ns", "ms", 1e6},
                 {"ns", "s", 1e9}};
    const char *const field =
        mprof_mib_fields[mpdata_metrics[metric].field].unit;

    if (size == 0)
        return 1;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(units); i++) {
        if (strcmp(field, units[i].field) == 0 &&
            strlen(units[i].text) == size &&
            memcmp(text, units[i].text, size) == 0)
            return units[i].value;
    }
    return 0;
}

/* Parses one condition and moves *text behind it. */
static bool parse_one(const char **text, bool may_grow,
                      struct mpdata_metric_filter *filter)
{
    char *end;

    skip_spaces(text);
    if (!take_metric(text, &filter->metric,
                     may_grow ? &filter->is_growth : NULL))
        return false;
    filter->is_ratio = **text == '/' && !filter->is_growth;
    if (filter->is_ratio) {
        ++*text;
        skip_spaces(text);
        if (!take_metric(text, &filter->per, NULL))
            return false;
    }
    if (!take_compare(text, &filter->compare) || **text < '0' || **text > '9')
        return false;
    filter->value = strtod(*text, &end);
    end += strspn(end, SPACES);
    size_t size = strcspn(end, (const char[]){OTHER, ' ', '\t', '\0'});
    filter->is_percent = filter->is_growth && size == 1 && *end == '%';
    double unit = filter->is_percent ? 1 : unit_of(end, size, filter->metric);
    filter->value *= unit;
    *text = end + size;
    skip_spaces(text);
    return unit != 0 && isfinite(filter->value);
}

size_t mpdata_metric_filter_parse(const char *text, bool may_grow,
                                  struct mpdata_metric_filter *filters,
                                  size_t max)
{
    const char *at = text;
    size_t count = 0;

    while (count < max) {
        filters[count] =
            (struct mpdata_metric_filter){.text = text, .is_other = count != 0};
        if (!parse_one(&at, may_grow, &filters[count++]))
            return 0;
        if (*at == '\0')
            return count;
        if (*at++ != OTHER)
            return 0;
    }
    return 0;
}

bool mpdata_metric_filter_compares(const struct mpdata_metric_filter *filter,
                                   double value)
{
    switch (filter->compare) {
    case MPDATA_COMPARE_LESS:
        return value < filter->value;
    case MPDATA_COMPARE_LESS_EQUAL:
        return value <= filter->value;
    case MPDATA_COMPARE_EQUAL:
        return value >= filter->value && value <= filter->value;
    case MPDATA_COMPARE_NOT_EQUAL:
        return value < filter->value || value > filter->value;
    case MPDATA_COMPARE_GREATER_EQUAL:
        return value >= filter->value;
    case MPDATA_COMPARE_GREATER:
        return value > filter->value;
    }
    return false;
}

bool mpdata_metric_filter_is_held(const struct mpdata_metric_filter *filter,
                                  const bool held[MPDATA_METRIC_COUNT],
                                  enum mpdata_metric *missing)
{
    *missing =
        held[filter->metric] && filter->is_ratio ? filter->per : filter->metric;
    return held[*missing];
}

static bool fits_one(const struct mpdata_metric_filter *filter,
                     mpdata_metric_value_fn *value_of, const void *of)
{
    uint64_t value;
    uint64_t per = 1;

    return value_of(of, filter->metric, &value) &&
           (!filter->is_ratio || value_of(of, filter->per, &per)) && per != 0 &&
           mpdata_metric_filter_compares(filter, (double)value / (double)per);
}

bool mpdata_metric_filter_fits(const struct mpdata_metric_filter *filters,
                               size_t count, mpdata_metric_value_fn *value_of,
                               const void *of)
{
    bool fits = true;

    for (size_t i = 0; i < count; i++) {
        if (!filters[i].is_other && !fits)
            return false;
        fits = (filters[i].is_other && fits) ||
               fits_one(&filters[i], value_of, of);
    }
    return fits;
}

struct context {
    const struct mpdata_view *view;
    uint32_t at;
};

static bool value_of_context(const void *of, enum mpdata_metric metric,
                             uint64_t *value)
{
    const struct context *const c = of;

    *value = mpdata_metrics_value(c->view, c->at, metric);
    return mpdata_metrics_is_measured(metric, c->view, c->at);
}

bool mpdata_metric_filter_fits_all(const struct mpdata_metric_filter *filters,
                                   size_t count, const struct mpdata_view *view,
                                   uint32_t context)
{
    return mpdata_metric_filter_fits(
        filters, count, value_of_context,
        &(struct context){.view = view, .at = context});
}
