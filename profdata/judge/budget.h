/* budget.h -- limits on what a program may allocate: a file of conditions
 * (docs/budget.md), and whether a profile meets them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/vec.h"
#include "profdata/query/frames.h"
#include "profdata/query/metric_filter.h"

#include <regex.h>

/* The call stacks that a limit applies to. */
enum mpdata_budget_scope {
    MPDATA_BUDGET_TOTAL,
    MPDATA_BUDGET_FUNCTION, /* with a function that matches */
    MPDATA_BUDGET_FILE,     /* with a frame in a file that matches */
    MPDATA_BUDGET_TYPE,     /* that allocate a type that matches */
    MPDATA_BUDGET_ADVICE    /* new advice (advice.h) of kinds that match */
};

/* "function" etc.; "" for the total. */
const char *mpdata_budget_scope_name(enum mpdata_budget_scope scope);

#define MPDATA_BUDGET_CONDITIONS_MAX 4

/* A limit: one line of the file. */
struct mpdata_budget_limit {
    enum mpdata_budget_scope scope;
    uint32_t line;
    const char *match; /* NULL: everything */
    regex_t regex;     /* of match */
    const char *text;  /* the conditions as written in the file */
    /* At least one of them must hold. */
    struct mpdata_metric_filter conditions[MPDATA_BUDGET_CONDITIONS_MAX];
    size_t condition_count;
};

/* Owned. */
struct mpdata_budget {
    char *text;               /* of the file; the strings below point into it */
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

/* Does the limit's expression match a kind of advice, enum mpdata_advice_kind?
 */
bool mpdata_budget_is_kind(const struct mpdata_budget_limit *limit, int kind);
/* Sets bad_line and why, and returns VALUE. */
enum mprof_err mpdata_budget_fail(struct mpdata_budget *budget, uint32_t line,
                                  const char *format, ...) MPROF_PRINTF(3, 4);

/* Line of a limit that needs a baseline, or 0. */
uint32_t mpdata_budget_growth_line(const struct mpdata_budget *budget);
/* Does a limit compare with the baseline if there is one? */
bool mpdata_budget_uses_baseline(const struct mpdata_budget *budget);

/* Result of a limit. Numbers are per run, of the limit's first condition; those
 * of ADVICE are the largest saving. */
struct mpdata_budget_result {
    bool is_broken;
    bool is_uncertain; /* estimated, and too close to the limit to tell */
    bool is_unmatched; /* no call stack matches the limit */
    bool is_estimate;  /* blocks or accesses were sampled */
    double value;
    double old_value; /* of the baseline */
    double error;     /* standard error, of a growth in its unit; 0: unknown */
    mpdata_ref node;  /* of ADVICE: the site that could save most, or 0 */
};

/* Checks one limit of a profile, and marks the contexts that it applies to
 * (`marks`, a byte per context); likewise the baseline's contexts (old_marks).
 * baseline and old_marks are NULL without a baseline. Errors: NOMEM; VALUE,
 * with the budget's bad_line and why, if a profile does not hold the metric. */
MPROF_NODISCARD enum mprof_err mpdata_budget_check(
    struct mpdata_budget *budget, const struct mpdata_budget_limit *limit,
    const struct mpdata_profile *profile, const struct mpdata_profile *baseline,
    const struct mpdata_demangler *demangler, uint8_t *marks,
    uint8_t *old_marks, struct mpdata_budget_result *result);
