/* frontend_dense.h -- finds the calls whose blocks need no more alignment than
 * their type: 8 bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <string>

#pragma GCC visibility push(default)
#include "llvm/ADT/StringMap.h"
#pragma GCC visibility pop

namespace clang
{
class ASTContext;
}

/* Bytes of the type that a call allocates, by the call's key; 0: the block
 * needs an alignment of 16. */
using mpass_dense_calls = llvm::StringMap<uint64_t>;

std::string mpass_frontend_dense_key(llvm::StringRef function, unsigned line,
                                     unsigned column);
void mpass_frontend_find_dense(clang::ASTContext &context,
                               mpass_dense_calls &calls);
