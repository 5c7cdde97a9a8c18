/* profile.h -- which kind of profile a file is, and whether LLVM can use it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_PROFILE_H
#define MPASS_PROFILE_H

#include <llvm-c/ExternC.h>

#include "shared/err.h"

LLVM_C_EXTERN_C_BEGIN

struct mpass_profile {
    bool has_memory;   /* a memory profile */
    bool has_counters; /* counters of functions (PGO) */
    bool is_ir;        /* ... on the level of IR, not of the source */
};

/* What an indexed profile holds, from its header and directories. Errors:
 * EMPTY, MAGIC, VERSION, TRUNCATED, OFFSET, VALUE; *out untouched. */
MPROF_NODISCARD enum mprof_err mpass_profile_probe(const void *data,
                                                   size_t size,
                                                   struct mpass_profile *out,
                                                   struct mprof_diag *diag);

/* Checks that data[0..size) can be used as a memory profile. If not, writes the
 * whole message for the user, naming `path`, to message[MPASS_MESSAGE_BYTES].
 */
MPROF_NODISCARD bool mpass_profile_check(const char *path, const void *data,
                                         size_t size, char *message);

LLVM_C_EXTERN_C_END

#endif
