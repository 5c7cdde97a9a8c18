/* fields.h -- which fields of a MIB a profile has numbers for.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_FIELDS_H
#define MPDATA_FIELDS_H

#include "profdata/export/formats.h"

/* By index in mprof_mib_fields[]: those that some call stack has. What is not a
 * number of its own (the histogram's address) is none. */
void mpdata_fields_used(const struct mpdata_export *what,
                        bool is_used[MPROF_MIB_FIELDS]);

/* The same, and those that were measured and came to nothing. */
void mpdata_fields_held(const struct mpdata_export *what,
                        bool is_held[MPROF_MIB_FIELDS]);

#endif
