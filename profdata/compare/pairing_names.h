/* pairing_names.h -- functions and files of two profiles under numbers that
 * both share.
 *
 * A function is its GUID, and where one of the profiles has several of one,
 * which only their files see, the name of its file; code of no known function
 * the file name of its binary; a file is its path. One that only one profile
 * has is the one of the other's that is written as it (other tools' profiles
 * have no linkage names), else that has its name without parameters and
 * template arguments, or its name without directories, where each profile has
 * just one such.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PAIRING_NAMES_H
#define MPDATA_PAIRING_NAMES_H

#include "profdata/query/frame_names.h"

/* By frame, from 0 on; owned. */
struct mpdata_pairing_names {
    uint32_t *numbers[2];
    uint32_t count;
};

/* Fini is due either way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_pairing_names_functions(struct mpdata_pairing_names *names,
                               const struct mpdata_profile *const profiles[2],
                               const struct mpdata_demangler *demangler);
/* Code without a file stands for its function, or for its binary. */
MPROF_NODISCARD enum mprof_err
mpdata_pairing_names_files(struct mpdata_pairing_names *names,
                           const struct mpdata_profile *const profiles[2],
                           const struct mpdata_pairing_names *functions);
void mpdata_pairing_names_fini(struct mpdata_pairing_names *names);

#endif
