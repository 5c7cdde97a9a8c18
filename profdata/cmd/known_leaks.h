/* known_leaks.h -- leaks that a list of suppressions leaves out, for commands.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_KNOWN_LEAKS_H
#define MPDATA_KNOWN_LEAKS_H

#include "profdata/judge/suppressions.h"

/* Puts a profile without them in the place of *profile, says how many each
 * pattern took, and adds that to *bytes and *blocks. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
known_leaks_leave_out(struct mpdata_suppressions *known,
                      struct mpdata_profile **profile,
                      const struct mpdata_demangler *demangler, uint64_t *bytes,
                      uint64_t *blocks);

/* The same by the lists that the programs have themselves, as far as they are
 * such. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
known_leaks_leave_out_own(struct mpdata_profile **profile,
                          const struct mpdata_demangler *demangler,
                          uint64_t *bytes, uint64_t *blocks);

#endif
