/* frontend_visitor.h -- a visitor of clang's AST that knows the function it is
 * in. It also visits instances of templates, and implicit code.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#pragma GCC visibility push(default)
#include "clang/AST/Mangle.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#pragma GCC visibility pop

#include <string>
#include <vector>

template <typename Derived>
class mpass_frontend_visitor : public clang::RecursiveASTVisitor<Derived>
{
    using Base = clang::RecursiveASTVisitor<Derived>;
    clang::ASTNameGenerator names;

    template <typename Traverse>
    bool within(clang::FunctionDecl *decl, Traverse fn)
    {
        const clang::FunctionDecl *const outer = function;

        if (decl->isDependentContext())
            return true;
        function = decl;
        fn();
        function = outer;
        return true;
    }

  protected:
    clang::ASTContext &context;
    const clang::FunctionDecl *function = nullptr;

    explicit mpass_frontend_visitor(clang::ASTContext &ast)
        : names(ast), context(ast)
    {
    }

    /* Linkage names of the current function. */
    std::vector<std::string> function_names()
    {
        if (llvm::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(
                function))
            return names.getAllManglings(function);
        return {names.getName(function)};
    }

    /* Location of a call as in clang's line tables: the call itself if it is in
     * an argument of a macro, the use of the macro if it is in its body. */
    clang::PresumedLoc location(const clang::Expr *call)
    {
        const clang::SourceManager &sources = context.getSourceManager();

        return sources.getPresumedLoc(sources.getFileLoc(call->getExprLoc()));
    }

  public:
    bool shouldVisitTemplateInstantiations() const
    {
        return true;
    }

    /* Visits implicit constructors, and default member initializers. */
    bool shouldVisitImplicitCode() const
    {
        return true;
    }

    bool TraverseFunctionDecl(clang::FunctionDecl *decl)
    {
        return within(decl, [&] { Base::TraverseFunctionDecl(decl); });
    }
    bool TraverseCXXMethodDecl(clang::CXXMethodDecl *decl)
    {
        return within(decl, [&] { Base::TraverseCXXMethodDecl(decl); });
    }
    bool TraverseCXXConversionDecl(clang::CXXConversionDecl *decl)
    {
        return within(decl, [&] { Base::TraverseCXXConversionDecl(decl); });
    }
    bool TraverseCXXConstructorDecl(clang::CXXConstructorDecl *decl)
    {
        return within(decl, [&] { Base::TraverseCXXConstructorDecl(decl); });
    }
    bool TraverseCXXDestructorDecl(clang::CXXDestructorDecl *decl)
    {
        return within(decl, [&] { Base::TraverseCXXDestructorDecl(decl); });
    }
};
