/* fuzz_budget.c -- libFuzzer target: budgets.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/budget.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An error has a position and a message. */
static void expect_reason(uint32_t line, const char *why)
{
    if (line == 0 || why[0] == '\0')
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpdata_budget budget;

    if (mpdata_budget_read(&budget, (const char *)data, size) == MPROF_E_VALUE)
        expect_reason(budget.bad_line, budget.why);
    mpdata_budget_fini(&budget);
    return 0;
}
