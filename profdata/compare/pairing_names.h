/* pairing_names.h -- names of two profiles under numbers that both share.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PAIRING_NAMES_H
#define MPDATA_PAIRING_NAMES_H

#include "profdata/model/profile.h"

/* Numbers from 0 on; owned. */
struct mpdata_pairing_names {
    uint32_t *numbers[2];
    uint32_t count;
};

/* Fini is due after each of them. Error: NOMEM. */

/* By frame. A function is its GUID, and where one of the profiles has several
 * of one, which only their files see, the name of its file; code of no known
 * function is the file name of its binary. */
MPROF_NODISCARD enum mprof_err
mpdata_pairing_names_functions(struct mpdata_pairing_names *names,
                               const struct mpdata_profile *const profiles[2]);
/* By frame. A file is its name without directories, and where one of the
 * profiles has several of one, its path. Code without a file stands for its
 * function, or for its binary. */
MPROF_NODISCARD enum mprof_err
mpdata_pairing_names_files(struct mpdata_pairing_names *names,
                           const struct mpdata_profile *const profiles[2],
                           const struct mpdata_pairing_names *functions);
/* By frame: the file name of its binary, else the build id; all frames of which
 * neither is known are one. */
MPROF_NODISCARD enum mprof_err
mpdata_pairing_names_binaries(struct mpdata_pairing_names *names,
                              const struct mpdata_profile *const profiles[2]);
/* By string of the profile: all of them. */
MPROF_NODISCARD enum mprof_err
mpdata_pairing_names_strings(struct mpdata_pairing_names *names,
                             const struct mpdata_profile *const profiles[2]);
void mpdata_pairing_names_fini(struct mpdata_pairing_names *names);

#endif
