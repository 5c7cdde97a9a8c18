/* frontend.h -- what memprof.so and memprof-clang.so know of each other.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_FRONTEND_H
#define MPASS_FRONTEND_H

#include <llvm-c/ExternC.h>
#include <stdbool.h>
#include <stddef.h>

LLVM_C_EXTERN_C_BEGIN

/* Set once the action has settled profile use for a compilation; found by name,
 * because it is in another object that need not be there. */
extern bool mpass_frontend_settled;
#define MPASS_FRONTEND_FILE "memprof-clang.so"
#define MPASS_FRONTEND_SETTLED "mpass_frontend_settled"

/* Records of shared/type_format.h of the file that is compiled; found by name
 * too, valid until the next file. */
struct mpass_frontend_records {
    const char *bytes;
    size_t size;
};
extern struct mpass_frontend_records mpass_frontend_types;
#define MPASS_FRONTEND_TYPES "mpass_frontend_types"

LLVM_C_EXTERN_C_END

#endif
