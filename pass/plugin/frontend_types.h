/* frontend_types.h -- finds the types that the calls of a source file allocate.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <string>

namespace clang
{
class ASTContext;
}

/* Appends the type records (shared/type_format.h) of all calls to `records`,
 * including calls in functions that are not compiled in the end. */
void mpass_frontend_find_types(clang::ASTContext &context,
                               std::string &records);
