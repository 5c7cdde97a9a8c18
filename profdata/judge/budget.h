/* budget.h -- limits for what a program may allocate: a file of conditions
 * (docs/budget.md), and whether a profile keeps them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_BUDGET_H
#define MPDATA_BUDGET_H

#include "profdata/base/vec.h"
#include "profdata/query/frame_names.h"
#include "profdata/query/metric_filter.h"

#include <regex.h>

/* Which call stacks a limit is for. */
enum mpdata_budget_scope {
    MPDATA_BUDGET_TOTAL,
    MPDATA_BUDGET_FUNCTION, /* with a function that matches */
    MPDATA_BUDGET_FILE,     /* with a frame in a file that matches */
    MPDATA_BUDGET_TYPE      /* that allocate a type that matches */
};

/* "function" and so on; "" for the total. */
const char *mpdata_budget_scope_name(enum mpdata_budget_scope scope);

#define MPDATA_BUDGET_CONDITIONS_MAX 4

/* A line of the file. */
struct mpdata_budget_limit {
    enum mpdata_budget_scope scope;
    uint32_t line;
    const char *match; /* NULL: everything */
    regex_t regex;     /* of match */
    const char *text;  /* the conditions, as they stand there */
    /* Of which one is to hold. */
    struct mpdata_metric_filter conditions[MPDATA_BUDGET_CONDITIONS_MAX];
    size_t condition_count;
};

/* Owned. */
struct mpdata_budget {
    char *text;               /* the file's, which what follows points to */
    struct mpdata_vec limits; /* struct mpdata_budget_limit, as in the file */
    const char *baseline;     /* a path, or NULL */
    /* After VALUE: */
    uint32_t bad_line;
    char why[400];
};

/* Errors: VALUE, with bad_line and why; NOMEM. Fini is due either way. */
MPROF_NODISCARD enum mprof_err
mpdata_budget_read(struct mpdata_budget *budget, const char *text, size_t size);
void mpdata_budget_fini(struct mpdata_budget *budget);

/* Is there a limit that needs a baseline? Its line, else 0. */
uint32_t mpdata_budget_growth_line(const struct mpdata_budget *budget);

/* What became of a limit. Numbers are of one run, of its first condition. */
struct mpdata_budget_result {
    bool is_broken;
    bool is_unmatched; /* no call stack has what the limit is for */
    double value;
    double old_value; /* of the baseline */
};

/* Looks at one limit of a profile, and marks the contexts (`marks`, a byte for
 * each) that it is for; with a baseline its own, too, else NULL. Errors: NOMEM;
 * VALUE where a profile does not hold the metric, with bad_line and why of the
 * budget. */
MPROF_NODISCARD enum mprof_err mpdata_budget_check(
    struct mpdata_budget *budget, const struct mpdata_budget_limit *limit,
    const struct mpdata_profile *profile, const struct mpdata_profile *baseline,
    const struct mpdata_demangler *demangler, uint8_t *marks,
    uint8_t *old_marks, struct mpdata_budget_result *result);

#endif
