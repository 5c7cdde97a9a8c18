/* frontend.h -- variables of memprof-clang.so that memprof.so reads. It looks
 * them up by name, because memprof-clang.so need not be installed.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/ExternC.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string>

LLVM_C_EXTERN_C_BEGIN

/* True once the front-end action has decided which profile a compilation uses.
 */
extern bool mpass_frontend_settled;
#define MPASS_FRONTEND_FILE "memprof-clang.so"
#define MPASS_FRONTEND_SETTLED "mpass_frontend_settled"

/* Type records (shared/type_format.h) of the current source file; valid until
 * the next file. */
struct mpass_frontend_records {
    const char *bytes;
    size_t size;
};
extern struct mpass_frontend_records mpass_frontend_types;
#define MPASS_FRONTEND_TYPES "mpass_frontend_types"

/* Bytes of the type of object that the call allocates, if an object needs an
 * alignment of 8 only; otherwise 0. `function`: linkage name. */
uint64_t mpass_frontend_dense(const char *function, size_t size, unsigned line,
                              unsigned column);
#define MPASS_FRONTEND_DENSE "mpass_frontend_dense"

LLVM_C_EXTERN_C_END

/* frontend_types.cpp -- finds the types that the calls of a source file
 * allocate. */

namespace clang
{
class ASTContext;
}

/* Appends the type records (shared/type_format.h) of all calls to `records`,
 * including calls in functions that are not compiled in the end. */
void mpass_frontend_find_types(clang::ASTContext &context,
                               std::string &records);
