/* pairing_names.h -- numbers the names of two profiles: the same name has the
 * same number in both.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"

/* Numbers start at 0; owned. */
struct mpdata_pairing_names {
    uint32_t *numbers[2];
    uint32_t count;
};

/* Call _fini() after each of these functions, even after a failure. Error:
 * NOMEM. */

/* Number functions, by frame. A function is identified by its GUID and, if one
 * of the profiles has several with the same GUID (static functions), by the
 * name of its file. Code of unknown functions is identified by the file name of
 * its binary. */
MPROF_NODISCARD enum mprof_err
mpdata_pairing_names_functions(struct mpdata_pairing_names *names,
                               const struct mpdata_profile *const profiles[2]);
/* Number files, by frame. A file is identified by its name without directories
 * and, if one of the profiles has several, by its path. Code without a file is
 * numbered like its function or binary. */
MPROF_NODISCARD enum mprof_err
mpdata_pairing_names_files(struct mpdata_pairing_names *names,
                           const struct mpdata_profile *const profiles[2],
                           const struct mpdata_pairing_names *functions);
/* Number binaries, by frame: by file name, else by build id. All frames without
 * a binary have one number. */
MPROF_NODISCARD enum mprof_err
mpdata_pairing_names_binaries(struct mpdata_pairing_names *names,
                              const struct mpdata_profile *const profiles[2]);
/* Number all strings of the profiles. */
MPROF_NODISCARD enum mprof_err
mpdata_pairing_names_strings(struct mpdata_pairing_names *names,
                             const struct mpdata_profile *const profiles[2]);
void mpdata_pairing_names_fini(struct mpdata_pairing_names *names);
