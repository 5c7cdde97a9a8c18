/* profile.h -- finds what an indexed profile contains, and whether LLVM can use
 * it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/ExternC.h>

#include "shared/err.h"

LLVM_C_EXTERN_C_BEGIN

struct mpass_profile {
    bool has_memory;   /* a memory profile */
    bool has_counters; /* PGO counters */
    bool is_ir;        /* ... by IR, not by clang's front end */
};

/* Finds what an indexed profile contains, from its header and directories.
 * Errors: EMPTY, MAGIC, VERSION, TRUNCATED, CHECKSUM, CODEC, OFFSET, VALUE,
 * DUPLICATE; *out is unchanged then. */
MPROF_NODISCARD enum mprof_err mpass_profile_probe(const void *data,
                                                   size_t size,
                                                   struct mpass_profile *out,
                                                   struct mprof_diag *diag);

/* True if data[0..size) can be used as a memory profile. Otherwise writes the
 * message for the user, which names `path`, to message[MPASS_MESSAGE_BYTES]. */
MPROF_NODISCARD bool mpass_profile_check(const char *path, const void *data,
                                         size_t size, char *message);

LLVM_C_EXTERN_C_END
