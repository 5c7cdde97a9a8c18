/* frontend_dense.cpp -- finds the calls of malloc(), calloc() and operator new
 * whose blocks may be aligned by 8 bytes instead of 16.
 *
 * The type of the block must be certain: it is named by `new`, the call's
 * result is cast to it, or to none and the size is the type's `sizeof`. It must
 * not have a part that code may access by instructions that need 16 bytes,
 * because it knows that malloc() aligns by 16: 16 bytes of numbers or
 * characters that begin at a multiple of 16. The pass checks that the size is
 * that of one object (pass/use/dense.c).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma GCC visibility push(default)
#include "clang/AST/RecordLayout.h"
#include "llvm/Support/MathExtras.h"
#pragma GCC visibility pop

#include "pass/plugin/frontend_dense.h"
#include "pass/plugin/frontend_visitor.h"

namespace
{
using namespace clang;

const unsigned needed_bits = 64;
const uint64_t wide_bits = 128;

class Visitor : public mpass_frontend_visitor<Visitor>
{
    mpass_dense_calls &calls;
    /* Type that the result of a call is cast to, by the innermost cast to
     * another pointer than void *. */
    llvm::DenseMap<const CallExpr *, QualType> casts;

    bool is_wide(uint64_t offset, uint64_t bits) const
    {
        return offset % wide_bits == 0 && bits >= wide_bits;
    }

    /* The type itself; for the bytes in which a node of libstdc++ holds an
     * element, the element's type. */
    static QualType stored(QualType type)
    {
        const auto *const record =
            dyn_cast_or_null<ClassTemplateSpecializationDecl>(
                type->getAsRecordDecl());

        return record != nullptr && (record->getName() == "__aligned_membuf" ||
                                     record->getName() == "__aligned_buffer")
                   ? record->getTemplateArgs()[0].getAsType()
                   : type;
    }

    /* Does the type contain a pointer? */
    static bool has_pointer(QualType whole)
    {
        const QualType type = stored(whole);
        const RecordDecl *const record = type->getAsRecordDecl();
        const auto *const cxx = dyn_cast_or_null<CXXRecordDecl>(record);

        if (const auto *array = type->getAsArrayTypeUnsafe())
            return has_pointer(array->getElementType());
        if (record == nullptr)
            return type->isAnyPointerType() || type->isReferenceType() ||
                   type->isMemberPointerType();
        return (cxx != nullptr &&
                (cxx->isDynamicClass() || llvm::any_of(cxx->bases(),
                                                       [](const auto &base) {
                                                           return has_pointer(
                                                               base.getType());
                                                       }))) ||
               llvm::any_of(record->fields(), [](const FieldDecl *field) {
                   return has_pointer(field->getType());
               });
    }

    /* Does a part of the type, which begins at the offset, have 16 bytes of
     * data at a multiple of 16? */
    bool has_wide_data(QualType whole, uint64_t offset) const
    {
        const QualType type = stored(whole);
        const RecordDecl *const record = type->getAsRecordDecl();

        if (!has_pointer(type))
            return is_wide(offset, context.getTypeSize(type));
        if (record == nullptr) /* a pointer, or an array with pointers */
            return type->isArrayType() &&
                   has_wide_data(
                       QualType(type->getArrayElementTypeNoTypeQual(), 0),
                       offset);
        const ASTRecordLayout &layout = context.getASTRecordLayout(record);
        const auto *const cxx = dyn_cast<CXXRecordDecl>(record);
        uint64_t run = 0, run_end = 0;
        const auto is_part_wide = [&](QualType part, uint64_t at) {
            /* Neighbours such as x, y, z, w may be loaded as one vector. */
            if (!context.getBaseElementType(part)
                     ->isIntegralOrEnumerationType() &&
                !has_pointer(part)) {
                run = at == run_end ? run : at;
                run_end = at + context.getTypeSize(part);
            }
            const uint64_t wide = llvm::alignTo(run, wide_bits);
            return (run_end > at && run_end >= wide + wide_bits) ||
                   has_wide_data(part, at);
        };

        if (cxx != nullptr) {
            for (const CXXBaseSpecifier &base : cxx->bases()) {
                if (base.isVirtual() ||
                    is_part_wide(
                        base.getType(),
                        offset + context.toBits(layout.getBaseClassOffset(
                                     base.getType()->getAsCXXRecordDecl()))))
                    return true;
            }
        }
        return llvm::any_of(record->fields(), [&](const FieldDecl *field) {
            return is_part_wide(
                field->getType(),
                offset + layout.getFieldOffset(field->getFieldIndex()));
        });
    }

    /* Bytes of a type whose objects may be dense; 0 for other types. */
    uint64_t dense_bytes(QualType type) const
    {
        const RecordDecl *const record = type->getAsRecordDecl();

        if (record == nullptr || type->isDependentType() ||
            type->isIncompleteType() || record->isInvalidDecl() ||
            record->hasFlexibleArrayMember() ||
            context.getTypeAlign(type) != needed_bits || has_wide_data(type, 0))
            return 0;
        return (uint64_t)context.getTypeSizeInChars(type).getQuantity();
    }

    /* If several calls have one place, as in a macro, all must be equal. */
    void note(const Expr *call, uint64_t bytes)
    {
        const PresumedLoc where = location(call);

        if (function == nullptr || where.isInvalid())
            return;
        for (const std::string &name : function_names()) {
            const auto added =
                calls.try_emplace(mpass_frontend_dense_key(
                                      name, where.getLine(), where.getColumn()),
                                  bytes);

            if (!added.second && added.first->second != bytes)
                added.first->second = 0;
        }
    }

    /* The type that the result is cast to, or else that of the size. */
    QualType type_of(const CallExpr *call) const
    {
        const auto cast = casts.find(call);

        if (cast != casts.end())
            return cast->second;
        for (const Expr *argument : call->arguments()) {
            const auto *const size = dyn_cast<UnaryExprOrTypeTraitExpr>(
                argument->IgnoreParenImpCasts());

            if (size != nullptr && size->getKind() == UETT_SizeOf)
                return size->getTypeOfArgument();
        }
        return QualType();
    }

    static bool is_allocator(const FunctionDecl *callee)
    {
        if (callee == nullptr)
            return false;
        if (callee->isReplaceableGlobalAllocationFunction())
            return true;
        const IdentifierInfo *const name = callee->getIdentifier();

        return name != nullptr &&
               (name->getName() == "malloc" || name->getName() == "calloc" ||
                name->getName() == "__builtin_malloc" ||
                name->getName() == "__builtin_calloc" ||
                name->getName() == "__builtin_operator_new");
    }

  public:
    Visitor(ASTContext &ast, mpass_dense_calls &out)
        : mpass_frontend_visitor(ast), calls(out)
    {
    }

    bool VisitCastExpr(CastExpr *expr)
    {
        const auto *call =
            dyn_cast<CallExpr>(expr->getSubExpr()->IgnoreParenCasts());

        if (call != nullptr && expr->getType()->isPointerType() &&
            !expr->getType()->isVoidPointerType())
            casts[call] = expr->getType()->getPointeeType();
        return true;
    }

    bool VisitCallExpr(CallExpr *expr)
    {
        if (is_allocator(expr->getDirectCallee())) {
            const QualType type = type_of(expr);

            note(expr, type.isNull() ? 0 : dense_bytes(type));
        }
        return true;
    }

    bool VisitCXXNewExpr(CXXNewExpr *expr)
    {
        if (is_allocator(expr->getOperatorNew()))
            note(expr,
                 expr->isArray() ? 0 : dense_bytes(expr->getAllocatedType()));
        return true;
    }
};
} // namespace

std::string mpass_frontend_dense_key(llvm::StringRef function, unsigned line,
                                     unsigned column)
{
    return (function + ":" + llvm::Twine(line) + ":" + llvm::Twine(column))
        .str();
}

void mpass_frontend_find_dense(ASTContext &context, mpass_dense_calls &calls)
{
    Visitor(context, calls).TraverseDecl(context.getTranslationUnitDecl());
}
