/* frontend_types.cpp -- finds the types that the calls of a source file
 * allocate, from clang's AST:
 * - for `new`, the named type;
 * - for a call that returns a pointer, the type of a sizeof in its arguments;
 * - for a call that returns void *, the type that the result is cast to;
 * - for a function declared with attribute malloc, the type that it returns a
 *   pointer to.
 * It does not matter here which calls allocate: memprofdata looks up only calls
 * on the call stacks of a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma GCC visibility push(default)
#include "clang/AST/RecordLayout.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#pragma GCC visibility pop

#include "pass/plugin/frontend.h"
#include "pass/plugin/frontend_fields.h"
#include "pass/plugin/frontend_visitor.h"
#include "shared/type_format.h"

namespace
{
using namespace clang;

/* Maximum nesting of sums and products around a sizeof. */
const unsigned depth_max = 4;

/* The type whose size an expression computes. In a sum, a single object comes
 * before an array: sizeof(A) + n * sizeof(B) is a block of A with an array
 * behind it. Several arrays of different types have no type. */
struct Size {
    QualType type;
    bool is_product = false; /* an array of the type */
    bool is_several = false; /* arrays of different types */
    bool is_mixed = false;   /* something of another size is added */
    bool is_open = false;    /* one object, and more behind */
    /* Of is_open: where more begins; 0: at the object's end. */
    uint64_t head_bytes = 0;
};

using Sizes = llvm::DenseMap<const Decl *, Size>; /* by variable */

Size measured(const Expr *expr, const ASTContext &context, const Sizes &sizes,
              unsigned depth = 0);

bool is_empty(const Size &size)
{
    return size.type.isNull() && !size.is_several;
}

bool is_one(const Size &size)
{
    return !is_empty(size) && !size.is_product;
}

bool is_array(const Size &size)
{
    return !is_empty(size) && size.is_product;
}

/* In a sum with the size of an object: is it the size of what is behind? A
 * constant may be for a header or an alignment. */
bool is_unknown(const Expr *expr, const ASTContext &context)
{
    return !expr->isValueDependent() && !expr->isEvaluatable(context);
}

/* The size of left + right. is_behind: the value of the right one is not known
 * to the compiler. */
Size measured_sum(const Size &left, const Size &right, bool is_behind)
{
    Size size =
        is_empty(left) || (is_array(left) && is_one(right)) ? right : left;

    size.is_mixed = true;
    if (is_array(right) && left.type == right.type) {
        size.is_product = true;
        size.is_mixed = left.is_mixed || right.is_mixed;
    } else if (is_array(left) && is_array(right)) {
        return {QualType(), true, true};
    }
    size.is_open = is_one(size) && is_one(left) && (left.is_open || is_behind);
    return size;
}

Size measured_operation(const BinaryOperator *operation,
                        const ASTContext &context, const Sizes &sizes,
                        unsigned depth)
{
    const Size left = measured(operation->getLHS(), context, sizes, depth);
    const Size right = measured(operation->getRHS(), context, sizes, depth);
    const BinaryOperatorKind kind = operation->getOpcode();
    Size size = is_empty(left) ? right : left;

    if (kind == BO_Sub) {
        size = left;
        size.is_mixed = true;
        return size;
    }
    if (kind == BO_Add)
        return measured_sum(left, right,
                            is_unknown(operation->getRHS(), context));
    size.is_product = true;
    size.is_open = false;
    size.is_mixed |= (kind != BO_Mul && kind != BO_Shl) ||
                     (!is_empty(left) && !is_empty(right));
    return size;
}

/* The bytes of the object before the member. */
Size measured_offset(const OffsetOfExpr *offset, const ASTContext &context)
{
    Size size = {offset->getTypeSourceInfo()->getType()};
    Expr::EvalResult value;

    if (!offset->isValueDependent() && offset->EvaluateAsInt(value, context))
        size.head_bytes = value.Val.getInt().getZExtValue();
    return size;
}

Size measured(const Expr *expr, const ASTContext &context, const Sizes &sizes,
              unsigned depth)
{
    const Expr *const e = expr->IgnoreParenCasts();

    if (const auto *trait = dyn_cast<UnaryExprOrTypeTraitExpr>(e))
        return {trait->getKind() == UETT_SizeOf ? trait->getTypeOfArgument()
                                                : QualType()};
    if (const auto *offset = dyn_cast<OffsetOfExpr>(e))
        return measured_offset(offset, context);
    if (const auto *name = dyn_cast<DeclRefExpr>(e))
        return sizes.lookup(name->getDecl());
    const auto *operation = dyn_cast<BinaryOperator>(e);
    if (operation == nullptr || depth == depth_max)
        return {};
    return measured_operation(operation, context, sizes, depth + 1);
}

bool is_void_pointer_call(const CallExpr *call)
{
    return call != nullptr && call->getType()->isVoidPointerType();
}

/* The type of the block that a function with attribute malloc returns. */
QualType returned_type(const CallExpr *call)
{
    const Decl *const callee = call->getCalleeDecl();
    const QualType type = call->getType();

    return callee != nullptr && callee->hasAttr<RestrictAttr>() &&
                   type->isPointerType() && !type->isVoidPointerType()
               ? type->getPointeeType()
               : QualType();
}

/* True for calls that may return a block whose size is an argument: functions
 * that return void *, and functions of the program that return any pointer
 * (such a function may create objects of several types with a common base). */
bool may_take_size(const CallExpr *call)
{
    const Decl *const callee = call->getCalleeDecl();

    return is_void_pointer_call(call) ||
           (call->getType()->isPointerType() && callee != nullptr &&
            !callee->getASTContext().getSourceManager().isInSystemHeader(
                callee->getLocation()));
}

bool has_open_end(QualType type)
{
    const RecordDecl *const record = type->getAsRecordDecl();

    return record != nullptr && record->hasFlexibleArrayMember();
}

class Visitor : public mpass_frontend_visitor<Visitor>
{
    PrintingPolicy policy;
    std::string &records;
    /* Type that the result of a call is cast to, by the outermost cast. */
    llvm::DenseMap<const CallExpr *, QualType> casts;
    llvm::DenseSet<const CallExpr *>
        shifted; /* something is added to results */
    Sizes sizes;
    llvm::StringSet<> told; /* types whose fields are recorded */

    /* Where the flexible array member begins, maybe in the struct's padding. */
    uint64_t open_end(QualType type)
    {
        const ASTRecordLayout &layout =
            context.getASTRecordLayout(type->getAsRecordDecl());

        return layout.getFieldOffset(layout.getFieldCount() - 1) /
               context.getCharWidth();
    }

    /* The size of the object that a record names, 0: it is not known. A struct
     * with a flexible array member has no fixed size, but a head. */
    uint64_t bytes_of(const Size &size)
    {
        const QualType type = size.type;

        if (!type->isObjectType() || type->isIncompleteType() ||
            (has_open_end(type) && !size.is_open) ||
            (size.is_product && size.is_mixed))
            return 0;
        if (size.is_open && size.head_bytes != 0)
            return size.head_bytes;
        return size.is_open && has_open_end(type)
                   ? open_end(type)
                   : (uint64_t)context.getTypeSizeInChars(type).getQuantity();
    }

    void record(std::string name, const PresumedLoc &where,
                llvm::StringRef type)
    {
        llvm::raw_string_ostream out(records);

        name.resize(mprof_type_function(name.data()));
        if (!function->isExternallyVisible())
            out << llvm::sys::path::filename(where.getFilename())
                << MPROF_TYPE_FILE_END;
        out << name << MPROF_TYPE_SEPARATOR << where.getLine()
            << MPROF_TYPE_SEPARATOR << where.getColumn() << MPROF_TYPE_SEPARATOR
            << type << '\0';
    }

    /* True for the type of the number that an allocator stores in front of a
     * block, which is not the type of the block. */
    bool is_bookkeeping(QualType type)
    {
        return type->isArithmeticType() &&
               function->getReturnType()->isVoidPointerType();
    }

    /* True if the function casts the block to a base type of the objects that
     * it creates: it gets a kind and a size as arguments and returns the base
     * type. Its callers know the actual type. */
    bool is_base(const CallExpr *call, QualType type)
    {
        const QualType result = function->getReturnType();
        const auto is_number = [](const ParmVarDecl *parameter) {
            return parameter->getType()->isIntegralOrEnumerationType();
        };
        const auto is_given = [&](const Expr *argument) {
            const auto *name =
                dyn_cast<DeclRefExpr>(argument->IgnoreParenCasts());
            const auto *parameter = name != nullptr
                                        ? dyn_cast<ParmVarDecl>(name->getDecl())
                                        : nullptr;

            return parameter != nullptr && is_number(parameter);
        };

        return type->isRecordType() && result->isPointerType() &&
               context.hasSameUnqualifiedType(result->getPointeeType(), type) &&
               llvm::any_of(call->arguments(), is_given) &&
               llvm::count_if(function->parameters(), is_number) > 1;
    }

    /* Records the size that a variable holds. If it holds different sizes, it
     * is ignored. */
    void note_size(const Decl *variable, const Expr *value)
    {
        const Size size = measured(value, context, sizes);
        const auto added = sizes.try_emplace(variable, size);

        Size &known = added.first->second;
        known.is_open &= size.is_open && known.head_bytes == size.head_bytes;
        if (known.type != size.type)
            known = Size();
    }

    /* True if the size is that of a number in front of an array of another
     * type, which the block is cast to. In most cases the number is a length.
     */
    bool is_in_front(const CallExpr *call, const Size &size)
    {
        const auto cast = casts.find(call);

        return is_one(size) && size.type->isArithmeticType() &&
               cast != casts.end() && !cast->second->isDependentType() &&
               !context.hasSameUnqualifiedType(cast->second, size.type);
    }

    /* Does the result point to an object of the type, as far as the source
     * says? A header in front of the object has another type, or is added. */
    bool is_cast_to(const CallExpr *call, QualType type)
    {
        const auto cast = casts.find(call);

        return cast != casts.end() && !shifted.contains(call) &&
               !cast->second->isDependentType() &&
               context.hasSameUnqualifiedType(cast->second, type);
    }

    /* Is the count of calloc 1? */
    bool is_single(const CallExpr *call)
    {
        return llvm::any_of(call->arguments(), [&](const Expr *argument) {
            Expr::EvalResult value;

            return !argument->isValueDependent() &&
                   argument->EvaluateAsInt(value, context) &&
                   value.Val.getInt() == 1;
        });
    }

    /* True for functions with a count and a size as arguments. */
    static bool is_calloc(const CallExpr *call)
    {
        const FunctionDecl *const callee = call->getDirectCallee();

        return callee != nullptr && callee->getIdentifier() != nullptr &&
               (callee->getName() == "calloc" ||
                callee->getName() == "reallocarray");
    }

    Size allocated_type(const CallExpr *call)
    {
        if (!may_take_size(call))
            return {returned_type(call)};
        for (const Expr *argument : call->arguments()) {
            Size size = measured(argument, context, sizes);

            /* sizeof(void *) is a unit or an alignment. */
            if (size.type.isNull() || size.type->isVoidPointerType() ||
                is_in_front(call, size))
                continue;
            size.is_product |= is_calloc(call) && !is_single(call);
            size.is_open &= !size.is_product && is_cast_to(call, size.type);
            return size;
        }
        const auto cast = casts.find(call);
        if (cast == casts.end())
            return {returned_type(call)};
        return {is_base(call, cast->second) ? QualType() : cast->second};
    }

    /* The number of the object's layout, by its members without their types,
     * which C and C++ may spell differently; "" if they cannot be listed. */
    std::string layout_of(const RecordDecl *record, uint64_t bytes)
    {
        const std::string members = mpass_frontend_fields(
            context, policy, record->getDefinition(), bytes, false);

        return members.empty()
                   ? ""
                   : MPROF_TYPE_LAYOUT +
                         llvm::utohexstr((uint32_t)llvm::xxh3_64bits(
                                             llvm::StringRef(members)),
                                         true);
    }

    /* Appends a record of a type's fields, unless its size is unknown. Returns
     * the number of its layout, or "". */
    std::string record_fields(QualType type, const std::string &name,
                              uint64_t bytes, const char *mark)
    {
        const RecordDecl *const record = type->getAsRecordDecl();
        const std::string layout =
            record != nullptr && bytes != 0 ? layout_of(record, bytes) : "";
        const std::string key = name + mark + layout + MPROF_TYPE_SEPARATOR +
                                std::to_string(bytes) + MPROF_TYPE_SEPARATOR;
        llvm::raw_string_ostream out(records);

        if (layout.empty() || !told.insert(key).second)
            return layout;
        out << MPROF_TYPE_SEPARATOR << key << mark
            << mpass_frontend_fields(context, policy, record->getDefinition(),
                                     bytes, true)
            << '\0';
        return layout;
    }

    void note(const Expr *call, const Size &size)
    {
        const PresumedLoc where = location(call);
        const char *const mark = size.is_product ? MPROF_TYPE_ARRAY
                                 : size.is_open  ? MPROF_TYPE_OPEN
                                                 : "";

        if (function == nullptr || size.type->isDependentType() ||
            is_bookkeeping(size.type) || where.isInvalid())
            return;
        const uint64_t bytes = bytes_of(size);
        std::string text =
            size.type.getCanonicalType().getUnqualifiedType().getAsString(
                policy);
        const std::string kind =
            mark + record_fields(size.type, text, bytes, mark);
        if (bytes != 0)
            text += MPROF_TYPE_SEPARATOR + std::to_string(bytes);
        if (bytes != 0 && !kind.empty())
            text += MPROF_TYPE_SEPARATOR + kind;
        for (const std::string &name : function_names())
            record(name, where, text);
    }

  public:
    Visitor(ASTContext &ast, std::string &out)
        : mpass_frontend_visitor(ast), policy(ast.getPrintingPolicy()),
          records(out)
    {
        policy.SuppressTagKeyword = true;
        policy.AnonymousTagLocations = false; /* no paths */
    }

    /* Does the number of elements stand before the array (Itanium C++ ABI,
     * 2.7)? Then offsets in the block are not those in elements. */
    static bool has_cookie(const CXXNewExpr *expr)
    {
        return expr->doesUsualArrayDeleteWantSize() ||
               expr->getAllocatedType().isDestructedType() != QualType::DK_none;
    }

    bool VisitCXXNewExpr(CXXNewExpr *expr)
    {
        /* NULL in an uninstantiated template. */
        const FunctionDecl *const allocator = expr->getOperatorNew();

        if (allocator != nullptr &&
            !allocator->isReservedGlobalPlacementOperator())
            note(expr, {expr->getAllocatedType(),
                        expr->isArray() && !has_cookie(expr)});
        return true;
    }

    bool VisitCastExpr(CastExpr *expr)
    {
        if (function == nullptr)
            return true;
        const QualType to = expr->getType();
        const auto *call =
            dyn_cast<CallExpr>(expr->getSubExpr()->IgnoreParenCasts());

        if (is_void_pointer_call(call) && to->isPointerType() &&
            !to->isVoidPointerType())
            casts.try_emplace(call, to->getPointeeType());
        return true;
    }

    bool VisitVarDecl(VarDecl *decl)
    {
        if (function != nullptr && decl->hasLocalStorage() &&
            decl->getType()->isIntegerType() && decl->getInit() != nullptr)
            note_size(decl, decl->getInit());
        return true;
    }

    bool VisitBinaryOperator(BinaryOperator *expr)
    {
        const auto *name =
            dyn_cast<DeclRefExpr>(expr->getLHS()->IgnoreParens());
        const auto *call =
            dyn_cast<CallExpr>(expr->getLHS()->IgnoreParenCasts());

        if (call != nullptr && expr->isAdditiveOp())
            shifted.insert(call);
        if (expr->getOpcode() == BO_Assign && name != nullptr &&
            expr->getType()->isIntegerType())
            note_size(name->getDecl(), expr->getRHS());
        return true;
    }

    bool VisitCallExpr(CallExpr *expr)
    {
        const Size size = function != nullptr ? allocated_type(expr) : Size();

        if (!size.type.isNull())
            note(expr, size);
        return true;
    }
};
} // namespace

void mpass_frontend_find_types(clang::ASTContext &context, std::string &records)
{
    Visitor(context, records).TraverseDecl(context.getTranslationUnitDecl());
}
