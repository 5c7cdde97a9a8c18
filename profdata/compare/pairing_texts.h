/* pairing_texts.h -- names that two profiles share letter by letter: of
 * modules, and of types, threads and pools.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PAIRING_TEXTS_H
#define MPDATA_PAIRING_TEXTS_H

#include "profdata/compare/pairing_names.h"

/* By frame: of its program or library the file's name, without directories,
 * else its build id; all frames of which neither is known are one. Fini of
 * names is due either way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_pairing_texts_modules(struct mpdata_pairing_names *names,
                             const struct mpdata_profile *const profiles[2]);

/* The same by string of the profile: all of them. */
MPROF_NODISCARD enum mprof_err
mpdata_pairing_texts_strings(struct mpdata_pairing_names *names,
                             const struct mpdata_profile *const profiles[2]);

#endif
