/* known_leaks.h -- removes leaks that match a list of suppressions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/judge/suppressions.h"

/* Replaces *profile by a profile without the leaks that match, prints how many
 * leaks each pattern matched, and adds the removed ones to *bytes and *blocks.
 * Errors: NOMEM; LIMIT as for mpdata_suppressions_apply(). */
MPROF_NODISCARD enum mprof_err
known_leaks_leave_out(struct mpdata_list *known, uint64_t cost_max,
                      struct mpdata_profile **profile,
                      const struct mpdata_demangler *demangler, uint64_t *bytes,
                      uint64_t *blocks);

/* Like known_leaks_leave_out(), with the lists that the programs contain
 * (__lsan_default_suppressions()). Ignores invalid lists with a message. Error:
 * NOMEM. */
MPROF_NODISCARD enum mprof_err
known_leaks_leave_out_own(struct mpdata_profile **profile,
                          const struct mpdata_demangler *demangler,
                          uint64_t *bytes, uint64_t *blocks);
