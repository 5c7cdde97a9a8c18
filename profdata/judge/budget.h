/* budget.h -- limits for what a program may allocate, and which of them a
 * profile breaks. docs/budget.md has the file's form.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_BUDGET_H
#define MPDATA_BUDGET_H

#include "profdata/base/toml.h"
#include "profdata/compare/diff.h"
#include "profdata/query/frame_names.h"

#include <regex.h>

/* Of what a limit is. */
enum mpdata_budget_scope {
    MPDATA_BUDGET_TOTAL,
    MPDATA_BUDGET_FUNCTION, /* call stacks with a function that matches */
    MPDATA_BUDGET_FILE      /* with a frame in a file that matches */
};

/* A table of the file. */
struct mpdata_budget_part {
    enum mpdata_budget_scope scope;
    uint32_t line;
    const char *match; /* NULL: everything */
    regex_t regex;     /* of match */
};

struct mpdata_budget_limit {
    uint32_t part; /* index */
    uint32_t line;
    enum mpdata_metric metric;
    bool is_growth;  /* against the baseline */
    bool is_percent; /* then `amount` is in thousandths of a percent */
    uint64_t amount; /* in the metric's unit */
};

/* Owned; texts are the TOML's, which is to outlive it. */
struct mpdata_budget {
    struct mpdata_vec parts;  /* struct mpdata_budget_part */
    struct mpdata_vec limits; /* struct mpdata_budget_limit, as in the file */
    const char *baseline;     /* a path, or NULL */
    uint32_t baseline_line;
    /* After VALUE: */
    uint32_t bad_line;
    char why[MPDATA_TOML_WHY_BYTES];
};

/* Errors: VALUE, with bad_line and why; NOMEM. Fini is due either way. */
MPROF_NODISCARD enum mprof_err
mpdata_budget_read(struct mpdata_budget *budget,
                   const struct mpdata_toml *toml);
void mpdata_budget_fini(struct mpdata_budget *budget);

/* Is there a limit that needs a baseline? Its line, else 0. */
uint32_t mpdata_budget_growth_line(const struct mpdata_budget *budget);

/* What became of a limit. Numbers are of one run, to the nearest whole one;
 * whether it is broken does not depend on that. */
struct mpdata_budget_result {
    bool is_broken;
    bool is_unmatched; /* no call stack has what the part matches */
    uint64_t value;
    uint64_t old_value; /* of the baseline */
};

/* Looks at one limit of a profile, and marks the contexts (`marks`, a byte for
 * each) that it is about; with a baseline its own, too, else NULL. Errors:
 * NOMEM; VALUE where a profile does not hold the metric, with bad_line and why
 * of the budget. */
MPROF_NODISCARD enum mprof_err mpdata_budget_check(
    struct mpdata_budget *budget, const struct mpdata_budget_limit *limit,
    const struct mpdata_profile *profile, const struct mpdata_profile *baseline,
    const struct mpdata_demangler *demangler, uint8_t *marks,
    uint8_t *old_marks, struct mpdata_budget_result *result);

#endif
