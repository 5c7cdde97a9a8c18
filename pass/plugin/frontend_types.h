/* frontend_types.h -- what the calls of a source file allocate.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_FRONTEND_TYPES_H
#define MPASS_FRONTEND_TYPES_H

#include <string>

namespace clang
{
class ASTContext;
}

/* Appends a record a call (shared/type_format.h) to `records`, whichever of the
 * functions code is then made for. */
void mpass_frontend_find_types(clang::ASTContext &context,
                               std::string &records);

#endif
