/* frontend_fields.h -- lists the members of a struct, from clang's AST.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#pragma GCC visibility push(default)
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#pragma GCC visibility pop

#include <string>

/* The members in the first `bytes` of a complete struct or class, as
 * type_format.h writes them: with their types if has_types, unless the text is
 * too long with them; "" if they cannot be listed. */
std::string mpass_frontend_fields(clang::ASTContext &context,
                                  const clang::PrintingPolicy &policy,
                                  const clang::RecordDecl *record,
                                  uint64_t bytes, bool has_types);
