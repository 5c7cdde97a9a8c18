/* index_read.h -- reads an indexed file into a profile: one of ours through the
 * sections that it adds (index_ext_read.c), any other as LLVM's
 * (index_llvm_read.c).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_INDEX_READ_H
#define MPDATA_INDEX_READ_H

#include "profdata/model/profile.h"

/* True where the first bytes are those of an indexed profile, LLVM's or ours.
 */
bool mpdata_detect_is_index(const void *data, size_t size);

/* Adds the file data[0..size) to *into. All of it is validated before *into is
 * touched, so a file that is refused leaves it as it was. Nothing of data is
 * kept. verify_checksums is true but in fuzzing, where damage must reach what
 * lies behind the checksums. diag may be NULL. Errors: all of a reader's; then
 * NO_MEMPROF for an LLVM profile without a memory profile. */
MPROF_NODISCARD enum mprof_err mpdata_index_read(const void *data, size_t size,
                                                 bool verify_checksums,
                                                 struct mpdata_profile *into,
                                                 struct mprof_diag *diag);

struct mpdata_llvm_sites; /* llvm_sites.h */

/* The same; adds to *sites (NULL: nothing) what LLVM's records list beside what
 * follows from the call stacks. */
MPROF_NODISCARD enum mprof_err
mpdata_index_read_sites(const void *data, size_t size, bool verify_checksums,
                        struct mpdata_profile *into,
                        struct mpdata_llvm_sites *sites,
                        struct mprof_diag *diag);

/* Compares the checksum that one of our files keeps of LLVM's part; OK for a
 * file that is LLVM's alone. */
MPROF_NODISCARD enum mprof_err
mpdata_sections_verify_llvm(const void *data, size_t size,
                            struct mprof_diag *diag);

#endif
